package ledger

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"time"
)

// A Report says what [Verify] found in the records of one session, up to the
// first that does not belong there.
type Report struct {
	Session     string
	Records     int
	First, Last time.Time // of the first and the last record
	Head        Hash      // of the last line
	Turns       Turns
	Unknown     int         // records that a newer version wrote
	Broken      *ChainError // why it ends there; nil: all is well
}

// Turns counts turns by what became of them.
type Turns struct {
	Complete, Partial, Failed, Cancelled int

	Open  []TurnID // not ended, in the order in which they began
	Stray int      // ends of a turn that was not open
}

// Verify holds the lines of one session, without their newlines, to their chain
// and sums them up. What is wrong with a line is in the report; the error is
// that of lines, and the report is of what came before.
func Verify(lines iter.Seq2[[]byte, error]) (Report, error) {
	var rep Report
	open := make(map[TurnID]struct{})
	var chain Chain
	var failed error
	for line, err := range lines {
		if failed = err; err != nil {
			break
		}
		r, err := chain.Add(line)
		if errors.As(err, &rep.Broken) {
			break
		}
		if rep.Records++; rep.Records == 1 {
			rep.First = r.Time
		}
		rep.Last = r.Time
		switch b := r.Body.(type) {
		case *Turn:
			rep.Turns.count(&r, b, open)
		case *Unknown:
			rep.Unknown++
		}
	}
	rep.Session, rep.Head = chain.Session, chain.Head
	for id := range open {
		rep.Turns.Open = append(rep.Turns.Open, id)
	}
	slices.SortFunc(rep.Turns.Open, func(a, b TurnID) int { return cmp.Compare(a.Seq, b.Seq) })
	return rep, failed
}

func (t *Turns) count(r *Record, b *Turn, open map[TurnID]struct{}) {
	if b.Phase == Begin {
		open[r.Turn] = struct{}{}
		return
	}
	if _, ok := open[r.Turn]; !ok {
		t.Stray++
		return
	}
	delete(open, r.Turn)
	switch b.Status {
	case Complete:
		t.Complete++
	case Partial:
		t.Partial++
	case Failed:
		t.Failed++
	case Cancelled:
		t.Cancelled++
	}
}
