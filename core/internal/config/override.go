package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// delimiter parts the path of a value where one text has to hold it.
const delimiter = "\x1f"

// Tables are those that a file may hold at the top.
func Tables() []string { return []string{"channels", "policy", "surfaces", "targets", "templates"} }

// fromEnvironment is the layer of what an environment overrides.
func fromEnvironment(environ []string) *layer {
	l := &layer{name: FromEnvironment, tree: map[string]any{}}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		name, ours := strings.CutPrefix(name, "VAK_")
		path := strings.Split(strings.ToLower(name), "__")
		if ours && len(path) > 1 && slices.Contains(Tables(), path[0]) && !slices.Contains(path, "") {
			l.put(path, value)
		}
	}
	return l
}

// fromSet is the layer of what flags override.
func fromSet(set []string) *layer {
	l := &layer{name: FromSet, tree: map[string]any{}}
	for _, s := range set {
		path, value, err := Assignment(s)
		if err != nil {
			l.problems = append(l.problems, &Problem{File: FromSet, What: err.Error(), Mend: "write for example targets.ops.urgency=ambient"})
			continue
		}
		l.put(path, value)
	}
	return l
}

// put has the layer say value at path.
func (l *layer) put(path []string, value string) {
	at := l.tree
	for _, p := range path[:len(path)-1] {
		next, ok := at[p].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[p] = next
		}
		at = next
	}
	at[path[len(path)-1]] = value
}

// Assignment parts path=value. The path is a key as TOML has it, with quotes where
// a part holds a dot: targets."on.call".max=500. Its error holds nothing of the
// value.
func Assignment(s string) (path []string, value string, _ error) {
	key, value, ok := strings.Cut(s, "=")
	if !ok {
		return nil, "", errors.New("it has no value")
	}
	if strings.ContainsAny(key, "\r\n#") {
		return nil, "", errors.New("what stands before the = is no path")
	}
	var p unstable.Parser
	p.Reset([]byte(key + " = 0"))
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue {
			break
		}
		for it := e.Key(); it.Next(); {
			path = append(path, string(it.Node().Data))
		}
	}
	if p.Error() != nil || len(path) == 0 {
		return nil, "", errors.New("what stands before the = is no path")
	}
	return path, value, nil
}
