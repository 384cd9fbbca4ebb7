package card

import (
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What is made of texts, asides and lists.

func (l *lowerer) text(p *place, b Text) {
	for _, ins := range l.split(b.Text) {
		l.paragraph(p, l.emphasis(ins, b.Emphasis))
	}
}

func (l *lowerer) callout(p *place, b Callout, children []Node, level, depth int) {
	title := l.line(b.Title)
	if len(title) == 0 {
		title = l.line(l.w.tone(b.Tone))
	}
	inner := &place{id: p.next()}
	l.paragraphs(inner, b.Text)
	l.children(inner, children, level, depth)
	if len(inner.blocks) == 0 && b.Title == "" {
		return
	}
	l.parts++
	p.add(&doc.Callout{ID: inner.id, Tone: b.Tone.inDocument(), Title: title, Blocks: inner.blocks})
}

// inDocument is the tone as documents name it; of what is no tone there is none.
func (t Tone) inDocument() doc.Tone {
	switch t {
	case Neutral, Accent, Info, Success, Warning, Danger:
		return doc.Tone(t)
	}
	return ""
}

func (l *lowerer) error(p *place, b Error) {
	title := l.w.err
	if b.Title != "" && !strings.EqualFold(b.Title, title) {
		title += ": " + b.Title
	}
	l.callout(p, Callout{Tone: Danger, Title: title, Text: b.Text}, nil, 0, 0)
}

func (l *lowerer) empty(p *place, b Empty) {
	if b.Text == "" {
		l.said(p, l.w.empty)
	}
	l.text(p, Text{Text: b.Text, Emphasis: Subtle})
}

func (l *lowerer) quote(p *place, b Quote, children []Node, level, depth int) {
	inner := &place{id: p.next()}
	l.paragraphs(inner, b.Text)
	l.children(inner, children, level, depth)
	if source := l.link(b.URL, b.Source); len(source) > 0 {
		l.paragraph(inner, join(l.line("— "), source))
	}
	if len(inner.blocks) > 0 {
		l.parts++
		p.add(&doc.Quote{ID: inner.id, Blocks: inner.blocks})
	}
}

// entries adds a list of n entries. f makes the blocks of one and says what is to
// be done with it; an entry without either is left out, unless it has a number.
func (l *lowerer) entries(p *place, ordered bool, n int, f func(i int, p *place) doc.Task) {
	list := &doc.List{ID: p.next(), Ordered: ordered}
	if ordered {
		list.Start = 1
	}
	shown := l.each(n, func(i int) {
		item := &place{id: list.ID.Child(len(list.Items) + 1)}
		task := f(i, item)
		if len(item.blocks) > 0 || ordered || task != doc.NoTask {
			l.parts++
			list.Items = append(list.Items, doc.Item{Task: task, Blocks: item.blocks})
		}
	})
	if len(list.Items) > 0 {
		l.parts++
		p.add(list)
	}
	l.left(p, shown, n, l.w.itemsOf)
}

// A phrase is a text with what stands around it.
type phrase struct {
	before []doc.Inline
	text   string
	behind []doc.Inline
	detail string // says more: in the same line where it is short, else below it
	below  bool   // always below it
}

func (l *lowerer) phrase(p *place, ph phrase) {
	ps := l.split(ph.text)
	if len(ps) == 0 {
		ps = [][]doc.Inline{nil}
	}
	ps[0] = join(ph.before, ps[0])
	last := len(ps) - 1
	ps[last] = join(ps[last], ph.behind)
	if ds := l.split(ph.detail); len(ds) > 0 {
		switch {
		case len(ps[last]) == 0:
			ps[last] = ds[0]
		case !ph.below && len(ds) == 1 && !multiline(ph.detail) && inlineWidth(ps[last])+3+inlineWidth(ds[0]) <= l.width:
			ps[last] = join(ps[last], l.some(l.plain(" — ")), ds[0])
		default:
			ps[last] = join(ps[last], l.some(l.hard()), ds[0])
		}
		ps = append(ps, ds[1:]...)
	}
	for _, ins := range ps {
		l.paragraph(p, ins)
	}
}

func (l *lowerer) list(p *place, b List) {
	l.entries(p, b.Ordered, len(b.Items), func(i int, p *place) doc.Task {
		it := b.Items[i]
		if it.URL != "" {
			l.phrase(p, phrase{before: l.link(it.URL, it.Text), detail: it.Detail})
		} else {
			l.phrase(p, phrase{text: it.Text, detail: it.Detail})
		}
		return doc.NoTask
	})
}

func (l *lowerer) checklist(p *place, b Checklist) {
	l.entries(p, false, len(b.Items), func(i int, p *place) doc.Task {
		it := b.Items[i]
		l.phrase(p, phrase{text: it.Text, detail: it.Detail})
		if it.Done {
			return doc.TaskDone
		}
		return doc.TaskOpen
	})
}

func (l *lowerer) timeline(p *place, b Timeline) {
	l.entries(p, false, len(b.Items), func(i int, p *place) doc.Task {
		it := b.Items[i]
		ph := phrase{text: it.Label, detail: it.Detail, below: true}
		if mark := it.Status.mark(); mark != "" {
			ph.before = l.line(mark + " ")
			ph.behind = l.line(" (" + it.Status.word() + ")")
		} else if it.Status != "" {
			ph.before = l.line("[" + it.Status.word() + "] ")
		}
		if at := l.strong(it.Time); len(at) > 0 {
			ph.before = join(ph.before, at, l.space())
		}
		l.phrase(p, ph)
		return doc.NoTask
	})
}

// steps numbers instructions.
func (l *lowerer) steps(p *place, steps []Step) {
	l.entries(p, true, len(steps), func(i int, p *place) doc.Task {
		it := steps[i]
		ph := phrase{before: l.key(it.Title), text: it.Text}
		if it.Text == "" {
			ph.before = l.strong(it.Title)
		}
		if !it.TimerSeconds.IsZero() && !it.TimerSeconds.IsNull() {
			ph.behind = l.line(" (" + l.w.timer + " " + l.w.timing(it.TimerSeconds) + ")")
		}
		l.phrase(p, ph)
		return doc.NoTask
	})
}

func (l *lowerer) keyValue(p *place, b KeyValue) {
	l.entries(p, false, len(b.Items), func(i int, p *place) doc.Task {
		it := b.Items[i]
		ph := phrase{before: l.key(it.Key), text: amount(it.Value, it.Unit)}
		if it.URL != "" {
			ph.text, ph.before = "", join(ph.before, l.link(it.URL, it.Value.shown()))
			if it.Unit != "" {
				ph.behind = join(l.space(), l.line(it.Unit))
			}
		}
		l.phrase(p, ph)
		return doc.NoTask
	})
}

// amount is a value with its unit.
func amount(v Scalar, unit string) string {
	s := v.shown()
	if s == "" || unit == "" {
		return s + unit
	}
	return s + " " + unit
}

// shown is what stands where a value has to be: the wire form of what is absent
// there is null.
func (s Scalar) shown() string {
	if s.IsZero() {
		return Null().String()
	}
	return s.String()
}
