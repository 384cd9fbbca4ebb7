package protodoc

import (
	"fmt"
	"strings"
)

// page is the protocol for people.
func page(files []file) string {
	var b strings.Builder
	b.WriteString(`# The protocol

<!-- Made from the comments of sdk/proto/vak/v1 by "make gen"; change those. -->

Who writes a plugin in Go with ` + "`sdk/surface`" + ` needs nothing of this page. It is for those who want to know what crosses
between host and plugin, or write a plugin in another language.

`)
	known := map[string]bool{}
	for _, f := range files {
		for _, d := range f.decls {
			known[d.name] = true
		}
	}
	for _, f := range files {
		fmt.Fprintf(&b, "## %s\n\n%s\n", f.name, strings.Join(lines(f.about), "\n"))
		for _, d := range f.decls {
			if d.service {
				service(&b, d, known)
			} else {
				message(&b, d, known)
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func service(b *strings.Builder, d decl, known map[string]bool) {
	fmt.Fprintf(b, "\n### Service `%s`\n\n%s\n\n", d.name, sentence(d.about))
	for _, m := range d.members {
		stream := ""
		if m.outStream {
			stream = "stream of "
		}
		fmt.Fprintf(b, "- **`%s`** (%s) → %s%s\n  %s\n", m.name, link(m.in, known), stream, link(m.out, known), sentence(m.about))
	}
}

func message(b *strings.Builder, d decl, known map[string]bool) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s", d.name, sentence(d.about))
	if len(d.members) == 0 {
		b.WriteString(" It has no fields.\n")
		return
	}
	b.WriteString("\n\n| field | type | meaning |\n| --- | --- | --- |\n")
	for _, m := range d.members {
		kind, of, many := strings.Cut(m.typ, " ")
		if many {
			kind += " " + link(of, known)
		} else {
			kind = link(kind, known)
		}
		fmt.Fprintf(b, "| `%s` = %s | %s | %s |\n", m.name, m.number, kind, strings.ReplaceAll(sentence(m.about), "|", `\|`))
	}
}

// link names a type, and leads to it if the page has it.
func link(name string, known map[string]bool) string {
	if known[name] {
		return fmt.Sprintf("[`%s`](#%s)", name, strings.ToLower(name))
	}
	return name
}

// sentence is a comment in one line.
func sentence(comment []string) string {
	return strings.Join(strings.Fields(strings.Join(comment, " ")), " ")
}

// lines is a comment as markdown: what is a list in a Go comment is indented by
// two, and in markdown by none.
func lines(comment []string) []string {
	out := make([]string, len(comment))
	for i, l := range comment {
		if rest, ok := strings.CutPrefix(l, "  "); ok {
			l = rest
			if !strings.HasPrefix(l, "- ") {
				l = "  " + strings.TrimLeft(l, " ")
			}
		}
		out[i] = strings.TrimRight(l, " ")
	}
	return out
}
