package compile

import (
	"fmt"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// dump prints a document as a small readable tree.
func dump(d *doc.Document) string {
	var w strings.Builder
	for _, b := range d.Blocks {
		dumpBlock(&w, b, 0)
	}
	for _, g := range d.Diagnostics {
		fmt.Fprintf(&w, "! %s", g.Code)
		if g.Block != "" {
			fmt.Fprintf(&w, " %s", g.Block)
		}
		w.WriteByte('\n')
	}
	return w.String()
}

func dumpBlock(w *strings.Builder, b doc.Block, depth int) {
	pad := strings.Repeat("  ", depth)
	line := func(format string, args ...any) {
		w.WriteString(pad + string(b.BlockID()) + " " + string(b.Kind()))
		if s := fmt.Sprintf(format, args...); s != "" {
			w.WriteString(" " + s)
		}
		w.WriteByte('\n')
	}
	children := func(bs []doc.Block, more int) {
		for _, c := range bs {
			dumpBlock(w, c, depth+more)
		}
	}
	switch b := b.(type) {
	case *doc.Heading:
		line("%d %s", b.Level, dumpInlines(b.Inlines))
	case *doc.Paragraph:
		line("%s", dumpInlines(b.Inlines))
	case *doc.List:
		if b.Ordered {
			line("from %d", b.Start)
		} else {
			line("")
		}
		for i, it := range b.Items {
			mark := "-"
			if b.Ordered {
				mark = fmt.Sprintf("%d.", b.Start+i)
			}
			fmt.Fprintf(w, "%s  %s\n", pad, strings.TrimSpace(mark+" "+it.Task.Mark()))
			children(it.Blocks, 2)
		}
	case *doc.Table:
		line("%q", b.Align)
		for _, row := range append([][]doc.Cell{b.Header}, b.Rows...) {
			var cells []string
			for _, c := range row {
				cells = append(cells, dumpInlines(c))
			}
			fmt.Fprintf(w, "%s  | %s\n", pad, strings.Join(cells, " | "))
		}
	case *doc.Quote:
		line("")
		children(b.Blocks, 1)
	case *doc.Code:
		line("%s", fields("language", b.Language, "filename", b.Filename, "meta", b.Meta, "text", b.Text))
	case *doc.Diff:
		line("%s %v", fields("text", b.Text), b.Files)
	case *doc.Diagram:
		line("%s", fields("kind", b.DiagramKind, "meta", b.Meta, "source", b.Source))
	case *doc.Callout:
		line("%s %s", b.Tone, dumpInlines(b.Title))
		children(b.Blocks, 1)
	case *doc.Citations:
		line("")
		for _, it := range b.Items {
			fmt.Fprintf(w, "%s  [%s] %s\n", pad, it.Label, fields("url", it.URL, "title", it.Title))
			children(it.Blocks, 2)
		}
	case *doc.Media:
		line("%s", fields("source", b.Source, "alt", b.Alt, "type", b.MediaType, "caption", b.Caption))
	case *doc.ArtifactRef:
		line("%s", fields("path", b.Path, "project", b.Project, "kind", b.ArtifactKind, "mode", b.Mode,
			"caption", b.Caption, "text", b.Text, "raw", b.Raw))
	case *doc.RawMarkdown:
		line("%s", fields("markdown", b.Markdown, "reason", b.Reason))
	default:
		line("")
	}
}

// fields prints the fields that are not empty.
func fields(pairs ...string) string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			s := pairs[i+1]
			if len(s) > 400 {
				s = s[:400] + "…"
			}
			out = append(out, fmt.Sprintf("%s=%q", pairs[i], s))
		}
	}
	return strings.Join(out, " ")
}

func dumpInlines(ins []doc.Inline) string {
	var out []string
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			out = append(out, fmt.Sprintf("%q", in.Text))
		case *doc.Strong:
			out = append(out, "strong("+dumpInlines(in.Children)+")")
		case *doc.Emphasis:
			out = append(out, "em("+dumpInlines(in.Children)+")")
		case *doc.Strikethrough:
			out = append(out, "strike("+dumpInlines(in.Children)+")")
		case *doc.Spoiler:
			out = append(out, "spoiler("+dumpInlines(in.Children)+")")
		case *doc.CodeSpan:
			name := "code"
			if in.Math {
				name = "math"
			}
			out = append(out, fmt.Sprintf("%s(%q)", name, in.Text))
		case *doc.Link:
			s := fmt.Sprintf("link(%q", in.Href)
			if in.Title != "" {
				s += fmt.Sprintf(" title=%q", in.Title)
			}
			if !in.Safe {
				s += " unsafe"
			}
			out = append(out, s+": "+dumpInlines(in.Children)+")")
		case *doc.Image:
			out = append(out, fmt.Sprintf("image(%s)", fields("src", in.Src, "alt", in.Alt, "title", in.Title)))
		case *doc.Break:
			if in.Hard {
				out = append(out, "hard")
			} else {
				out = append(out, "soft")
			}
		}
	}
	return strings.Join(out, " ")
}
