package template

import "github.com/seed-1ae66336/vak/sdk/doc"

// childrenOf are the inlines within an inline.
func childrenOf(in doc.Inline) []doc.Inline {
	switch in := in.(type) {
	case *doc.Strong:
		return in.Children
	case *doc.Emphasis:
		return in.Children
	case *doc.Strikethrough:
		return in.Children
	case *doc.Spoiler:
		return in.Children
	case *doc.Link:
		return in.Children
	}
	return nil
}

// with is in with other children. It is one that has some.
func with(in doc.Inline, children []doc.Inline) doc.Inline {
	switch in := in.(type) {
	case *doc.Strong:
		return &doc.Strong{Children: children}
	case *doc.Emphasis:
		return &doc.Emphasis{Children: children}
	case *doc.Strikethrough:
		return &doc.Strikethrough{Children: children}
	case *doc.Spoiler:
		return &doc.Spoiler{Children: children}
	case *doc.Link:
		out := *in
		out.Children = children
		return &out
	}
	return in
}

// inlinesOf are the lines of inlines that a block holds itself.
func inlinesOf(b doc.Block) [][]doc.Inline {
	switch b := b.(type) {
	case *doc.Heading:
		return [][]doc.Inline{b.Inlines}
	case *doc.Paragraph:
		return [][]doc.Inline{b.Inlines}
	case *doc.Callout:
		return [][]doc.Inline{b.Title}
	case *doc.Table:
		var out [][]doc.Inline
		for _, c := range b.Header {
			out = append(out, c)
		}
		for _, row := range b.Rows {
			for _, c := range row {
				out = append(out, c)
			}
		}
		return out
	}
	return nil
}

// blocksOf are the places of blocks within a block.
func blocksOf(b doc.Block) [][]doc.Block {
	switch b := b.(type) {
	case *doc.List:
		var out [][]doc.Block
		for i := range b.Items {
			out = append(out, b.Items[i].Blocks)
		}
		return out
	case *doc.Quote:
		return [][]doc.Block{b.Blocks}
	case *doc.Callout:
		return [][]doc.Block{b.Blocks}
	case *doc.Citations:
		var out [][]doc.Block
		for i := range b.Items {
			out = append(out, b.Items[i].Blocks)
		}
		return out
	}
	return nil
}

// below is a copy of blocks whose ids stand below id.
func below(id doc.ID, blocks []doc.Block) []doc.Block {
	if blocks == nil {
		return nil
	}
	out := make([]doc.Block, len(blocks))
	for i, b := range blocks {
		out[i] = moved(id, b)
	}
	return out
}

func moved(id doc.ID, b doc.Block) doc.Block {
	at := func(old doc.ID) doc.ID { return id + "." + old }
	switch b := b.(type) {
	case *doc.Heading:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Paragraph:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.List:
		c := *b
		c.ID = at(c.ID)
		c.Items = make([]doc.Item, len(b.Items))
		for i, item := range b.Items {
			c.Items[i] = doc.Item{Task: item.Task, Blocks: below(id, item.Blocks)}
		}
		return &c
	case *doc.Table:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Quote:
		return &doc.Quote{ID: at(b.ID), Blocks: below(id, b.Blocks)}
	case *doc.Code:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Diff:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Diagram:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Callout:
		c := *b
		c.ID = at(c.ID)
		c.Blocks = below(id, b.Blocks)
		return &c
	case *doc.Citations:
		c := *b
		c.ID = at(c.ID)
		c.Items = make([]doc.Citation, len(b.Items))
		for i, item := range b.Items {
			c.Items[i] = item
			c.Items[i].Blocks = below(id, item.Blocks)
		}
		return &c
	case *doc.Media:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.ArtifactRef:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Structured:
		c := *b
		c.ID = at(c.ID)
		return &c
	case *doc.Rule:
		return &doc.Rule{ID: at(b.ID)}
	case *doc.RawMarkdown:
		c := *b
		c.ID = at(c.ID)
		return &c
	}
	panic("a kind of block that there is not")
}
