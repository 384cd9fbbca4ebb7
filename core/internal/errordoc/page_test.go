package errordoc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An area is a kind of error, of one package.
type area struct {
	key, title, intro string
	dir, typ          string
	also              string // the package of which more of them come
}

var areas = []area{
	{"core", "What package core returns", "For programs that embed vak, with `errors.Is`. The command line prints the error, which names the thing and what to do.", "core", "ErrorKind", ""},
	{"plugin", "Plugins and their processes", "In `vak plugin list`, `vak plugin inspect` and the log, as `kind`. Whose fault it is stands beside it: `host`, `plugin` or `downstream`, which is the platform.", "core/internal/host/fault", "Kind", "sdk/hostapi"},
	{"card", "Cards", "What is wrong with a card, an envelope or a tree. The error names the place as a JSON pointer and what was expected there, and never a value.", "sdk/card", "ErrorKind", ""},
	{"catalog", "Skill packs that are not used", "Why a pack that runs is left out all the same; `vak plugin list` and `vak plugin inspect` show it. It costs the other packs nothing.", "core/internal/pipeline/catalog", "Kind", ""},
	{"install", "Installing plugins", "Of `vak plugin install` and the other commands that change what is installed.", "core/internal/install", "Kind", ""},
	{"class", "Deliveries that failed", "The class of a `surface.DeliveryError`, which an author of a surface chooses; `vak outbox show` shows it with each attempt.", "sdk/surface", "Class", ""},
	{"api", "The control API", "In the member `kind` of a problem, beside `mend`, which says what to do.", "core/internal/control", "Kind", ""},
}

// within are kinds that nobody meets: core and the control API make theirs of them.
var within = []string{"core/internal/home.Kind", "core/internal/outbox.Kind", "core/internal/store.Kind"}

const asSaid = "Do what the error says."

// page is docs/errors.md. Used are the keys of mends that it took.
func page(t *tree) (text string, used map[string]bool, err error) {
	used = map[string]bool{}
	mend := func(key string) string {
		if m, ok := mends[key]; ok {
			used[key] = true
			return m
		}
		return asSaid
	}
	var b strings.Builder
	b.WriteString(`# Errors

<!-- Made from the comments and messages of the code by "make gen"; change those, and core/internal/errordoc for what to do. -->

Every kind of error that vak has, what it means and what to do about it. An error tells what happened, where, and what
to do next; this page is for what lies behind. None of them holds the text of a message or a secret.

`)
	for _, a := range areas {
		fmt.Fprintf(&b, "- [%s](#%s)\n", a.title, anchor(a.title))
	}
	b.WriteString("- [Diagnostics of packets](#diagnostics-of-packets)\n- [Exit codes](#exit-codes)\n- Why a job waits or is dead: [the runbook](operators.md#reasons--what-to-do)\n")
	for _, a := range areas {
		all, err := t.constants(a.dir, a.typ)
		if err != nil {
			return "", nil, err
		}
		if a.also != "" {
			more, err := t.constants(a.also, a.typ)
			if err != nil {
				return "", nil, err
			}
			for _, c := range more {
				if !slices.ContainsFunc(all, func(o constant) bool { return o.value == c.value }) {
					all = append(all, c)
				}
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| kind | in Go | what it means | what to do |\n| --- | --- | --- | --- |\n", a.title, a.intro)
		for _, c := range all {
			if c.about == "" {
				return "", nil, fmt.Errorf("%s: %s has no comment", a.dir, c.name)
			}
			row(&b, "`"+c.value+"`", "`"+c.name+"`", sentence(c.about), mend(a.key+" "+c.value))
		}
	}

	codes, err := t.codes()
	if err != nil {
		return "", nil, err
	}
	b.WriteString("\n## Diagnostics of packets\n\nWhat was done differently from what an answer asked for, as `code`, in `diagnostics` of a packet, `vak preview` and `vak why`. An\n" +
		"answer with diagnostics is whole. Renderers of plugins may add codes of their own.\n\n| code | severity | message | what to do |\n| --- | --- | --- | --- |\n")
	for _, c := range codes {
		said := make([]string, len(c.message))
		for i, m := range c.message {
			if said[i] = m; m == "…" {
				said[i] = "What is wrong, and where."
			}
		}
		todo := mend("code " + c.name)
		if todo == asSaid && strings.HasPrefix(c.name, "renderer_") {
			todo = lossMend
		}
		row(&b, "`"+c.name+"`", c.severity, strings.Join(said, " / "), todo)
	}

	exits, err := t.exits()
	if err != nil {
		return "", nil, err
	}
	b.WriteString("\n## Exit codes\n\nOf the command `vak`.\n\n| code | what it means | what to do |\n| --- | --- | --- |\n")
	for _, e := range exits {
		row(&b, e.value, sentence(e.about), mend("exit "+e.value))
	}
	return b.String(), used, nil
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

// sentence is s with a capital and a full stop.
func sentence(s string) string {
	s = links.ReplaceAllString(s, "`$1`")
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// links are those of comments in Go to other names.
var links = regexp.MustCompile(`\[([A-Za-z][\w.]*)\]`)

func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(title, ",", "")), " ", "-")
}

var nextCode = regexp.MustCompile(`(?:^|, )(\d+) `)

// exits are the exit codes, with what the help of the command says of each. Both
// have the same, or it is an error.
func (t *tree) exits() ([]constant, error) {
	const dir = "core/internal/cli"
	all, err := t.constants(dir, "")
	if err != nil {
		return nil, err
	}
	var out []constant
	help := ""
	for _, c := range all {
		switch {
		case c.name == "exitHelp":
			help = c.value
		case strings.HasPrefix(c.name, "exit"):
			out = append(out, c)
		}
	}
	_, list, ok := strings.Cut(strings.Join(strings.Fields(help), " "), ": ")
	if !ok || len(out) < 5 {
		return nil, fmt.Errorf("%s has no exit codes, or no help for them", dir)
	}
	list = strings.TrimSuffix(list, ".")
	at := nextCode.FindAllStringSubmatchIndex(list, -1)
	said := map[string]string{}
	for i, m := range at {
		end := len(list)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		said[list[m[2]:m[3]]] = list[m[1]:end]
	}
	if len(said) != len(out) {
		return nil, fmt.Errorf("there are %d exit codes, and the help tells %d", len(out), len(said))
	}
	for i, c := range out {
		if out[i].about = said[c.value]; out[i].about == "" {
			return nil, fmt.Errorf("the help does not tell the exit code %s, %s", c.value, c.name)
		}
	}
	return out, nil
}
