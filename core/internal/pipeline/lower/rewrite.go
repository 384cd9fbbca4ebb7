package lower

import "github.com/seed-1ae66336/vak/sdk/doc"

// rewrite returns blocks with others in place of every card, also of those within
// other blocks, and whether there are any. replace says false of a card that
// stays; alone says that nothing stands beside it in what holds it.
func rewrite(in []doc.Block, replace func(c *doc.Structured, alone bool) ([]doc.Block, bool)) ([]doc.Block, bool) {
	return rewriteIn(in, false, replace)
}

func rewriteIn(in []doc.Block, held bool, replace func(*doc.Structured, bool) ([]doc.Block, bool)) ([]doc.Block, bool) {
	var out []doc.Block
	changed := false
	for i, b := range in {
		var by []doc.Block
		ok := false
		if c, is := b.(*doc.Structured); is {
			by, ok = replace(c, held && len(in) == 1)
		} else if c, is := within(b, replace); is {
			by, ok = []doc.Block{c}, true
		}
		if ok && !changed {
			out, changed = append(make([]doc.Block, 0, len(in)+len(by)), in[:i]...), true
		}
		switch {
		case ok:
			out = append(out, by...)
		case changed:
			out = append(out, b)
		}
	}
	if !changed {
		return in, false
	}
	return out, true
}

// within rewrites what b holds, in a copy.
func within(b doc.Block, replace func(*doc.Structured, bool) ([]doc.Block, bool)) (doc.Block, bool) {
	switch b := b.(type) {
	case *doc.Quote:
		inner, changed := rewriteIn(b.Blocks, true, replace)
		return &doc.Quote{ID: b.ID, Blocks: inner}, changed
	case *doc.Callout:
		c := *b
		inner, changed := rewriteIn(b.Blocks, true, replace)
		c.Blocks = inner
		return &c, changed
	case *doc.List:
		c, any := *b, false
		for i := range b.Items {
			inner, changed := rewriteIn(b.Items[i].Blocks, true, replace)
			if changed && !any {
				c.Items, any = append([]doc.Item(nil), b.Items...), true
			}
			if changed {
				c.Items[i].Blocks = inner
			}
		}
		return &c, any
	case *doc.Citations:
		c, any := *b, false
		for i := range b.Items {
			inner, changed := rewriteIn(b.Items[i].Blocks, true, replace)
			if changed && !any {
				c.Items, any = append([]doc.Citation(nil), b.Items...), true
			}
			if changed {
				c.Items[i].Blocks = inner
			}
		}
		return &c, any
	}
	return nil, false
}
