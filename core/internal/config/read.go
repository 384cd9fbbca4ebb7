package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for systems without it
)

// A reader makes a File of what layers come to, or one of them.
type reader struct {
	file     *File
	part     bool   // other layers may say what is missing
	of       *layer // the one that is read; of all together nothing is asked
	problems Problems
}

func (r *reader) wrong(path []string, what, mend string) {
	r.problems = append(r.problems, r.file.Problem(path, what, mend))
}

// name is what targets and accounts may be called.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (r *reader) root(m map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		path := []string{k}
		if r.of.project && k == "targets" {
			r.wrong(path, "a project names no targets", "put them into vak.toml")
			continue
		}
		switch k {
		case "surfaces", "channels":
			r.each(path, m[k], r.surface)
		case "targets":
			r.each(path, m[k], r.target)
		case "templates":
			if r.of.lines == nil {
				r.wrong(path, "a template is written into a file", "put it into output.toml in the home")
				continue
			}
			r.each(path, m[k], r.template)
		case "policy":
			if t, ok := r.table(path, m[k]); ok {
				r.policy(path, t, &r.file.Policy, nil)
			}
		default:
			r.wrong(path, "there is no such table", "use surfaces, targets, templates or policy")
		}
	}
}

// table is v as a table.
func (r *reader) table(path []string, v any) (map[string]any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		r.wrong(path, "it is no table", "write ["+strings.Join(path, ".")+"]")
	}
	return m, ok
}

// each reads the tables in a table.
func (r *reader) each(path []string, v any, read func([]string, string, map[string]any)) {
	m, ok := r.table(path, v)
	if !ok {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := append(slices.Clip(path), k)
		if t, ok := r.table(at, m[k]); ok {
			read(at, k, t)
		}
	}
}

func (r *reader) surface(path []string, id string, m map[string]any) {
	s := Surface{Settings: map[string]string{}, Accounts: map[string]json.RawMessage{}}
	if was, ok := r.file.Surfaces[id]; ok { // under the other name
		s = was
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := append(slices.Clip(path), k)
		if r.of.project && (k == "account" || k == "accounts") {
			r.wrong(at, "a project has no accounts", "put them into vak.toml")
			continue
		}
		switch k {
		case "mentions":
			r.word(at, m[k], &s.Mentions)
		case "json_appendix":
			r.word(at, m[k], &s.Appendix)
		case "account":
			if t, ok := r.table(at, m[k]); ok {
				r.account(at, s, "", t)
			}
		case "accounts":
			r.each(at, m[k], func(at []string, account string, t map[string]any) {
				if !name.MatchString(account) {
					r.wrong(at, "no account can be called so", "use letters, digits and . _ -")
					return
				}
				r.account(at, s, account, t)
			})
		case "template":
			r.choice(at, m[k], &s.Template)
		default:
			r.setting(at, m[k], s.Settings)
		}
	}
	r.file.Surfaces[id] = s
}

// setting reads one setting of a profile. Which there are is for core to know.
func (r *reader) setting(path []string, v any, into map[string]string) {
	k := path[len(path)-1]
	switch v := v.(type) {
	case string:
		into[k] = v
	case int64:
		into[k] = strconv.FormatInt(v, 10)
	default:
		r.wrong(path, "its value is neither a text nor a number", "")
	}
}

// choice reads the id of a template; empty says that there is none.
func (r *reader) choice(path []string, v any, into *string) {
	id, ok := v.(string)
	if ok && id == "" {
		id = NoTemplate
	}
	if !ok || !name.MatchString(id) {
		r.wrong(path, "it is no id of a template", `use the id of one in [templates], or "none"`)
		return
	}
	*into = id
}

// maxFormat bounds the format of a template, in bytes.
const maxFormat = 64 << 10

func (r *reader) template(path []string, id string, m map[string]any) {
	if !name.MatchString(id) || id == NoTemplate {
		r.wrong(path, "no template can be called so", `use letters, digits and . _ -, and another word than "none"`)
		return
	}
	t := Template{Revision: 1, Project: r.of.project}
	fine := true
	wrong := func(path []string, what, mend string) {
		fine = false
		r.wrong(path, what, mend)
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := append(slices.Clip(path), k)
		switch k {
		case "revision":
			n, err := strconv.Atoi(fmt.Sprint(m[k]))
			if err != nil || n < 1 {
				wrong(at, "it is no revision", "use a whole number from 1 on, higher for each change")
			}
			t.Revision = n
		case "format":
			text, ok := m[k].(string)
			if !ok || len(text) > maxFormat {
				wrong(at, "it is no format", fmt.Sprintf("use a text of at most %d bytes", maxFormat))
			}
			t.Format = text
		default:
			wrong(at, "there is no such key", "use format, revision")
		}
	}
	if _, ok := m["format"]; !ok {
		wrong(path, "it has no format", `add format = "{body}"`)
	}
	if fine {
		r.file.Templates[id] = t
	}
}

func (r *reader) account(path []string, s Surface, account string, m map[string]any) {
	b, err := json.Marshal(m)
	if err != nil {
		r.wrong(path, "it holds a value that is no JSON", "")
		return
	}
	s.Accounts[account] = b
}

func (r *reader) target(path []string, id string, m map[string]any) {
	if !name.MatchString(id) {
		r.wrong(path, "no target can be called so", "use letters, digits and . _ -")
		return
	}
	t := Target{Settings: map[string]string{}}
	r.policy(path, m, &t.Policy, func(k string, v any) {
		if k == "to" {
			var ok bool
			if t.To, ok = v.(string); !ok || t.To == "" {
				r.wrong(append(slices.Clip(path), k), "it is no target", "write surface:address")
			}
			return
		}
		r.setting(append(slices.Clip(path), k), v, t.Settings)
	})
	if _, there := m["to"]; !there && !r.part {
		r.wrong(path, "it does not say where it is", `add to = "surface:address"`)
	}
	if t.To != "" {
		r.file.Targets[id] = t
	}
}

// words are the fields of a policy that are one of several words.
var words = map[string][]string{
	"cadence":  {"immediate", "on_completion", "digest"},
	"urgency":  {"ambient", "normal", "interrupt"},
	"unknown":  {"resend_marked", "park"},
	"mentions": {"live", "off"},

	"json_appendix": {"auto", "always", "never"},
}

// word reads a field that is one of several words.
func (r *reader) word(path []string, v any, into *string) {
	k := path[len(path)-1]
	text, ok := v.(string)
	if !ok || !slices.Contains(words[k], text) {
		r.wrong(path, "there is no such "+k, "use "+strings.Join(words[k], ", "))
		return
	}
	*into = text
}

// PolicyKeys are the keys that [policy] may hold, and a target too.
func PolicyKeys() []string {
	all := append(slices.Sorted(maps.Keys(words)), "digest", "max_parts", "quiet", "template", "timezone")
	slices.Sort(all)
	return all
}

// policy reads a table of a policy; other takes what else there is.
func (r *reader) policy(path []string, m map[string]any, p *Policy, other func(string, any)) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := append(slices.Clip(path), k)
		switch {
		case words[k] != nil:
			r.word(at, m[k], map[string]*string{"cadence": &p.Cadence, "urgency": &p.Urgency, "unknown": &p.Unknown, "mentions": &p.Mentions, "json_appendix": &p.Appendix}[k])
		case k == "max_parts":
			n, err := strconv.Atoi(fmt.Sprint(m[k]))
			if err != nil || n < 1 || n > 10_000 {
				r.wrong(at, "it is no number of messages", "use 1 to 10000")
				continue
			}
			p.MaxParts = n
		case k == "digest":
			if p.Digest = minutes(m[k]); p.Digest == nil {
				r.wrong(at, "it is no list of times of day", `use for example digest = ["09:00", "17:30"]`)
			}
		case k == "quiet":
			if p.Quiet = span(m[k]); p.Quiet == [2]Minute{} {
				r.wrong(at, "it is no span of a day", `use for example quiet = "22:00-07:00"`)
			}
		case k == "timezone":
			name, _ := m[k].(string)
			zone, err := time.LoadLocation(name)
			if err != nil || name == "" || name == "Local" {
				r.wrong(at, "there is no such time zone", `use for example timezone = "Europe/Berlin"`)
				continue
			}
			p.Timezone = zone
		case k == "template":
			r.choice(at, m[k], &p.Template)
		case other != nil:
			other(k, m[k])
		default:
			r.wrong(at, "there is no such key", "use "+strings.Join(PolicyKeys(), ", "))
		}
	}
}

// minutes reads a list of times of day, or a text that holds them with commas
// between; nil: it is none.
func minutes(v any) []Minute {
	all, ok := v.([]any)
	if text, one := v.(string); one {
		for part := range strings.SplitSeq(text, ",") {
			all = append(all, strings.TrimSpace(part))
		}
	} else if !ok {
		return nil
	}
	var out []Minute
	for _, one := range all {
		text, _ := one.(string)
		m, ok := minute(text)
		if !ok {
			return nil
		}
		out = append(out, m)
	}
	return out
}

// span reads "22:00-07:00"; zero: it is none.
func span(v any) [2]Minute {
	text, _ := v.(string)
	from, to, _ := strings.Cut(text, "-")
	a, ok := minute(strings.TrimSpace(from))
	b, also := minute(strings.TrimSpace(to))
	if !ok || !also || a == b {
		return [2]Minute{}
	}
	return [2]Minute{a, b}
}

func minute(text string) (Minute, bool) {
	at, err := time.Parse("15:04", text)
	return Minute(at.Hour()*60 + at.Minute()), err == nil
}
