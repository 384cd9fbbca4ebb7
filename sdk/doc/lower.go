package doc

import "strings"

// Support says which part of the vocabulary a renderer understands. Paragraph,
// heading, list, table, quote, code and rule are understood always.
type Support struct {
	Version int    // highest SchemaVersion; there is one so far, so that nothing depends on it
	Blocks  []Kind // kinds understood beside those
}

// Knows reports whether a renderer with this support understands k.
func (s Support) Knows(k Kind) bool {
	switch k {
	case KindParagraph, KindHeading, KindList, KindTable, KindQuote, KindCode, KindRule:
		return true
	}
	for _, b := range s.Blocks {
		if b == k {
			return true
		}
	}
	return false
}

// Lower replaces every block that a renderer does not know by blocks that it
// does:
//
//	structured    code (json) of its output; without one, its fallback as raw_markdown
//	artifact_ref  paragraph: 📎, its text or caption as a link to the document, then what is still untold
//	diagram       mindmap, tree, list, items: list
//	              records, table: table
//	              youtube: paragraph with the address
//	              others, and bodies that do not have the form of their kind: code in that language
//	raw_markdown  code (markdown)
//	diff          code (diff)
//	callout       quote that begins with the title in bold
//	citations     for each item a paragraph "[label] title (url)", joined with its text, then the rest of it
//	media         paragraph: the image, its caption in the next line
//
// What a block shows as content stays. A block keeps its id where one block
// takes its place; blocks made anew stand below it, those before its first
// child as number 0. Blocks that need no change are shared with d, and d itself
// is returned when none does.
func Lower(d *Document, to Support) *Document {
	l := lowerer{}
	for _, k := range Kinds() {
		if !to.Knows(k) {
			l.foreign = append(l.foreign, k)
		}
	}
	blocks, changed := l.blocks(d.Blocks)
	if !changed {
		return d
	}
	out := *d
	out.Blocks = blocks
	return &out
}

type lowerer struct{ foreign []Kind }

func (l lowerer) knows(k Kind) bool {
	for _, f := range l.foreign {
		if f == k {
			return false
		}
	}
	return true
}

// blocks lowers bs. It returns bs itself and false when nothing changes.
func (l lowerer) blocks(bs []Block) ([]Block, bool) {
	var out []Block
	for i, b := range bs {
		low, changed := l.block(b)
		if changed && out == nil {
			out = append(make([]Block, 0, len(bs)+len(low)), bs[:i]...)
		}
		if changed {
			out = append(out, low...)
		} else if out != nil {
			out = append(out, b)
		}
	}
	if out == nil {
		return bs, false
	}
	return out, true
}

// block lowers b and what it holds.
func (l lowerer) block(b Block) ([]Block, bool) {
	switch b := b.(type) {
	case *List:
		items, changed := l.items(b.Items)
		if !changed {
			return nil, false
		}
		c := *b
		c.Items = items
		return []Block{&c}, true
	case *Quote:
		inner, changed := l.blocks(b.Blocks)
		if !changed {
			return nil, false
		}
		return []Block{&Quote{ID: b.ID, Blocks: inner}}, true
	case *Callout:
		inner, changed := l.blocks(b.Blocks)
		if !l.knows(KindCallout) {
			return []Block{callout(b, inner)}, true
		}
		if !changed {
			return nil, false
		}
		c := *b
		c.Blocks = inner
		return []Block{&c}, true
	case *Citations:
		return l.citations(b)
	}
	if l.knows(b.Kind()) {
		return nil, false
	}
	switch b := b.(type) {
	case *Structured:
		if b.Output == "" {
			raw := &RawMarkdown{ID: b.ID, Markdown: b.FallbackMarkdown}
			if l.knows(KindRawMarkdown) {
				return []Block{raw}, true
			}
			return []Block{rawMarkdown(raw)}, true
		}
		return []Block{&Code{ID: b.ID, Language: "json", Text: codeText(b.Output)}}, true
	case *ArtifactRef:
		return []Block{artifact(b)}, true
	case *Diagram:
		return []Block{diagram(b)}, true
	case *RawMarkdown:
		return []Block{rawMarkdown(b)}, true
	case *Diff:
		return []Block{&Code{ID: b.ID, Language: "diff", Text: codeText(b.Text)}}, true
	case *Media:
		return []Block{media(b)}, true
	}
	return nil, false
}

func (l lowerer) items(items []Item) ([]Item, bool) {
	var out []Item
	for i := range items {
		inner, changed := l.blocks(items[i].Blocks)
		if changed && out == nil {
			out = append([]Item(nil), items...)
		}
		if changed {
			out[i].Blocks = inner
		}
	}
	return out, out != nil
}

func (l lowerer) citations(b *Citations) ([]Block, bool) {
	known := l.knows(KindCitations)
	var items []Citation
	var flat []Block
	for i, it := range b.Items {
		inner, changed := l.blocks(it.Blocks)
		it.Blocks = inner
		if !known {
			flat = append(flat, citation(b.ID.Child(i+1), it)...)
			continue
		}
		if changed && items == nil {
			items = append([]Citation(nil), b.Items...)
		}
		if changed {
			items[i] = it
		}
	}
	switch {
	case !known:
		return flat, true
	case items == nil:
		return nil, false
	}
	return []Block{&Citations{ID: b.ID, Items: items}}, true
}

// citation writes one item as "[label] title (url)" and what it says.
func citation(id ID, it Citation) []Block {
	var ins []Inline
	space := func() {
		if len(ins) > 0 {
			ins = append(ins, &Text{Text: " "})
		}
	}
	if it.Label != "" {
		ins = append(ins, lines("["+it.Label+"]")...)
	}
	switch {
	case it.URL != "":
		space()
		ins = append(ins, &Link{Href: it.URL, Safe: SafeURL(it.URL), Children: lines(it.Title)})
	case it.Title != "":
		space()
		ins = append(ins, lines(it.Title)...)
	}
	if len(ins) == 0 {
		return it.Blocks
	}
	if len(it.Blocks) > 0 {
		if p, ok := it.Blocks[0].(*Paragraph); ok {
			space()
			first := &Paragraph{ID: p.ID, Inlines: append(ins, p.Inlines...)}
			return append([]Block{first}, it.Blocks[1:]...)
		}
	}
	return append([]Block{&Paragraph{ID: id.Child(0), Inlines: ins}}, it.Blocks...)
}

func callout(b *Callout, inner []Block) Block {
	if len(b.Title) == 0 {
		return &Quote{ID: b.ID, Blocks: inner}
	}
	title := &Paragraph{ID: b.ID.Child(0), Inlines: []Inline{&Strong{Children: b.Title}}}
	return &Quote{ID: b.ID, Blocks: append([]Block{title}, inner...)}
}

func rawMarkdown(b *RawMarkdown) Block {
	return &Code{ID: b.ID, Language: "markdown", Text: codeText(b.Markdown)}
}

func media(b *Media) Block {
	p := &Paragraph{ID: b.ID}
	if b.Source != "" || b.Alt != "" {
		p.Inlines = append(p.Inlines, &Image{Src: b.Source, Alt: b.Alt, Safe: SafeURL(b.Source)})
	}
	if b.Caption != "" {
		if len(p.Inlines) > 0 {
			p.Inlines = append(p.Inlines, &Break{Hard: true})
		}
		p.Inlines = append(p.Inlines, lines(b.Caption)...)
	}
	return p
}

func artifact(b *ArtifactRef) Block {
	href := b.Raw
	if !hasScheme(href, "vance") {
		href = "vance:" + escapePath("/"+strings.TrimPrefix(b.Path, "/"))
		if b.Project != "" {
			href = "vance://" + escapePath(b.Project) + strings.TrimPrefix(href, "vance:")
		}
	}
	label, caption := b.Text, b.Caption
	if label == "" {
		label, caption = caption, ""
	}
	if label == "" {
		label = b.Path
	}
	ins := []Inline{
		&Text{Text: "📎 "},
		&Link{Href: href, Safe: SafeURL(href), Children: lines(label)},
	}
	if caption != "" && caption != label {
		ins = append(append(ins, &Text{Text: " — "}), lines(caption)...)
	}
	if !strings.Contains(href, b.Path) && label != b.Path {
		// The address has it in percent-encoding, which few can read.
		ins = append(append(append(ins, &Text{Text: " ("}), lines(b.Path)...), &Text{Text: ")"})
	}
	return &Paragraph{ID: b.ID, Inlines: ins}
}

func hasScheme(href, scheme string) bool {
	return len(href) > len(scheme) && href[len(scheme)] == ':' && strings.EqualFold(href[:len(scheme)], scheme)
}

// escapePath writes a path so that it can stand in an address.
func escapePath(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-._~!$'*+,;=:@", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// lines is s as inlines: text has no newlines, so they become breaks.
func lines(s string) []Inline {
	var out []Inline
	for s != "" {
		line, rest, more := strings.Cut(s, "\n")
		if line != "" {
			out = append(out, &Text{Text: line})
		}
		if more {
			out = append(out, &Break{Hard: true})
		}
		s = rest
	}
	return out
}

// codeText is s as the text of code: without carriage returns and without the
// newline at its end.
func codeText(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.TrimSuffix(s, "\n")
}
