package ledger

import (
	"errors"
	"iter"
)

// A Chain follows the records of one session, one after the other. The zero
// value waits for the first record of any session; one with a Session, of that
// session; one with the Seq and Head of a record that is known goes on behind
// it. It is a value: a copy is a point to return to.
type Chain struct {
	Session string
	Seq     Seq  // of the last record; zero: none yet
	Head    Hash // of its line

	lines int
	bytes int64
}

// Add takes the next line, without its newline, and gives its record. An error
// is a [*ChainError] and leaves the chain where it was.
func (c *Chain) Add(line []byte) (Record, error) {
	r, err := Parse(line)
	var what error
	switch {
	case err != nil:
		what = err
	case c.Session != "" && r.Session != c.Session:
		what = ErrSession
	case r.Seq != c.Seq+1:
		what = ErrGap
	case r.Prev != c.Head:
		what = ErrBroken
	}
	if what != nil {
		return Record{}, c.broken(what)
	}
	c.Session, c.Seq, c.Head = r.Session, r.Seq, HashOf(line)
	c.lines++
	c.bytes += int64(len(line)) + 1
	return r, nil
}

func (c *Chain) broken(what error) *ChainError {
	e := &ChainError{Session: c.Session, Seq: c.Seq + 1, Line: c.lines + 1, Offset: c.bytes, What: what.Error(), Err: what}
	var p *ParseError
	if errors.As(what, &p) {
		e.What = "the line cannot be read: " + p.Err.Error()
		if p.Reason != "" {
			e.What += ": " + p.Reason
		}
	}
	return e
}

// Append makes r the next record of the chain: it sets Session (unless the chain
// has none), Seq, Prev and, where r begins a turn, Turn, and appends the line
// like [Append]. It reads the line before it gives it out; on an error, which is
// a [*ChainError], chain and dst are as they were, and r must not be used.
func (c *Chain) Append(dst []byte, r *Record) ([]byte, error) {
	if _, ok := r.Body.(*Unknown); !ok {
		if c.Session != "" {
			r.Session = c.Session
		}
		r.Seq, r.Prev = c.Seq+1, c.Head
		if t, ok := r.Body.(*Turn); ok && t.Phase == Begin {
			r.Turn = TurnID(r.ID())
		}
	}
	out := Append(dst, r)
	if _, err := c.Add(out[len(dst):]); err != nil {
		return dst, err
	}
	return out, nil
}

// Records reads the lines of one session and holds them to their chain. It stops
// behind its first error, which is that of lines or a [*ChainError].
func Records(lines iter.Seq2[[]byte, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var c Chain
		for line, err := range lines {
			var r Record
			if err == nil {
				r, err = c.Add(line)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
