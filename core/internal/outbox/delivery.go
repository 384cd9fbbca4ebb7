package outbox

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A delivery is where a job stands: its history, folded.
type delivery struct {
	row       store.Row
	sub       Submission
	rendering *Rendering // nil: not rendered yet
	parts     []*part    // of the rendering, as split since
	open      *attempt   // that has no outcome
	openAt    time.Time  // of the last attempt
	late      bool       // the next part says that it comes late
	moves     int        // to another target
	pressed   bool       // somebody wants it to go, by hand
	since     time.Time  // when its patience began
	held      time.Duration
	heldAt    time.Time // zero: it is not
}

// A part is a Part with what became of it.
type part struct {
	Part
	form     surface.Form
	done     bool
	refs     []surface.Ref
	attempts int
	server   int // attempts that the platform's server failed at
	waits    int // attempts in a row that the platform had no time for
	halved   bool

	triedPlain bool         // because of server faults; once
	before     surface.Form // what it was before that, until that too has failed

	unknowns int          // attempts with no known outcome, since a person looked
	firstAt  time.Time    // of the first of those; not zero: it may have arrived
	doubt    surface.Form // that it may have arrived in; empty: in another one or several
}

// errNewer is returned for histories that a later version wrote.
var errNewer = errors.New("it was written by a later version of vak")

// fold makes of a history what it comes to.
func fold(row store.Row, history []store.Entry) (*delivery, error) {
	d := &delivery{row: row}
	for i, e := range history {
		if err := d.add(e); err != nil {
			if errors.Is(err, errNewer) {
				return nil, err
			}
			return nil, fmt.Errorf("entry %d of its history, of kind %q, cannot be read", i+1, clip(e.Kind, maxCode))
		}
	}
	switch {
	case d.sub.Version == 0:
		return nil, errors.New("its history does not begin with what was submitted")
	case d.open != nil && d.part(d.open.Part) == nil:
		return nil, errNoPart
	}
	return d, nil
}

// add takes in one entry. Kinds that it does not know are of a later version, and
// change nothing that it does know.
func (d *delivery) add(e store.Entry) error {
	switch e.Kind {
	case kindSubmitted:
		return read(e, func(s Submission) error {
			if s.Version > submissionVersion {
				return errNewer
			}
			d.sub, d.since = s, e.Time
			return nil
		})
	case kindRendered:
		return read(e, func(r Rendering) error { d.rendered(r); return nil })
	case kindAttempt:
		return read(e, func(a attempt) error {
			d.open, d.openAt = &a, e.Time
			return d.with(a.Part, func(p *part) { p.attempts++ })
		})
	case kindSent:
		return read(e, func(s sent) error {
			d.late = d.late && (d.open == nil || !d.open.Late)
			d.open = nil
			return d.with(s.Part, func(p *part) { p.done, p.refs = true, s.Refs })
		})
	case kindFailed:
		return read(e, d.failed)
	case kindForm:
		return read(e, func(f form) error {
			return d.with(f.Part, func(p *part) { p.become(f) })
		})
	case kindSplit:
		return read(e, d.split)
	case kindMoved:
		return read(e, func(m moved) error { d.sub.Target = m.To; d.moves++; return nil })
	case kindHeld:
		return read(e, func(h held) error {
			d.goOn(e.Time)
			d.heldAt = e.Time
			d.late = d.late || h.Reason == HeadOfLine
			return nil
		})
	case kindReleased:
		return read(e, func(r released) error {
			d.goOn(e.Time)
			if r.ByHand {
				d.pressed = true
				d.lookedAt()
			}
			return nil
		})
	case kindRetried:
		d.goOn(e.Time)
		d.since, d.held, d.moves = e.Time, 0, 0
		d.pressed = true
		d.lookedAt()
	}
	return nil
}

// read decodes an entry's body and hands it on.
func read[T any](e store.Entry, do func(T) error) error {
	v, err := decode[T](e)
	if err != nil {
		return err
	}
	return do(v)
}

// goOn ends the time that it was held, if it was.
func (d *delivery) goOn(at time.Time) {
	if !d.heldAt.IsZero() {
		d.held += max(at.Sub(d.heldAt), 0)
		d.heldAt = time.Time{}
	}
}

// lookedAt notes that a person wants it sent, knowing what happened. That parts
// may have arrived stays known.
func (d *delivery) lookedAt() {
	for _, p := range d.parts {
		p.unknowns, p.server, p.waits = 0, 0, 0
	}
}

func (d *delivery) rendered(r Rendering) {
	d.rendering = &r
	d.parts = make([]*part, len(r.Parts))
	for i, p := range r.Parts {
		d.parts[i] = newPart(p)
	}
}

func newPart(p Part) *part {
	out := &part{Part: p, form: surface.FormText}
	if p.Chunk.Native != nil {
		out.form = surface.FormNative
	}
	return out
}

func (d *delivery) failed(f failed) error {
	at := d.openAt
	d.open = nil
	return d.with(f.Part, func(p *part) {
		if f.Waits {
			p.waits++
		} else {
			p.waits = 0
		}
		switch {
		case f.Class == surface.Unknown:
			if p.firstAt.IsZero() {
				p.firstAt, p.doubt = at, p.form
			} else if p.doubt != p.form {
				p.doubt = ""
			}
			p.unknowns++
		case serverFault(f.Class, f.Code):
			p.server++
		}
	})
}

// serverFault reports whether a failure is the platform's own, by its HTTP status.
func serverFault(c surface.Class, code string) bool {
	return c == surface.Transient && len(code) >= 3 && code[0] == '5' && strings.Trim(code[:3], "0123456789") == ""
}

func (p *part) become(f form) {
	switch f.Why {
	case whyServer:
		p.before, p.triedPlain = p.form, true
	default:
		p.before = ""
	}
	p.form = f.Form
}

func (d *delivery) split(s split) error {
	i := slices.IndexFunc(d.parts, func(p *part) bool { return p.ID == s.Part })
	if i < 0 {
		return errNoPart
	}
	old := d.parts[i]
	into := make([]*part, len(s.Into))
	for k, p := range s.Into {
		piece := newPart(p)
		piece.form, piece.halved, piece.triedPlain = surface.FormPlain, old.halved || s.Why != whyNote, true
		piece.unknowns, piece.firstAt = old.unknowns, old.firstAt // under another key
		into[k] = piece
	}
	d.parts = slices.Replace(d.parts, i, i+1, into...)
	return nil
}

var errNoPart = errors.New("there is no such part")

func (d *delivery) part(id string) *part {
	for _, p := range d.parts {
		if p.ID == id {
			return p
		}
	}
	return nil
}

func (d *delivery) with(id string, do func(*part)) error {
	p := d.part(id)
	if p == nil {
		return errNoPart
	}
	do(p)
	return nil
}

// next is the first part that has no receipt, and its place; nil where there is
// none.
func (d *delivery) next() (*part, int) {
	for i, p := range d.parts {
		if !p.done {
			return p, i
		}
	}
	return nil, len(d.parts)
}

// age is how long the job has been waiting to be sent, without the time that it
// was held.
func (d *delivery) age(now time.Time) time.Duration {
	held := d.held
	if !d.heldAt.IsZero() {
		held += max(now.Sub(d.heldAt), 0)
	}
	return now.Sub(d.since) - held
}

// mayFollow reports whether the job may go to another target instead of its own:
// not to other surfaces and accounts, which nobody has chosen, not to what cannot
// be kept, and not in circles.
func (d *delivery) mayFollow(to surface.Target) bool {
	own := d.sub.Target
	again, err := surface.ParseTarget(to.String())
	return err == nil && again == to && to != own && to.Surface == own.Surface && to.Account == own.Account && d.moves < maxMoves
}

// keyAlphabet has no character that a platform could take for something else.
var keyAlphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// key is the idempotency key of a part in a form: 25 characters, as many as
// Discord's nonce has room for.
func key(job, part string, f surface.Form) string {
	sum := sha256.Sum256([]byte(job + "\x00" + part + "\x00" + string(f)))
	return keyAlphabet.EncodeToString(sum[:])[:25]
}
