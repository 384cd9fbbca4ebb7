package doc

// blocks reads an array of blocks.
func (p *parser) blocks(dst *[]Block, field string) {
	if !p.list(*dst != nil) {
		return
	}
	from := len(p.blockStack)
	for n := 0; p.more(n, ']'); n++ {
		b := p.block()
		p.at(field, n)
		p.blockStack = append(p.blockStack, b)
	}
	if n := len(p.blockStack) - from; n > 0 && p.err == nil {
		*dst = p.blockSlab.take(n)
		copy(*dst, p.blockStack[from:])
	}
	p.blockStack = p.blockStack[:from]
}

func (p *parser) block() (b Block) {
	p.enter()
	p.open('{')
	kind, n := p.kind()
	if p.err != nil {
		return nil
	}
	switch Kind(kind) {
	case KindHeading:
		b = p.heading(n)
	case KindParagraph:
		b = p.paragraph(n)
	case KindList:
		b = p.listBlock(n)
	case KindTable:
		b = p.table(n)
	case KindQuote:
		b = p.quote(n)
	case KindCode:
		b = p.code(n)
	case KindDiff:
		b = p.diff(n)
	case KindDiagram:
		b = p.diagram(n)
	case KindCallout:
		b = p.callout(n)
	case KindCitations:
		b = p.citations(n)
	case KindMedia:
		b = p.media(n)
	case KindArtifactRef:
		b = p.artifact(n)
	case KindStructured:
		b = p.structured(n)
	case KindRule:
		b = p.rule(n)
	case KindRawMarkdown:
		b = p.raw(n)
	default:
		p.unknown(kind)
		return nil
	}
	p.depth--
	if p.err == nil && b.BlockID() == "" {
		p.fail(ErrInvalid, "a block without an id")
	}
	return b
}

func (p *parser) heading(n int) *Heading {
	b := &Heading{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "level":
			p.number(&b.Level, "level")
		case "inlines":
			p.inlines(&b.Inlines, "inlines")
		default:
			p.skip()
		}
	}
	if b.Level < 1 || b.Level > 6 {
		p.fail(ErrInvalid, "level is not 1 to 6")
	}
	return b
}

func (p *parser) paragraph(n int) *Paragraph {
	b := p.paragraphs.new()
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "inlines":
			p.inlines(&b.Inlines, "inlines")
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) listBlock(n int) *List {
	b := &List{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "ordered":
			p.flag(&b.Ordered, "ordered")
		case "start":
			p.number(&b.Start, "start")
		case "items":
			p.items(&b.Items)
		default:
			p.skip()
		}
	}
	if b.Start != 0 && !b.Ordered {
		p.fail(ErrInvalid, "start of a list that is not ordered")
	}
	for i := 0; i < len(b.Items) && p.err == nil; i++ {
		p.below(b.ID, b.Items[i].Blocks, "blocks")
		p.at("items", i)
	}
	return b
}

func (p *parser) items(dst *[]Item) {
	if !p.list(*dst != nil) {
		return
	}
	for n := 0; p.more(n, ']'); n++ {
		p.node()
		var it Item
		p.open('{')
		for m := 0; p.more(m, '}'); m++ {
			switch p.key() {
			case "task":
				if s, ok := p.word("task"); ok {
					if it.Task = Task(s); it.Task != NoTask && it.Task.Mark() == "" {
						p.fail(ErrInvalid, "unknown state of a task")
					}
				}
			case "blocks":
				p.blocks(&it.Blocks, "blocks")
			default:
				p.skip()
			}
		}
		p.at("items", n)
		*dst = append(*dst, it)
	}
}

func (p *parser) table(n int) *Table {
	b := &Table{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "align":
			p.aligns(&b.Align)
		case "header":
			p.row(&b.Header, "header")
		case "rows":
			if !p.list(b.Rows != nil) {
				continue
			}
			for m := 0; p.more(m, ']'); m++ {
				p.node()
				var r []Cell
				p.exact = false
				p.row(&r, "")
				p.at("rows", m)
				b.Rows = append(b.Rows, r)
			}
		default:
			p.skip()
		}
	}
	switch {
	case len(b.Align) == len(b.Header):
	case len(b.Align) == 0: // none of them, which Append leaves out
		b.Align = make([]Align, len(b.Header))
	default:
		p.fail(ErrInvalid, "not one alignment for each header cell")
	}
	return b
}

func (p *parser) aligns(dst *[]Align) {
	if !p.list(*dst != nil) {
		return
	}
	for n := 0; p.more(n, ']'); n++ {
		p.node()
		s, _ := p.word("")
		a := Align(s)
		switch a {
		case AlignNone, AlignLeft, AlignCenter, AlignRight:
		default:
			p.fail(ErrInvalid, "unknown alignment")
		}
		p.at("align", n)
		*dst = append(*dst, a)
	}
}

func (p *parser) row(dst *[]Cell, field string) {
	if !p.list(*dst != nil) {
		return
	}
	for n := 0; p.more(n, ']'); n++ {
		p.node()
		var c []Inline
		p.exact = false
		p.inlines(&c, "")
		p.at(field, n)
		*dst = append(*dst, c)
	}
}

func (p *parser) quote(n int) *Quote {
	b := &Quote{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "blocks":
			p.blocks(&b.Blocks, "blocks")
		default:
			p.skip()
		}
	}
	p.below(b.ID, b.Blocks, "blocks")
	return b
}

func (p *parser) code(n int) *Code {
	b := &Code{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "language":
			p.text(&b.Language, "language")
		case "filename":
			p.text(&b.Filename, "filename")
		case "meta":
			p.text(&b.Meta, "meta")
		case "text":
			p.text(&b.Text, "text")
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) diff(n int) *Diff {
	b := &Diff{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "text":
			p.text(&b.Text, "text")
		case "files":
			p.files(&b.Files)
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) files(dst *[]DiffFile) {
	if !p.list(*dst != nil) {
		return
	}
	for n := 0; p.more(n, ']'); n++ {
		p.node()
		var f DiffFile
		p.open('{')
		for m := 0; p.more(m, '}'); m++ {
			switch p.key() {
			case "old":
				p.text(&f.Old, "old")
			case "new":
				p.text(&f.New, "new")
			case "additions":
				p.number(&f.Additions, "additions")
			case "deletions":
				p.number(&f.Deletions, "deletions")
			default:
				p.skip()
			}
		}
		p.at("files", n)
		*dst = append(*dst, f)
	}
}

func (p *parser) diagram(n int) *Diagram {
	b := &Diagram{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "kind":
			p.text(&b.DiagramKind, "kind")
		case "meta":
			p.text(&b.Meta, "meta")
		case "source":
			p.text(&b.Source, "source")
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) callout(n int) *Callout {
	b := &Callout{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "tone":
			if s, ok := p.word("tone"); ok {
				b.Tone = Tone(s)
				switch b.Tone {
				case "", ToneNeutral, ToneAccent, ToneInfo, ToneSuccess, ToneWarning, ToneDanger:
				default:
					p.fail(ErrInvalid, "unknown tone")
				}
			}
		case "title":
			p.inlines(&b.Title, "title")
		case "blocks":
			p.blocks(&b.Blocks, "blocks")
		default:
			p.skip()
		}
	}
	p.below(b.ID, b.Blocks, "blocks")
	return b
}

func (p *parser) citations(n int) *Citations {
	b := &Citations{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "items":
			if !p.list(b.Items != nil) {
				continue
			}
			for m := 0; p.more(m, ']'); m++ {
				it := p.citation()
				p.at("items", m)
				b.Items = append(b.Items, it)
			}
		default:
			p.skip()
		}
	}
	for i := 0; i < len(b.Items) && p.err == nil; i++ {
		p.below(b.ID, b.Items[i].Blocks, "blocks")
		p.at("items", i)
	}
	return b
}

func (p *parser) citation() (it Citation) {
	p.node()
	p.open('{')
	for n := 0; p.more(n, '}'); n++ {
		switch p.key() {
		case "label":
			p.text(&it.Label, "label")
		case "url":
			p.text(&it.URL, "url")
		case "title":
			p.text(&it.Title, "title")
		case "blocks":
			p.blocks(&it.Blocks, "blocks")
		default:
			p.skip()
		}
	}
	return it
}

func (p *parser) media(n int) *Media {
	b := &Media{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "source":
			p.text(&b.Source, "source")
		case "alt":
			p.text(&b.Alt, "alt")
		case "media_type":
			p.text(&b.MediaType, "media_type")
		case "caption":
			p.text(&b.Caption, "caption")
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) artifact(n int) *ArtifactRef {
	b := &ArtifactRef{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "path":
			p.text(&b.Path, "path")
		case "project":
			p.text(&b.Project, "project")
		case "kind":
			p.text(&b.ArtifactKind, "kind")
		case "mode":
			p.text(&b.Mode, "mode")
		case "caption":
			p.text(&b.Caption, "caption")
		case "text":
			p.text(&b.Text, "text")
		case "raw":
			p.text(&b.Raw, "raw")
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) structured(n int) *Structured {
	b := &Structured{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "output":
			p.text(&b.Output, "output")
		case "fallback_markdown":
			p.text(&b.FallbackMarkdown, "fallback_markdown")
		default:
			p.skip()
		}
	}
	return b
}

func (p *parser) rule(n int) *Rule {
	b := &Rule{}
	for ; p.more(n, '}'); n++ {
		if p.key() == "id" {
			p.id(&b.ID)
		} else {
			p.skip()
		}
	}
	return b
}

func (p *parser) raw(n int) *RawMarkdown {
	b := &RawMarkdown{}
	for ; p.more(n, '}'); n++ {
		switch p.key() {
		case "id":
			p.id(&b.ID)
		case "markdown":
			p.text(&b.Markdown, "markdown")
		case "reason":
			p.text(&b.Reason, "reason")
		default:
			p.skip()
		}
	}
	return b
}
