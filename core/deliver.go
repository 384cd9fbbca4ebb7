package core

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-1ae66336/vak/core/internal/config"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Delivery says where an answer goes, and when.
type Delivery struct {
	// Target is surface:address[/thread][:account], each part percent-encoded
	// where it holds a separator, or the name of a target in vak.toml.
	Target string

	// ID of the job, which is the idempotency key of the delivery: the same id with
	// the same content is accepted once, with other content it is an error. 1 to
	// 200 printable ASCII characters without space. Empty: it is made from the turn,
	// its ordinal and the target.
	ID string

	// Posture decides when it goes. What it does not say the target does, and then
	// the policy of vak.toml; else it goes at once.
	Posture Posture

	// ReplyTo is the message on the platform that it answers.
	ReplyTo *surface.Ref
}

// A Posture decides when something goes, never what. The zero value is immediate
// and normal. Approvals and alerts always go at once.
type Posture struct {
	Cadence Cadence
	Urgency Urgency
}

// A Cadence is how often a target wants to hear.
type Cadence string

// The cadences.
const (
	Immediate    Cadence = "immediate"     // or empty: as it comes
	OnCompletion Cadence = "on_completion" // held until its turn is complete, a day at most
	Digest       Cadence = "digest"        // held until the next digest
)

// An Urgency is how much a delivery presses.
type Urgency string

// The urgencies.
const (
	Ambient   Urgency = "ambient"   // without a sound
	Normal    Urgency = "normal"    // or empty
	Interrupt Urgency = "interrupt" // at once, past what waits, whatever the cadence
)

// Completed is what became of an answer.
type Completed struct {
	Entry    ledger.EntryID // of the answer
	Jobs     []string       // in the order of the deliveries
	Repeated bool           // the turn had ended with this answer before
}

// Complete ends the turn with its answer, and has it delivered: the answer's
// record, the end of the turn and a job for every delivery are on disk together
// when it returns, or none of them is. It renders nothing and waits for nobody.
//
// Completing a turn again with the same answer does nothing and tells what the
// first did; with another it is an error of kind ErrTurn. Other errors:
// ErrTooLarge, ErrDraft, ErrTarget, ErrUnknownSurface, ErrDelivery, ErrConflict,
// ErrFull, ErrStore. After each of them nothing was accepted.
func (t *Turn) Complete(ctx context.Context, d Draft, to ...Delivery) (Completed, error) {
	s := t.session
	kind, err := s.core.acceptDelivery(&d)
	if err != nil {
		return Completed{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := message(d, kind)
	if t.ended {
		return t.again(ctx, m, d, to)
	}
	b := batch{core: s.core, at: t.at, draft: d, kind: kind, turn: t.id, completes: true}
	if err := b.plan(ctx, to); err != nil {
		return Completed{}, err
	}
	done, first, err := s.commit(ctx, func(next ledger.Seq) store.Commit {
		b.source = ledger.EntryID{Session: s.id, Seq: next}
		return store.Commit{
			ID: ending(t.id), End: t.id.String(), Release: t.id.String(), Jobs: b.puts(ctx),
			Records: []ledger.Record{
				s.record(t.id, m),
				s.record(t.id, &ledger.Turn{Phase: ledger.End, Status: ledger.Complete}),
			},
		}
	})
	if err != nil {
		b.drop()
		return Completed{}, err
	}
	b.accepted(ctx, done)
	if done.Repeated { // by another holder of the same turn
		t.close()
		return t.again(ctx, m, d, to)
	}
	entry := ledger.EntryID{Session: s.id, Seq: first}
	if len(to) == 0 {
		s.core.shelve(shelved{s, entry, t.id, t.at, kind, m})
	}
	t.close()
	return Completed{Entry: entry, Jobs: b.ids}, nil
}

// again tells what completing the turn did before. The caller holds the session's
// lock.
func (t *Turn) again(ctx context.Context, m *ledger.Message, d Draft, to []Delivery) (Completed, error) {
	s := t.session
	var last ledger.Record
	for b, err := range s.core.store.Read(ctx, s.id, t.id.Seq) {
		if err != nil {
			return Completed{}, storeError(err)
		}
		r, err := ledger.Parse(b)
		if err != nil || r.Turn != t.id {
			continue
		}
		if end, ok := r.Body.(*ledger.Turn); ok && end.Phase == ledger.End {
			break
		}
		last = r
	}
	was, ok := last.Body.(*ledger.Message)
	if !ok || was.Markdown != m.Markdown || was.MessageKind != m.MessageKind || string(was.Payload) != string(m.Payload) || !maps.Equal(was.Metadata, m.Metadata) {
		return Completed{}, &Error{Kind: ErrTurn, What: "turn " + t.id.String() + " has ended with another answer", Mend: "begin another turn for this one"}
	}
	b := batch{core: s.core, at: t.at, draft: d, kind: m.MessageKind, turn: t.id, completes: true}
	if err := b.name(to); err != nil {
		return Completed{}, err
	}
	return Completed{Entry: last.ID(), Jobs: b.ids, Repeated: true}, nil
}

// Deliver has something delivered in the middle of the turn: progress, the result
// of a tool, a question. It is like [Core.Deliver] otherwise.
func (t *Turn) Deliver(ctx context.Context, d Draft, to ...Delivery) ([]string, error) {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ended {
		return nil, t.over()
	}
	ids, _, err := s.deliver(ctx, d, t.at, t.id, to, "")
	return ids, err
}

// Deliver has something delivered that belongs to no turn. Its record goes to the
// session [Notices]. It returns the ids of the jobs, in the order of the
// deliveries, once all of it is on disk; errors are those of [Turn.Complete].
func (c *Core) Deliver(ctx context.Context, d Draft, to ...Delivery) ([]string, error) {
	ids, _, err := c.deliverOnce(ctx, "", d, to)
	return ids, err
}

// deliverOnce is Deliver, which under a key that is not empty does what it does
// once, and says the same of it again.
func (c *Core) deliverOnce(ctx context.Context, key string, d Draft, to []Delivery) (ids []string, again bool, err error) {
	s, err := c.Session(ctx, Notices)
	if err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := c.pinned()
	defer at.unpin()
	return s.deliver(ctx, d, at, ledger.TurnID{}, to, key)
}

// deliver commits a message and its jobs. The caller holds s.mu.
func (s *Session) deliver(ctx context.Context, d Draft, at *snapshot, turn ledger.TurnID, to []Delivery, key string) (ids []string, again bool, err error) {
	kind, err := s.core.acceptDelivery(&d)
	if err != nil {
		return nil, false, err
	}
	if len(to) == 0 {
		return nil, false, &Error{Kind: ErrDelivery, What: "a delivery needs a target"}
	}
	b := batch{core: s.core, at: at, draft: d, kind: kind, turn: turn}
	if err := b.plan(ctx, to); err != nil {
		return nil, false, err
	}
	if len(b.subs) == 0 { // all of it was accepted before
		return b.ids, true, nil
	}
	commit := ""
	if key != "" {
		commit = "deliver\x00" + s.id + "\x00" + key
	}
	done, first, err := s.commit(ctx, func(next ledger.Seq) store.Commit {
		b.source = ledger.EntryID{Session: s.id, Seq: next}
		return store.Commit{ID: commit, Records: []ledger.Record{s.record(turn, message(d, kind))}, Jobs: b.puts(ctx)}
	})
	if err != nil {
		b.drop()
		return nil, false, err
	}
	b.accepted(ctx, done)
	if done.Repeated { // its jobs are named by the record that it made then
		b.source = ledger.EntryID{Session: s.id, Seq: first}
		for n, i := range b.places {
			if to[i].ID == "" {
				b.ids[i] = madeID(b.source.String(), i, b.subs[n].Target)
			}
		}
	}
	return b.ids, done.Repeated, nil
}

// accept checks a draft before anything is done about it.
func (c *Core) accept(d *Draft) (surface.Kind, error) {
	kind, err := d.kind()
	if err != nil {
		return "", err
	}
	if len(d.Markdown) > MaxSource {
		return "", tooLarge(len(d.Markdown))
	}
	if err := d.checkMetadata(); err != nil {
		return "", err
	}
	return kind, nil
}

// acceptDelivery is accept for what is delivered, and so kept.
func (c *Core) acceptDelivery(d *Draft) (surface.Kind, error) {
	if len(d.Tools) > 0 {
		return "", &Error{Kind: ErrDraft, What: "a draft that is delivered has no tools of its own", Mend: "append the calls and results to its turn"}
	}
	return c.accept(d)
}

// message is the record of a draft.
func message(d Draft, k surface.Kind) *ledger.Message {
	role := ledger.Assistant
	if k == surface.User {
		role = ledger.User
	}
	return &ledger.Message{Role: role, Markdown: d.Markdown, MessageKind: k, Payload: d.typed(), Metadata: maps.Clone(d.Metadata)}
}

// over is p where it says something, else what the target wants.
func (p Posture) over(wants config.Policy) outbox.Posture {
	own := config.Policy{Cadence: string(p.Cadence), Urgency: string(p.Urgency)}.Over(wants)
	return outbox.Posture{Cadence: outbox.Cadence(own.Cadence), Urgency: outbox.Urgency(own.Urgency)}
}

// check says what is wrong with a posture.
func (p Posture) check() error {
	switch {
	case p.Cadence != "" && !slices.Contains(outbox.Cadences, outbox.Cadence(p.Cadence)):
		return &Error{Kind: ErrDelivery, What: fmt.Sprintf("there is no cadence %.40q", string(p.Cadence)), Mend: "use immediate, on_completion or digest"}
	case p.Urgency != "" && !slices.Contains(outbox.Urgencies, outbox.Urgency(p.Urgency)):
		return &Error{Kind: ErrDelivery, What: fmt.Sprintf("there is no urgency %.40q", string(p.Urgency)), Mend: "use ambient, normal or interrupt"}
	}
	return nil
}
