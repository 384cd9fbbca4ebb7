package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Step says how a [TransportScript] answers one call. The zero Step takes the
// message and names it m1, m2 and so on. What is set happens in the order of the
// fields.
type Step struct {
	// Until holds the answer back until it is closed, or the call's context ends;
	// that is then an error of class Unknown if Accept is set, else Transient.
	Until <-chan struct{}

	// Panic panics before anything is taken.
	Panic bool

	// Err is the answer. The message is not taken, unless Accept is set: then it
	// arrives, and its sender learns the error only, as where a connection breaks
	// before the receipt.
	Err    *surface.DeliveryError
	Accept bool

	// Refs is what the receipt names, in place of one id of the script's own.
	Refs []surface.Ref
}

// A Violation is two messages for one target and thread that were under way at
// the same time, which a host promises not to do to what waits in one lane. (An
// alert, an approval and an urgent message wait for nobody: where a test has such,
// a pair of one of them and another is none.)
type Violation struct {
	Target        surface.Target
	First, Second surface.SendRequest
}

// A TransportScript is a transport that answers as a test wants, and remembers
// what it was asked. It can edit and delete, too. It is safe for concurrent use;
// what it returns is the caller's.
type TransportScript struct {
	mu         sync.Mutex
	steps      map[place][]Step
	sent       []surface.SendRequest
	accepted   []surface.SendRequest
	edited     []surface.SendRequest
	deleted    []surface.Ref
	violations []Violation
	underWay   map[surface.Target][]*surface.SendRequest
	ids        int
	began      chan struct{} // closed and made anew with every call
}

// AnyPart stands for every part of a target that has no steps of its own.
const AnyPart = -1

// place is where steps wait.
type place struct {
	target surface.Target
	part   int
}

// NewTransportScript returns a script that takes everything.
func NewTransportScript() *TransportScript {
	return &TransportScript{
		steps: map[place][]Step{}, underWay: map[surface.Target][]*surface.SendRequest{}, began: make(chan struct{}),
	}
}

// Plugin returns a surface of the given id whose every account sends by the
// script. It renders plain text, cut at limit code points if that is not 0.
func (s *TransportScript) Plugin(id string, limit int) surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID: id, Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(),
			Profiles: []surface.Profile{{
				Surface: id, Dialect: dialect.PlainText.Name(), Limit: surface.Limit{Max: limit},
				Can: surface.Capabilities{AccessiblePlain: true},
			}},
		},
		Renderer:     layout.Renderer(dialect.PlainText),
		NewTransport: func(context.Context, surface.Account) (surface.Transport, error) { return s, nil },
	}
}

// On adds steps for a part of what is sent to target, from 0, or for [AnyPart].
// Each step answers one call, in order; steps of a part come before those of any.
// A call for which no step is left is taken.
func (s *TransportScript) On(target surface.Target, part int, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := place{target, part}
	s.steps[p] = append(s.steps[p], steps...)
}

// Send answers by the next step.
func (s *TransportScript) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	r = cloned(r)
	step, done := s.begin(&r)
	defer done()
	return s.answer(ctx, step, func() { s.accepted = append(s.accepted, r) })
}

// Edit answers by the next step for the part, as Send does. What it takes is
// listed by Edited.
func (s *TransportScript) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	r = cloned(r)
	step, done := s.begin(&r)
	defer done()
	if step.Refs == nil {
		step.Refs = []surface.Ref{ref}
	}
	return s.answer(ctx, step, func() { s.edited = append(s.edited, r) })
}

// Delete answers by the next step for any part of t.
func (s *TransportScript) Delete(ctx context.Context, t surface.Target, ref surface.Ref) error {
	s.mu.Lock()
	step := s.next(place{t, AnyPart})
	s.mu.Unlock()
	_, err := s.answer(ctx, step, func() { s.deleted = append(s.deleted, clonedRef(ref)) })
	return err
}

// begin notes that r is under way.
func (s *TransportScript) begin(r *surface.SendRequest) (_ Step, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, *r)
	for _, other := range s.underWay[r.Target] {
		s.violations = append(s.violations, Violation{r.Target, *other, *r})
	}
	s.underWay[r.Target] = append(s.underWay[r.Target], r)
	close(s.began)
	s.began = make(chan struct{})
	return s.next(place{r.Target, r.Part}), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.underWay[r.Target] = slices.DeleteFunc(s.underWay[r.Target], func(o *surface.SendRequest) bool { return o == r })
	}
}

// next takes the step for p. Called with mu held.
func (s *TransportScript) next(p place) Step {
	for _, p := range []place{p, {p.target, AnyPart}} {
		if steps := s.steps[p]; len(steps) > 0 {
			s.steps[p] = steps[1:]
			return steps[0]
		}
	}
	return Step{}
}

func (s *TransportScript) answer(ctx context.Context, step Step, take func()) (surface.Receipt, error) {
	if step.Until != nil {
		select {
		case <-step.Until:
		case <-ctx.Done():
			d := &surface.DeliveryError{Class: surface.Transient, Code: "script_deadline", Err: ctx.Err()}
			if step.Accept {
				d.Class = surface.Unknown
			}
			step.Err = d
		}
	}
	if step.Panic {
		panic("by the script")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if step.Err == nil || step.Accept {
		take()
	}
	if step.Err != nil {
		d := *step.Err
		return surface.Receipt{}, &d
	}
	refs := clonedRefs(step.Refs)
	if refs == nil {
		s.ids++
		refs = []surface.Ref{{ID: fmt.Sprintf("m%d", s.ids)}}
	}
	return surface.Receipt{Refs: refs}, nil
}

// Await returns when n messages, edits included, have begun to be sent since the
// script was made, or with the error of ctx.
func (s *TransportScript) Await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		have, more := len(s.sent), s.began
		s.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("sdktest: %d messages were sent, want %d", have, n), ctx.Err())
		}
	}
}

// Sent lists every request of Send and Edit, in the order in which they began.
func (s *TransportScript) Sent() []surface.SendRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clonedAll(s.sent)
}

// Accepted lists what arrived at a target, in the order in which it did.
func (s *TransportScript) Accepted(target surface.Target) []surface.SendRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clonedAll(slices.DeleteFunc(slices.Clone(s.accepted), func(r surface.SendRequest) bool { return r.Target != target }))
}

// Edited lists what messages were changed to.
func (s *TransportScript) Edited() []surface.SendRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clonedAll(s.edited)
}

// Deleted lists what was taken back.
func (s *TransportScript) Deleted() []surface.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clonedRefs(s.deleted)
}

// Violations lists where the host broke its promise.
func (s *TransportScript) Violations() []Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Violation, len(s.violations))
	for i, v := range s.violations {
		out[i] = Violation{v.Target, cloned(v.First), cloned(v.Second)}
	}
	return out
}

func clonedAll(all []surface.SendRequest) []surface.SendRequest {
	out := make([]surface.SendRequest, len(all))
	for i, r := range all {
		out[i] = cloned(r)
	}
	return out
}

// cloned shares nothing with r.
func cloned(r surface.SendRequest) surface.SendRequest {
	r.Chunk.Blocks = slices.Clone(r.Chunk.Blocks)
	if n := r.Chunk.Native; n != nil {
		r.Chunk.Native = &surface.Native{Kind: n.Kind, JSON: clonedJSON(n.JSON)}
	}
	r.Packet = clonedJSON(r.Packet)
	r.Actions = slices.Clone(r.Actions)
	for i := range r.Actions {
		r.Actions[i].Data = clonedJSON(r.Actions[i].Data)
	}
	if r.ReplyTo != nil {
		ref := clonedRef(*r.ReplyTo)
		r.ReplyTo = &ref
	}
	return r
}

func clonedRefs(all []surface.Ref) []surface.Ref {
	out := slices.Clone(all)
	for i := range out {
		out[i] = clonedRef(out[i])
	}
	return out
}

func clonedRef(r surface.Ref) surface.Ref {
	r.Opaque = clonedJSON(r.Opaque)
	return r
}

func clonedJSON(b json.RawMessage) json.RawMessage { return slices.Clone(b) }
