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
	openAt    time.Time
	late      bool // the next part says that it comes late
	parked    time.Duration
	parkedAt  time.Time // zero: it is not
}

// A part is a Part with what became of it.
type part struct {
	Part
	form     surface.Form
	done     bool
	refs     []surface.Ref
	attempts int
	server   int       // attempts that the platform's server failed at
	unknowns int       // attempts with no known outcome
	firstAt  time.Time // of the first of those; not zero: it may have arrived
	plainFor string    // why it goes plain; once each
	halved   bool      // made by halving: not halved again
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
			return nil, fmt.Errorf("entry %d of its history, of kind %q, cannot be read", i+1, e.Kind)
		}
	}
	if d.sub.Version == 0 {
		return nil, errors.New("its history does not begin with what was submitted")
	}
	return d, nil
}

// add takes in one entry. Kinds that it does not know are of a later version, and
// change nothing that it does know.
func (d *delivery) add(e store.Entry) error {
	switch e.Kind {
	case kindSubmitted:
		return into(e, func(s Submission) error {
			if s.Version != submissionVersion {
				return errNewer
			}
			d.sub = s
			return nil
		})
	case kindRendered:
		return into(e, func(r Rendering) error { d.rendered(r); return nil })
	case kindAttempt:
		return into(e, func(a attempt) error {
			d.open, d.openAt = &a, e.Time
			return d.with(a.Part, func(p *part) { p.attempts++ })
		})
	case kindSent:
		return into(e, func(s sent) error {
			d.late = d.late && (d.open == nil || !d.open.Late)
			d.open = nil
			return d.with(s.Part, func(p *part) { p.done, p.refs = true, s.Refs })
		})
	case kindFailed:
		return into(e, func(f failed) error { return d.failed(f) })
	case kindForm:
		return into(e, func(f form) error {
			return d.with(f.Part, func(p *part) { p.form, p.plainFor = f.Form, f.Why })
		})
	case kindSplit:
		return into(e, d.split)
	case kindMoved:
		return into(e, func(m moved) error { d.sub.Target = m.To; return nil })
	case kindHeld:
		return into(e, func(h held) error {
			d.stopParking(e.Time)
			if h.Reason.Parked() {
				d.parkedAt = e.Time
			}
			return nil
		})
	case kindReleased:
		return into(e, func(r released) error {
			d.stopParking(e.Time)
			d.late = d.late || r.Late
			return nil
		})
	case kindRetried:
		d.stopParking(e.Time)
		for _, p := range d.parts {
			p.unknowns, p.server = 0, 0
		}
	}
	return nil
}

func into[T any](e store.Entry, do func(T) error) error {
	v, err := decode[T](e)
	if err != nil {
		return err
	}
	return do(v)
}

func (d *delivery) stopParking(at time.Time) {
	if !d.parkedAt.IsZero() {
		d.parked += max(at.Sub(d.parkedAt), 0)
		d.parkedAt = time.Time{}
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
		switch {
		case f.Class == surface.Unknown:
			if p.firstAt.IsZero() {
				p.firstAt = at
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

func (d *delivery) split(s split) error {
	i := slices.IndexFunc(d.parts, func(p *part) bool { return p.ID == s.Part })
	if i < 0 {
		return errNoPart
	}
	old := d.parts[i]
	pieces := make([]*part, len(s.Into))
	for k, p := range s.Into {
		pieces[k] = newPart(p)
		pieces[k].form, pieces[k].halved, pieces[k].plainFor = surface.FormPlain, true, s.Why
		pieces[k].unknowns, pieces[k].firstAt = old.unknowns, old.firstAt
	}
	d.parts = slices.Replace(d.parts, i, i+1, pieces...)
	return nil
}

var errNoPart = errors.New("there is no such part")

func (d *delivery) with(id string, do func(*part)) error {
	for _, p := range d.parts {
		if p.ID == id {
			do(p)
			return nil
		}
	}
	return errNoPart
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
// was parked.
func (d *delivery) age(now time.Time) time.Duration {
	parked := d.parked
	if !d.parkedAt.IsZero() {
		parked += now.Sub(d.parkedAt)
	}
	return now.Sub(d.row.Created) - parked
}

// keyAlphabet has no character that a platform could take for something else.
var keyAlphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// key is the idempotency key of a part in a form: 25 characters, as many as
// Discord's nonce has room for.
func key(job, part string, f surface.Form) string {
	sum := sha256.Sum256([]byte(job + "\x00" + part + "\x00" + string(f)))
	return keyAlphabet.EncodeToString(sum[:])[:25]
}
