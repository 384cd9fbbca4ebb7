package compile

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// markup builds a block of HTML.
func (b *builder) markup(sc *scope, n *htmlNode) {
	s := b.st.leaf(n.Lines())
	switch n.kind {
	case htmlComment:
		if end := commentEnd(s, 0); end >= 0 {
			b.comment(sc.around())
			b.paragraph(sc, strings.TrimSpace(s[end:]))
			return
		}
		// The end stands outside of the container: not a comment.
		b.paragraph(sc, strings.TrimSpace(s))
	case htmlRaw:
		if n.end != "pre" {
			b.code(sc, "html", s)
			return
		}
		b.html(sc, s)
	default:
		b.html(sc, s)
	}
}

// A markupBuilder walks over the block tags of HTML. What stands between two of
// them is parsed as a paragraph is, inline tags and markdown alike.
type markupBuilder struct {
	b     *builder
	s     string
	from  int // start of the run
	level int // of the heading that the run belongs to, or 0
	title bool
	stack []htmlFrame
	table *htmlTable
}

// An htmlFrame is an open list, item or quote.
type htmlFrame struct {
	act   tagAct
	scope *scope // where its blocks go
	outer *scope // where it goes itself
	mark  int
	list  *doc.List
}

// html builds the blocks of s.
func (b *builder) html(sc *scope, s string) {
	m := &markupBuilder{b: b, s: s, stack: []htmlFrame{{scope: sc}}}
	ends := map[string]bool{}
	for i := 0; i < len(s) && !b.stopped(); {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		i += n
		if strings.HasPrefix(s[i:], "<!--") {
			end := -1
			if !ends["-->"] {
				end = commentEnd(s, i)
			}
			if end < 0 {
				ends["-->"] = true
				end = i + 4
			}
			i = end
			continue
		}
		t, end := readTag(s, i)
		switch {
		case end < 0:
			i++
			continue
		case t.act == actCode && !t.end:
			if _, to := indexEndTag(s[end:], t.name); to >= 0 && !ends[t.name] {
				end += to
			} else {
				ends[t.name] = true
			}
			fallthrough
		case !t.act.block():
			i = end
			continue
		}
		m.run(i)
		m.from = end
		if t.act == actPre && !t.end {
			end = m.pre(end, ends)
			m.from = end
		} else {
			m.tag(t)
		}
		i = end
	}
	m.run(len(s))
	for len(m.stack) > 1 {
		m.pop()
	}
	m.endTable()
}

// scope is where blocks go. In a list that is an item: what stands in none of
// its own gets one.
func (m *markupBuilder) scope() *scope {
	if m.stack[len(m.stack)-1].act == actList {
		m.push(tag{act: actItem})
	}
	return m.stack[len(m.stack)-1].scope
}

// run puts what stands before a block tag.
func (m *markupBuilder) run(end int) {
	text := strings.TrimSpace(m.s[m.from:end])
	level, title := m.level, m.title
	m.level, m.title = 0, false
	if text == "" {
		return
	}
	sc := m.scope()
	ins := m.b.inlinesIn(sc, text)
	switch {
	case ins == nil:
	case m.table != nil:
		if len(m.table.cell) > 0 {
			m.table.cell = append(m.table.cell, softBreak)
		}
		m.table.cell = append(m.table.cell, ins...)
		m.table.open = true
	case title:
		sc.details[len(sc.details)-1].callout.Title = ins
	case level > 0:
		m.b.put(sc, &doc.Heading{ID: sc.next(), Level: level, Inlines: ins})
	default:
		m.b.putInlines(sc, ins)
	}
}

func (m *markupBuilder) tag(t tag) {
	if m.table != nil {
		m.tableTag(t)
		return
	}
	switch t.act {
	case actHeading:
		if !t.end {
			m.level = int(t.name[1] - '0')
		}
	case actRule:
		sc := m.scope()
		m.b.put(sc, &doc.Rule{ID: sc.next()})
	case actTable:
		if !t.end {
			m.table = &htmlTable{}
		}
	case actDetails:
		if t.end {
			m.popTo(actDetails)
			m.b.closeDetails(m.stack[len(m.stack)-1].scope)
		} else {
			m.b.openDetails(m.scope())
		}
	case actSummary:
		sc := m.stack[len(m.stack)-1].scope
		m.title = !t.end && sc.ignored == 0 && len(sc.details) > 0 &&
			sc.details[len(sc.details)-1].callout.Title == nil && sc.n == 0
	case actList, actQuote, actItem:
		if t.end {
			m.popTo(t.act)
		} else {
			m.push(t)
		}
	}
}

// push opens a list, an item or a quote, unless it nests too deeply.
func (m *markupBuilder) push(t tag) {
	top := &m.stack[len(m.stack)-1]
	if t.act == actItem {
		if top.act == actItem {
			m.pop()
			top = &m.stack[len(m.stack)-1]
		}
		if top.act != actList || !m.b.count(1) {
			return // an item of no list is a paragraph
		}
		in := top.outer.inner(top.list.ID + doc.ID("."+strconv.Itoa(len(top.list.Items)+1)))
		in.extra++
		m.stack = append(m.stack, htmlFrame{act: actItem, scope: &in, mark: len(m.b.stack), list: top.list})
		return
	}
	sc := m.scope()
	if sc.extra >= maxFrames {
		return
	}
	f := htmlFrame{act: t.act, outer: sc, mark: len(m.b.stack)}
	in := sc.inner(sc.next())
	in.extra++
	f.scope = &in
	if t.act == actList {
		f.list = &doc.List{ID: sc.next(), Ordered: t.name == "ol"}
		if f.list.Ordered {
			f.list.Start = 1
			if v, ok := t.attr("start"); ok {
				if n, err := strconv.Atoi(v); err == nil && n >= 0 && n <= 999_999_999 {
					f.list.Start = n
				}
			}
		}
	}
	m.stack = append(m.stack, f)
}

// popTo closes frames up to the last one of that act, if there is one.
func (m *markupBuilder) popTo(act tagAct) {
	if act == actDetails {
		// Only if there is one: a stray end tag closes nothing.
		i := len(m.stack) - 1
		for i > 0 && len(m.stack[i].scope.details) == 0 && m.stack[i].scope.ignored == 0 {
			i--
		}
		if sc := m.stack[i].scope; len(sc.details) > 0 || sc.ignored > 0 {
			for len(m.stack)-1 > i {
				m.pop()
			}
		}
		return
	}
	for i := len(m.stack) - 1; i > 0; i-- {
		if m.stack[i].act == act {
			for len(m.stack) > i {
				m.pop()
			}
			return
		}
	}
}

func (m *markupBuilder) pop() {
	f := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	m.b.closeScope(f.scope)
	blocks := m.b.take(f.mark)
	switch f.act {
	case actItem:
		f.list.Items = append(f.list.Items, doc.Item{Blocks: blocks})
	case actList:
		if len(f.list.Items) > 0 {
			m.b.put(f.outer, f.list)
		}
	case actQuote:
		if blocks != nil {
			m.b.put(f.outer, &doc.Quote{ID: f.outer.next(), Blocks: blocks})
		}
	}
}

// pre puts the code from i on to </pre> and returns the offset behind that.
func (m *markupBuilder) pre(i int, ends map[string]bool) int {
	if ends["pre"] {
		return i
	}
	from, to := indexEndTag(m.s[i:], "pre")
	if from < 0 {
		ends["pre"] = true
		return i
	}
	text := strings.TrimPrefix(m.s[i:i+from], "\n")
	language := ""
	if t, end := readTag(text, 0); strings.HasPrefix(text, "<code") && end > 0 {
		class, _ := t.attr("class")
		for _, c := range strings.Fields(class) {
			if l, ok := strings.CutPrefix(c, "language-"); ok {
				language = l
			}
		}
	}
	if m.table != nil {
		if text = oneLine(textOfHTML(text)); !blank(text) {
			m.table.cell = append(m.table.cell, &doc.CodeSpan{Text: text})
			m.b.count(1)
			m.table.open = true
		}
	} else if language == "vak" {
		m.b.code(m.scope(), "", textOfHTML(text)) // a card comes from a fence only
	} else {
		m.b.code(m.scope(), language, textOfHTML(text))
	}
	return i + to
}
