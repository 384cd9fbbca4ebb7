package control

import (
	"iter"
	"time"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// A Session is one that has a record.
type Session struct {
	ID      string     `json:"id"`
	Records ledger.Seq `json:"records"`
	Last    time.Time  `json:"last,omitzero"` // of the last record; zero: it cannot be read
}

// A Verified is what verifying one session found.
type Verified struct {
	Session string    `json:"session"`
	OK      bool      `json:"ok"`
	Records int       `json:"records"` // that are in order
	First   time.Time `json:"first,omitzero"`
	Last    time.Time `json:"last,omitzero"`
	Head    string    `json:"head,omitempty"` // hash of the last line
	Turns   int       `json:"turns"`
	Open    int       `json:"open,omitempty"`    // turns that have not ended
	Unknown int       `json:"unknown,omitempty"` // records of a later version
	What    string    `json:"what,omitempty"`    // is wrong
}

// Verify holds the lines of a session to their chain.
func Verify(lines iter.Seq2[[]byte, error], session string) Verified {
	r, err := ledger.Verify(lines)
	v := Verified{
		Session: session, OK: r.Broken == nil && err == nil, Records: r.Records, First: r.First, Last: r.Last, Unknown: r.Unknown,
		Turns: r.Turns.Complete + r.Turns.Partial + r.Turns.Failed + r.Turns.Cancelled, Open: len(r.Turns.Open),
	}
	if !r.Head.IsZero() {
		v.Head = r.Head.String()
	}
	switch {
	case r.Broken != nil:
		v.What = r.Broken.Error()
	case err != nil:
		v.What = err.Error()
	}
	return v
}
