package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
)

// apiKinds are the kinds of this package's errors as the API tells them.
var apiKinds = map[ErrorKind]control.Kind{
	ErrTooLarge:       control.TooLarge,
	ErrUnknownSurface: control.UnknownSurface,
	ErrDraft:          control.Invalid,
	ErrTarget:         control.Invalid,
	ErrDelivery:       control.Invalid,
	ErrTemplate:       control.Invalid,
	ErrSession:        control.Invalid,
	ErrConflict:       control.Conflict,
	ErrTurn:           control.Conflict,
	ErrNotFound:       control.NotFound,
	ErrJobState:       control.BadState,
	ErrFull:           control.Full,
	ErrStore:          control.Store,
	ErrReadOnly:       control.NotRunning,
}

// apiError is err as the API tells it. Other errors it does not tell.
func apiError(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	kind, ok := apiKinds[e.Kind]
	if !ok {
		return err
	}
	return &control.Error{Kind: kind, What: e.What, Mend: e.Mend, Err: e.Err}
}

// Deliver implements [control.Backend].
func (b backend) Deliver(ctx context.Context, d control.Delivery) (control.Accepted, error) {
	c := b.core
	draft, to, err := draftOf(d)
	if err != nil {
		return control.Accepted{}, err
	}
	known, err := b.check(ctx, draft, to)
	if err != nil {
		return control.Accepted{}, apiError(err)
	}
	if len(d.Key) > maxKey {
		return control.Accepted{}, apiError(&Error{Kind: ErrDelivery, What: fmt.Sprintf("a request's key has more than %d bytes", maxKey)})
	}
	var out control.Accepted
	var ids []string
	if d.Session == "" || known && d.TurnKey == "" { // what was accepted before begins no turn
		var again bool
		ids, again, err = c.deliverOnce(ctx, d.Key, draft, to)
		out.Repeated = known || again
	} else {
		var done Completed
		done, err = b.complete(ctx, d, draft, to)
		ids, out.Repeated = done.Jobs, done.Repeated
		if !done.Entry.IsZero() {
			out.Entry = done.Entry.String()
		}
	}
	if err != nil {
		return control.Accepted{}, apiError(err)
	}
	out.Jobs = make([]control.Job, len(ids))
	for i, id := range ids {
		j, err := c.Job(ctx, id)
		if err != nil {
			// It is accepted, whatever can be told of it.
			j = Job{ID: id, Target: to[i].Target, State: JobPending}
		}
		out.Jobs[i] = apiJob(j)
	}
	return out, nil
}

// check finds what is wrong with a delivery before a turn is begun for it. known
// says that all of its jobs are there already.
func (b backend) check(ctx context.Context, d Draft, to []Delivery) (known bool, err error) {
	if b.core.store == nil {
		return false, errReadOnly()
	}
	kind, err := b.core.accept(&d)
	if err != nil {
		return false, err
	}
	if len(to) == 0 {
		return false, &Error{Kind: ErrDelivery, What: "a delivery needs a target"}
	}
	plan := batch{core: b.core, at: b.core.current.Load(), draft: d, kind: kind}
	if err := plan.plan(ctx, to); err != nil {
		return false, err
	}
	return len(plan.subs) == 0, nil
}

// complete begins a turn and completes it. A turn without a key that cannot be
// completed is over: nobody else knows of it.
func (b backend) complete(ctx context.Context, d control.Delivery, draft Draft, to []Delivery) (Completed, error) {
	s, err := b.core.Session(ctx, d.Session)
	if err != nil {
		return Completed{}, err
	}
	t, err := s.Begin(ctx, TurnOptions{Key: d.TurnKey, request: d.Key})
	if err != nil {
		return Completed{}, err
	}
	done, err := t.Complete(ctx, draft, to...)
	if err != nil && d.TurnKey == "" {
		if failed := t.End(context.WithoutCancel(ctx), ledger.Failed, "the answer was not accepted"); failed != nil {
			b.core.log.Warn("a turn stays open until the next start", "turn", t.ID().String(), "cause", failed)
		}
	}
	return done, err
}

// draftOf reads what is to be delivered.
func draftOf(d control.Delivery) (Draft, []Delivery, error) {
	draft := Draft{Markdown: d.Markdown, Kind: d.Kind, Metadata: d.Metadata}
	switch {
	case d.Markdown != "" && len(d.MarkdownB64) > 0:
		return draft, nil, &control.Error{Kind: control.Invalid, What: "there is markdown and markdown_b64", Mend: "use one of them"}
	case len(d.MarkdownB64) > 0:
		draft.Markdown = string(d.MarkdownB64)
	}
	if d.TurnKey != "" && d.Session == "" {
		return draft, nil, &control.Error{Kind: control.Invalid, What: "there is a turn_key and no session", Mend: "name the session"}
	}
	if err := errors.Join(
		typedContent(d.Alert, "alert", &draft.Alert),
		typedContent(d.Approval, "approval", &draft.Approval),
		typedContent(d.Progress, "progress", &draft.Progress),
		typedContent(d.ToolResult, "tool_result", &draft.ToolResult),
	); err != nil {
		first, _ := errors.AsType[*control.Error](err)
		return draft, nil, first
	}
	to := make([]Delivery, len(d.Deliveries))
	for i, t := range d.Deliveries {
		to[i] = Delivery{Target: t.Target, ID: t.ID, Posture: Posture{Cadence: Cadence(t.Cadence), Urgency: Urgency(t.Urgency)}}
	}
	return draft, to, nil
}

// typedContent reads one of the typed contents, where it is there.
func typedContent[T any](b json.RawMessage, name string, into **T) error {
	if len(b) == 0 || string(b) == "null" {
		return nil
	}
	*into = new(T)
	return control.Decode(b, name, *into)
}

func apiJob(j Job) control.Job {
	return control.Job{
		ID: j.ID, Target: j.Target, Kind: j.Kind, State: control.JobState(j.State), Reason: j.Reason, Parked: j.Parked, Due: j.Due,
		Attempts: j.Attempts, Sent: j.Sent, Parts: j.Parts, Created: j.Created, Updated: j.Updated,
	}
}

// Jobs implements [control.Backend].
func (b backend) Jobs(ctx context.Context, f control.JobFilter) iter.Seq2[control.Job, error] {
	in := JobFilter{Target: f.Target, Reason: f.Reason}
	for _, s := range f.States {
		in.States = append(in.States, JobState(s))
	}
	return func(yield func(control.Job, error) bool) {
		for j, err := range b.core.Jobs(ctx, in) {
			if !yield(apiJob(j), apiError(err)) {
				return
			}
		}
	}
}

// Job implements [control.Backend].
func (b backend) Job(ctx context.Context, id string) (control.Job, error) {
	j, err := b.core.Job(ctx, id)
	return apiJob(j), unknownJob(id, err)
}

// unknownJob is err, with the way to the known ones where there is no such job.
func unknownJob(id string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return &control.Error{Kind: control.NotFound, What: fmt.Sprintf("there is no job %.220q", id), Mend: "\"vak outbox list\" shows those that wait; finished ones are forgotten after 30 days"}
	}
	return apiError(err)
}

// History implements [control.Backend].
func (b backend) History(ctx context.Context, id string) ([]control.JobEvent, error) {
	events, err := b.core.JobHistory(ctx, id)
	out := make([]control.JobEvent, len(events))
	for i, e := range events {
		out[i] = control.JobEvent(e)
	}
	return out, unknownJob(id, err)
}

// Packet implements [control.Backend].
func (b backend) Packet(ctx context.Context, id string) (packet.Packet, error) {
	p, err := b.core.Packet(ctx, id)
	return p, unknownJob(id, err)
}

// WhyJob implements [control.Backend].
func (b backend) WhyJob(ctx context.Context, id string) (control.Why, error) {
	w, err := b.core.WhyJob(ctx, id)
	if err != nil {
		return control.Why{}, unknownJob(id, err)
	}
	return apiWhy(w)
}

// WhyEntry implements [control.Backend].
func (b backend) WhyEntry(ctx context.Context, e ledger.EntryID, surfaces []string) ([]control.Why, error) {
	all, err := b.core.WhyEntry(ctx, e, surfaces...)
	out := make([]control.Why, len(all))
	for i, w := range all {
		if out[i], err = apiWhy(w); err != nil {
			return nil, err
		}
	}
	return out, apiError(err)
}

// apiWhy is w for the API, which has the same form.
func apiWhy(w Why) (out control.Why, err error) {
	b, err := json.Marshal(w)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return out, err
}

// Act implements [control.Backend].
func (b backend) Act(ctx context.Context, a control.Action, id string) (control.Job, error) {
	j, err := b.core.Act(ctx, JobAction(a), id)
	return apiJob(j), unknownJob(id, err)
}

// Targets implements [control.Backend].
func (b backend) Targets(ctx context.Context) ([]control.Target, error) {
	all, err := b.core.Targets(ctx)
	out := make([]control.Target, len(all))
	for i, t := range all {
		out[i] = control.Target(t)
	}
	return out, apiError(err)
}

// Sessions implements [control.Backend].
func (b backend) Sessions(ctx context.Context) ([]control.Session, error) {
	ids, err := b.core.Sessions(ctx)
	if err != nil {
		return nil, apiError(err)
	}
	out := make([]control.Session, 0, len(ids))
	for _, id := range ids {
		row := control.Session{ID: id}
		if row.Records, err = b.core.store.Head(ctx, id); err != nil {
			return nil, apiError(storeError(err))
		}
		for line, err := range b.core.store.Read(ctx, id, row.Records) {
			if r, parsed := ledger.Parse(line); err == nil && parsed == nil {
				row.Last = r.Time
			}
			break
		}
		out = append(out, row)
	}
	return out, nil
}

// Records implements [control.Backend].
func (b backend) Records(ctx context.Context, session string, from ledger.Seq) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if b.core.store == nil {
			yield(nil, apiError(errReadOnly()))
			return
		}
		for line, err := range b.core.store.Read(ctx, session, from) {
			if !yield(line, apiError(storeError(err))) || err != nil {
				return
			}
		}
	}
}
