package compile

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// fence builds what the first word of an info string asks for.
func (b *builder) fence(sc *scope, n *ast.FencedCodeBlock) {
	info := ""
	if n.Info != nil {
		info = b.st.text[n.Info.Segment.Start:n.Info.Segment.Stop]
	}
	text := b.st.leaf(n.Lines())
	if strings.IndexByte(info, ' ') >= 0 && blank(text) {
		// More words than a language, and nothing else: a stray fence.
		b.paragraph(sc, `\`+"```"+info)
		return
	}
	b.code(sc, cleanWord(unescape(info)), text)
}

// code puts a block of code, by its info string. Code that shows nothing is left
// out, with a diagnostic.
func (b *builder) code(sc *scope, info, text string) {
	text = strings.TrimSuffix(text, "\n")
	word, meta := info, ""
	if i := strings.IndexAny(info, " \t"); i >= 0 {
		word, meta = info[:i], strings.TrimSpace(info[i:])
	}
	if blank(text) {
		b.note("empty_code", doc.Info, sc.around(), "a code block without text is not shown")
		return
	}
	id := sc.next()
	if word == "vak" {
		b.put(sc, b.card(id, meta, text))
		return
	}
	switch kind := strings.ToLower(word); kind {
	case "mermaid", "mindmap", "tree", "list", "items", "records", "table", "youtube":
		b.put(sc, &doc.Diagram{ID: id, DiagramKind: kind, Meta: meta, Source: text})
	case "diff", "patch":
		b.put(sc, &doc.Diff{ID: id, Text: text, Files: diffFiles(text)})
	default:
		c := &doc.Code{ID: id, Language: word, Meta: meta, Text: text, Filename: filename(meta)}
		if lang, file, ok := strings.Cut(word, ":"); ok && c.Filename == "" && lang != "" && strings.ContainsAny(file, "./") {
			c.Language, c.Filename = lang, file
		}
		b.put(sc, c)
	}
}

// filename finds what meta calls the file: title="x.go", filename=x or file=x.
func filename(meta string) string {
	for s := meta; s != ""; {
		s = strings.TrimLeft(s, " \t,{}")
		key := s
		if i := strings.IndexAny(s, "= \t,"); i >= 0 {
			key = s[:i]
		}
		s = s[len(key):]
		if !strings.HasPrefix(s, "=") {
			if s != "" {
				s = s[1:]
			}
			continue
		}
		s = s[1:]
		var value string
		if s != "" && (s[0] == '"' || s[0] == '\'') {
			quote := s[0]
			s = s[1:]
			if i := strings.IndexByte(s, quote); i >= 0 {
				value, s = s[:i], s[i+1:]
			} else {
				value, s = s, ""
			}
		} else if i := strings.IndexAny(s, " \t,}"); i >= 0 {
			value, s = s[:i], s[i:]
		} else {
			value, s = s, ""
		}
		switch strings.ToLower(key) {
		case "title", "filename", "file":
			return value
		}
	}
	return ""
}
