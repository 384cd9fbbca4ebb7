package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	parser "github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"
)

// The names of the files.
const (
	Name   = "vak.toml"    // in a home
	Output = "output.toml" // in a home, and in the folder .vak of a project
)

// What the layers are called that are no file.
const (
	FromDefault     = "default"
	FromEnvironment = "environment"
	FromSet         = "--set"
)

// maxFile bounds a file, in bytes.
const maxFile = 1 << 20

// Sources are where a configuration comes from, the lowest layer first. Below them
// all are the [Defaults].
type Sources struct {
	Project string   // the output.toml of a project that is trusted; empty: none
	User    string   // the output.toml of a home; empty: none
	Main    string   // the vak.toml; empty: none
	Need    bool     // Main has to be there; no other file has to
	Environ []string // as os.Environ has it
	Set     []string // path=value, as targets.ops.urgency=ambient
}

// Load reads all layers and lays them over each other. Errors are of type
// Problems; where every file could be read at all, the File comes with them,
// without what is wrong.
func Load(s Sources) (*File, error) {
	layers := []*layer{defaults()}
	var problems Problems
	for _, f := range []struct {
		path          string
		project, need bool
	}{{s.Project, true, false}, {s.User, false, false}, {s.Main, false, s.Need}} {
		if f.path == "" {
			continue
		}
		l, p := fromFile(f.path, f.need)
		if p != nil {
			problems = append(problems, p)
		}
		if l != nil {
			l.project = f.project
			layers = append(layers, l)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	layers = append(layers, fromEnvironment(s.Environ), fromSet(s.Set))
	out := newFile(layers...)
	if s.Main != "" && slices.ContainsFunc(layers, func(l *layer) bool { return l.name == s.Main }) {
		out.Path = s.Main
	}
	all := koanf.New(delimiter)
	for i, l := range layers {
		if l.lines != nil {
			out.Files = append(out.Files, l.name)
		}
		l.order = i
		l.settle()
		one := &reader{file: newFile(l), part: true, of: l}
		one.root(l.tree)
		problems = append(append(problems, l.problems...), one.problems...)
		maps.Copy(out.Templates, one.file.Templates) // whole: no part of one is of another layer
		if err := all.Load(l, nil); err != nil {
			return nil, Problems{{File: l.name, What: "it cannot be laid over the others"}}
		}
	}
	r := &reader{file: out, of: &layer{}}
	r.root(all.Raw())
	if problems = append(problems, r.problems...).Sorted(); len(problems) > 0 {
		return out, problems
	}
	return out, nil
}

// A layer is one place that configuration comes from.
type layer struct {
	name     string // of a file: its path
	order    int
	project  bool                // it is a project's file
	tree     map[string]any      // what it says
	lines    map[string]int      // of a file: where it says it
	written  map[string][]string // how it calls paths that are called otherwise in the tree
	problems Problems
}

// ReadBytes is what koanf does not ask of a layer.
func (*layer) ReadBytes() ([]byte, error) { return nil, errors.New("values only") }

// Read gives koanf what is laid over other layers: all but templates, and what a
// project may not say.
func (l *layer) Read() (map[string]any, error) {
	out := clone(l.tree)
	delete(out, "templates")
	if !l.project {
		return out, nil
	}
	delete(out, "targets")
	surfaces, _ := out["surfaces"].(map[string]any)
	for _, s := range surfaces {
		if t, ok := s.(map[string]any); ok {
			delete(t, "account")
			delete(t, "accounts")
		}
	}
	return out, nil
}

// clone is a tree of tables of its own.
func clone(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if t, ok := v.(map[string]any); ok {
			v = clone(t)
		}
		out[k] = v
	}
	return out
}

// has reports whether the layer says something at path.
func (l *layer) has(path []string) bool {
	var at any = l.tree
	for _, p := range path {
		m, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at, ok = m[p]; !ok {
			return false
		}
	}
	return true
}

// spelt is path as the layer writes it.
func (l *layer) spelt(path []string) []string {
	for n := len(path); n > 0; n-- {
		if is, ok := l.written[strings.Join(path[:n], delimiter)]; ok {
			return append(slices.Clone(is), path[n:]...)
		}
	}
	return path
}

// line is where the layer says what stands at path, or what holds it; 0: unknown.
func (l *layer) line(path []string) int {
	path = l.spelt(path)
	for n := len(path); n > 0; n-- {
		if at := l.lines[strings.Join(path[:n], delimiter)]; at > 0 {
			return at
		}
	}
	return 0
}

// settle brings what has two names under one: channels are surfaces, and their
// max_chars is max.
func (l *layer) settle() {
	channels, ok := l.tree["channels"].(map[string]any)
	if _, there := l.tree["surfaces"]; !there && ok {
		l.tree["surfaces"] = map[string]any{}
	}
	surfaces, fine := l.tree["surfaces"].(map[string]any)
	if !fine {
		return // the reader says so
	}
	if ok {
		delete(l.tree, "channels")
	}
	for _, id := range slices.Sorted(maps.Keys(channels)) {
		l.move(surfaces, id, channels[id], []string{"surfaces", id}, []string{"channels", id})
	}
	for _, id := range slices.Sorted(maps.Keys(surfaces)) {
		s, ok := surfaces[id].(map[string]any)
		if v, also := s["max_chars"]; ok && also {
			at := l.spelt([]string{"surfaces", id, "max_chars"})
			delete(s, "max_chars")
			l.move(s, "max", v, []string{"surfaces", id, "max"}, at)
		}
	}
}

// move puts v, which is written at from, at the key k of m, which is the path to.
// Where both are tables it moves what they hold.
func (l *layer) move(m map[string]any, k string, v any, to, from []string) {
	there, taken := m[k]
	if !taken {
		m[k] = v
		l.write(to, from)
		return
	}
	into, ok := there.(map[string]any)
	tree, also := v.(map[string]any)
	if !ok || !also {
		first := Pointer(l.spelt(to))
		l.problems = append(l.problems, l.problem(from, "it is the same as "+first+", which is there, too", "keep one of them"))
		return
	}
	for _, k := range slices.Sorted(maps.Keys(tree)) {
		l.move(into, k, tree[k], append(slices.Clip(to), k), append(slices.Clip(from), k))
	}
}

// write keeps how the layer calls a path.
func (l *layer) write(path, is []string) {
	if l.written == nil {
		l.written = map[string][]string{}
	}
	l.written[strings.Join(path, delimiter)] = is
}

// problem is one of the layer, at a path as it is written there.
func (l *layer) problem(path []string, what, mend string) *Problem {
	p := &Problem{File: l.name, order: l.order, Pointer: Pointer(path), What: what, Mend: mend}
	for n := len(path); n > 0 && p.Line == 0; n-- {
		p.Line = l.lines[strings.Join(path[:n], delimiter)]
	}
	return p
}

// fromFile is the layer of a file, nil where it is not there and need not be.
func fromFile(path string, need bool) (*layer, *Problem) {
	b, err := read(path)
	if !need && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
		return nil, nil
	}
	if err != nil {
		mend := "check that it is there and may be read"
		if need {
			mend += ", or name another one with --config"
		}
		return nil, &Problem{File: path, What: "it cannot be read: " + cause(err), Mend: mend}
	}
	tree, err := parser.Parser().Unmarshal(b)
	if err != nil {
		p := &Problem{File: path, What: "it is no TOML"}
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			p.Line, _ = d.Position()
			p.Pointer = Pointer(d.Key())
		}
		return nil, p
	}
	return &layer{name: path, tree: tree, lines: lines(b)}, nil
}

// cause is an error without the path, which stands before it.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func read(path string) ([]byte, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // opening a pipe would block
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return b, err
}
