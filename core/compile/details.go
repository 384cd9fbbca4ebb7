package compile

import "github.com/seed-1ae66336/vak/sdk/doc"

// details is a <details> that is open in a scope: the callout, and what the
// scope was before it.
type details struct {
	callout *doc.Callout
	mark    int
	prefix  string
	n       int
	notes   int
}

func (b *builder) openDetails(sc *scope) {
	if sc.extra >= maxFrames {
		sc.ignored++
		return
	}
	id := sc.next()
	sc.details = append(sc.details, details{
		callout: &doc.Callout{ID: id, Tone: doc.ToneNeutral}, mark: len(b.stack), prefix: sc.prefix, n: sc.n, notes: len(b.diags),
	})
	sc.prefix, sc.n = string(id)+".", 0
	sc.extra++
}

func (b *builder) closeDetails(sc *scope) {
	if sc.ignored > 0 {
		sc.ignored--
		return
	}
	if len(sc.details) == 0 {
		return
	}
	d := sc.details[len(sc.details)-1]
	sc.details = sc.details[:len(sc.details)-1]
	d.callout.Blocks = b.take(d.mark)
	sc.prefix, sc.n = d.prefix, d.n
	sc.extra--
	if d.callout.Title != nil || d.callout.Blocks != nil {
		// Not put: what was complete before a limit stays.
		sc.n++
		b.stack = append(b.stack, d.callout)
		b.count(1)
	} else {
		b.disown(d.notes, d.callout.ID, sc)
	}
}

// closeScope closes what nobody closed.
func (b *builder) closeScope(sc *scope) {
	sc.ignored = 0
	for len(sc.details) > 0 {
		b.closeDetails(sc)
	}
}
