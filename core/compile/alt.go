package compile

import (
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// visible reports whether ins show anything.
func visible(ins []doc.Inline) bool {
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			if !blank(in.Text) {
				return true
			}
		case *doc.Break:
		case *doc.Strong:
			if visible(in.Children) {
				return true
			}
		case *doc.Emphasis:
			if visible(in.Children) {
				return true
			}
		case *doc.Strikethrough:
			if visible(in.Children) {
				return true
			}
		case *doc.Spoiler:
			if visible(in.Children) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// altText is the text of ins, and the targets of links that it hides.
func altText(ins []doc.Inline) string {
	if len(ins) == 1 {
		if t, ok := ins[0].(*doc.Text); ok {
			return t.Text
		}
	}
	var out strings.Builder
	writeAlt(&out, ins)
	return out.String()
}

func writeAlt(out *strings.Builder, ins []doc.Inline) {
	for _, in := range ins {
		switch in := in.(type) {
		case *doc.Text:
			out.WriteString(in.Text)
		case *doc.CodeSpan:
			out.WriteString(in.Text)
		case *doc.Break:
			out.WriteByte(' ')
		case *doc.Strong:
			writeAlt(out, in.Children)
		case *doc.Emphasis:
			writeAlt(out, in.Children)
		case *doc.Strikethrough:
			writeAlt(out, in.Children)
		case *doc.Spoiler:
			writeAlt(out, in.Children)
		case *doc.Link:
			writeAlt(out, in.Children)
			if !in.Bare() {
				out.WriteString(" (" + in.Href + ")")
			} else if len(in.Children) == 0 {
				out.WriteString(in.Href)
			}
		case *doc.Image:
			out.WriteString(in.Alt)
			if in.Src != "" {
				if _, _, data := doc.DataURI(in.Src); !data {
					out.WriteString(" (" + in.Src + ")")
				}
			}
		}
	}
}
