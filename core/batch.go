package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A batch is one draft for all its targets.
type batch struct {
	core      *Core
	at        *snapshot // pinned by whoever has the batch
	leased    []string  // jobs that have a lease
	passed    []string  // jobs of before whose place others take
	draft     Draft
	kind      surface.Kind
	turn      ledger.TurnID
	source    ledger.EntryID
	completes bool
	subs      []outbox.Submission // those that were not accepted before
	places    []int               // of subs in ids
	ids       []string
}

// name checks the deliveries and gives their jobs ids, except those outside a turn
// that need the number of their record.
func (b *batch) name(to []Delivery) error {
	b.ids, b.subs, b.places = make([]string, len(to)), nil, nil
	for i, d := range to {
		t, wants, err := b.core.resolve(d.Target)
		if err != nil {
			return err
		}
		s, known := b.at.surface(t.Surface)
		if !known {
			return b.core.unknown(t.Surface)
		}
		if err := b.core.schemas.address(s, t); err != nil {
			return err
		}
		if d.ID != "" && !jobID.MatchString(d.ID) {
			return &Error{Kind: ErrDelivery, What: fmt.Sprintf("no job can have the id %.80q", d.ID), Mend: "use 1 to 200 printable ASCII characters without space"}
		}
		if err := d.Posture.check(); err != nil {
			return err
		}
		b.ids[i] = d.ID
		if d.ID == "" && !b.turn.IsZero() && b.completes {
			b.ids[i] = madeID(b.turn.String(), i, t)
		}
		sub := outbox.Submission{
			Job: b.ids[i], Target: t, Kind: b.kind, Origin: outbox.Proactive, Turn: b.turn, ReplyTo: d.ReplyTo,
			Posture: d.Posture.over(wants), Epoch: b.at.Number,
			Actions: b.draft.actions(), Digest: b.digest(t),
		}
		if !b.turn.IsZero() {
			sub.Origin = outbox.Reply
		}
		if a := b.draft.Approval; a != nil {
			sub.Expires = a.Expires
		}
		b.subs, b.places = append(b.subs, sub), append(b.places, i)
	}
	return nil
}

// plan checks the deliveries and leaves out those that were accepted before.
func (b *batch) plan(ctx context.Context, to []Delivery) error {
	if err := b.name(to); err != nil {
		return err
	}
	seen := map[string]bool{}
	subs, places := b.subs[:0], b.places[:0]
	for n, s := range b.subs {
		if s.Job != "" {
			if seen[s.Job] {
				return &Error{Kind: ErrDelivery, What: "two deliveries have the id " + s.Job}
			}
			seen[s.Job] = true
			r, err := b.core.store.Job(ctx, s.Job)
			switch {
			case errors.Is(err, store.NotFound):
			case err != nil:
				return storeError(err)
			case r.Digest != s.Digest:
				return &Error{Kind: ErrConflict, What: "job " + s.Job + " was accepted with other content", Mend: "use another id"}
			default:
				continue
			}
		}
		subs, places = append(subs, s), append(places, b.places[n])
	}
	b.subs, b.places = subs, places
	return nil
}

// puts are the jobs, once the record that holds their content has its number.
func (b *batch) puts(ctx context.Context) []store.Put {
	for n := range b.subs {
		s := &b.subs[n]
		s.Source = b.source
		if s.Job == "" {
			s.Job = madeID(b.source.String(), b.places[n], s.Target)
			b.ids[b.places[n]] = s.Job
		}
	}
	puts := b.core.outbox.Submit(ctx, b.subs, b.completes)
	b.drop()
	b.passed = nil
	for _, p := range puts {
		if !p.New {
			b.passed = append(b.passed, p.Row.Job)
		}
		if p.New && p.Row.State == store.Pending { // before anybody can render it
			b.core.leases.accept(p.Row.Job, b.turn, b.at, b.core.now())
			b.leased = append(b.leased, p.Row.Job)
		}
	}
	return puts
}

// accepted is called once the commit is made. Where it had been made before, these
// jobs are none.
func (b *batch) accepted(ctx context.Context, done store.Committed) {
	b.core.outbox.Accepted(ctx, b.subs)
	if done.Repeated {
		b.drop()
		return
	}
	for _, job := range b.passed {
		b.core.leases.done(job)
	}
}

// drop ends the leases of jobs that were not accepted.
func (b *batch) drop() {
	for _, job := range b.leased {
		b.core.leases.done(job)
	}
	b.leased = nil
}

// madeID is the id of a job that the caller gave none: the turn, or the record
// outside one, its ordinal from 1, and the target.
func madeID(of string, i int, t surface.Target) string {
	return of + ":" + strconv.Itoa(i+1) + ":" + t.String()
}

// digest stands for what was submitted.
func (b *batch) digest(t surface.Target) string {
	h := sha256.New()
	parts := []string{string(b.kind), t.String(), string(b.draft.typed()), b.draft.Markdown}
	if p := b.draft.properties(); p != "" { // jobs that were accepted before there were any keep their digest
		parts = append(parts, p)
	}
	for _, s := range parts {
		fmt.Fprintf(h, "%d:%s,", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

var jobID = regexp.MustCompile(`^[!-~]{1,200}$`)
