package acceptance

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM))

// readGFM reads a message as any receiver with a GFM parser does, which is
// goldmark without anything of ours.
func readGFM(s string) reading {
	var r reading
	source := []byte(s)
	var walk func(n ast.Node, st style, href string)
	children := func(n ast.Node, st style, href string) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			walk(c, st, href)
		}
	}
	lines := func(n ast.Node) string {
		var out []byte
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			out = append(out, seg.Value(source)...)
		}
		return string(out)
	}
	walk = func(n ast.Node, st style, href string) {
		switch n := n.(type) {
		case *ast.Text:
			r.add(unescaped(n.Value(source)), st, href, "")
			if n.SoftLineBreak() || n.HardLineBreak() {
				r.add("\n", st, href, "")
			}
			return
		case *ast.String:
			r.add(string(n.Value), st, href, "")
			return
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					r.add(string(t.Segment.Value(source)), st|code, href, "")
				}
			}
			return
		case *ast.Emphasis:
			children(n, st|map[int]style{1: italic, 2: bold}[n.Level], href)
			return
		case *east.Strikethrough:
			children(n, st|struck, href)
			return
		case *ast.Link:
			children(n, st, string(n.Destination))
			return
		case *ast.Image:
			children(n, st, string(n.Destination))
			return
		case *ast.AutoLink:
			u := string(n.URL(source))
			r.add(string(n.Label(source)), st, u, "")
			return
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				seg := n.Segments.At(i)
				r.wrong("raw HTML: %.30q", seg.Value(source))
			}
			return
		case *ast.HTMLBlock:
			r.wrong("a block of HTML: %.30q", lines(n))
			return
		case *ast.FencedCodeBlock:
			r.add(strings.TrimSuffix(lines(n), "\n"), st|pre, "", string(n.Language(source)))
			r.add("\n", st, "", "")
			return
		case *ast.CodeBlock:
			r.wrong("indented code: %.30q", lines(n))
			return
		case *east.TaskCheckBox:
			r.add(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked], st, "", "")
			return
		case *ast.Heading:
			children(n, st|bold, href)
		case *ast.Blockquote:
			children(n, st|quoted, href)
		case *ast.ListItem:
			if l := n.Parent().(*ast.List); l.IsOrdered() {
				at := l.Start
				for p := n.PreviousSibling(); p != nil; p = p.PreviousSibling() {
					at++
				}
				r.add(strconv.Itoa(at)+". ", st, "", "")
			}
			children(n, st, href)
		default:
			children(n, st, href)
		}
		if n.Type() == ast.TypeBlock {
			r.add("\n", st, "", "")
		}
	}
	walk(gfm.Parser().Parse(text.NewReader(source)), 0, "")
	return r
}

// unescaped resolves backslashes and entities, which goldmark leaves to its
// HTML writer.
func unescaped(b []byte) string {
	return gfmEscape.ReplaceAllStringFunc(string(b), func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return html.UnescapeString(s)
	})
}

var gfmEscape = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
