// Package memory is an engine of the store without a disk: for tests, and to say
// in few lines what the other engines do in many. It forgets everything when the
// process ends, and nothing before.
package memory

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A Store is the engine. Its zero value cannot be used.
type Store struct {
	mu       sync.Mutex
	now      func() time.Time
	index    *store.Index
	lines    []line // a job's place is a number in it and one
	sessions map[string]*session
	commits  []store.Committed // by the place in commits of the index
	changed  chan struct{}
	closed   bool
}

var _ store.Store = (*Store)(nil)

// A line is what one put left.
type line struct {
	row     store.Row
	entries []store.Entry
	before  store.Place
}

type session struct {
	lines [][]byte
	chain ledger.Chain
}

// New returns an empty engine. now is the clock that leases end by.
func New(now func() time.Time) *Store {
	return &Store{
		now: now, index: store.NewIndex(), lines: make([]line, 1), sessions: map[string]*session{},
		changed: make(chan struct{}, 1),
	}
}

// Commit implements [store.Store].
func (s *Store) Commit(_ context.Context, c store.Commit) (store.Committed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.Committed{}, errClosed()
	}
	if err := c.Check(); err != nil {
		return store.Committed{}, err
	}
	id := store.KeyOf(c.ID)
	if place, ok := s.index.Seen(id); ok && c.ID != "" {
		done := s.commits[place-1]
		done.Repeated = true
		return done, nil
	}
	now := s.now()
	puts := slices.Clone(c.Jobs)
	if c.Release != "" {
		puts = append(s.released(&c, now), puts...)
	}
	for i := range puts {
		if err := s.index.Check(now, &puts[i]); err != nil {
			return store.Committed{}, err
		}
	}
	first, err := s.record(&c)
	if err != nil {
		return store.Committed{}, err
	}
	for i := range puts {
		p := &puts[i]
		before, _, _ := s.index.Find(p.Row.Job)
		s.lines = append(s.lines, line{p.Row, slices.Clone(p.Entries), before})
		s.index.Apply(store.Place(len(s.lines)-1), p, now)
	}
	for _, t := range c.Targets {
		s.index.ApplyTarget(t)
	}
	s.index.Turn(c.Begin, c.End)
	done := store.Committed{Number: uint64(len(s.commits) + 1), First: first}
	s.commits = append(s.commits, done)
	if c.ID != "" {
		s.index.See(id, store.Place(len(s.commits)))
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return done, nil
}

// record appends the records of c to its session.
func (s *Store) record(c *store.Commit) (ledger.Seq, error) {
	if len(c.Records) == 0 && c.Expect == nil {
		return 0, nil
	}
	of := s.sessions[c.Session]
	if of == nil {
		of = &session{chain: ledger.Chain{Session: c.Session}}
	}
	if head := ledger.Seq(len(of.lines)); c.Expect != nil && *c.Expect != head {
		return 0, &store.Error{Kind: store.Conflict, Session: c.Session, What: "the session has gone on meanwhile"}
	}
	first, chain, lines := ledger.Seq(len(of.lines))+1, of.chain, of.lines
	for i := range c.Records {
		r := c.Records[i]
		b, err := chain.Append(nil, &r)
		if err != nil {
			kind := store.Invalid
			if errors.Is(err, ledger.ErrTooLarge) {
				kind = store.TooLarge
			}
			return 0, &store.Error{Kind: kind, Session: c.Session, What: "a record cannot be kept", Err: err}
		}
		lines = append(lines, b)
	}
	of.chain, of.lines = chain, lines
	if len(c.Records) == 0 {
		return 0, nil
	}
	s.sessions[c.Session] = of
	return first, nil
}

// released are the puts of the jobs that are held for what c releases, but for
// those that c changes itself.
func (s *Store) released(c *store.Commit, now time.Time) []store.Put {
	var out []store.Put
	for _, at := range s.index.Held(c.Release) {
		r := s.row(at)
		if r.Hold == c.Release && !slices.ContainsFunc(c.Jobs, func(p store.Put) bool { return p.Row.Job == r.Job }) {
			out = append(out, store.Release(r, now))
		}
	}
	return out
}

func (s *Store) row(at store.Place) store.Row {
	r := s.lines[at].row
	r.Place = at
	return r
}

// Read implements [store.Store].
func (s *Store) Read(_ context.Context, id string, from ledger.Seq) iter.Seq2[[]byte, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return func(yield func([]byte, error) bool) { yield(nil, errClosed()) }
	}
	var lines [][]byte
	if of := s.sessions[id]; of != nil {
		lines = of.lines[min(max(int(from), 1)-1, len(of.lines)):]
	}
	return func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// Head implements [store.Store].
func (s *Store) Head(_ context.Context, id string) (ledger.Seq, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.sessions[id]; of != nil {
		return ledger.Seq(len(of.lines)), nil
	}
	return 0, nil
}

// Sessions implements [store.Store].
func (s *Store) Sessions(context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for id := range s.sessions {
		out = append(out, id)
	}
	slices.Sort(out)
	return out, nil
}

// OpenTurns implements [store.Store].
func (s *Store) OpenTurns(context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.OpenTurns(), nil
}

// Claim implements [store.Store].
func (s *Store) Claim(_ context.Context, now time.Time, max int) (store.Claims, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.Claims{}, errClosed()
	}
	picks, holds, next := s.index.Claim(now, max, nil)
	out := store.Claims{Next: next}
	for _, p := range picks {
		out.Jobs = append(out.Jobs, store.Claimed{Row: s.row(p.Place), Lease: p.Lease, Probe: p.Probe})
	}
	for _, at := range holds {
		out.Holds = append(out.Holds, s.row(at))
	}
	return out, nil
}

// Job implements [store.Store].
func (s *Store) Job(_ context.Context, id string) (store.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.Row{}, errClosed()
	}
	at, _, ok := s.index.Find(id)
	if !ok {
		return store.Row{}, &store.Error{Kind: store.NotFound, Job: id, What: "there is no such job"}
	}
	return s.row(at), nil
}

// History implements [store.Store].
func (s *Store) History(_ context.Context, id string) ([]store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _, ok := s.index.Find(id)
	if !ok {
		return nil, &store.Error{Kind: store.NotFound, Job: id, What: "there is no such job"}
	}
	var out []store.Entry
	for ; at != 0; at = s.lines[at].before {
		of := slices.Clone(s.lines[at].entries)
		slices.Reverse(of)
		out = append(out, of...)
	}
	slices.Reverse(out)
	return out, nil
}

// Jobs implements [store.Store].
func (s *Store) Jobs(_ context.Context, f store.Filter) iter.Seq2[store.Row, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []store.Row
	for at := range s.index.Live(f.Target) {
		rows = append(rows, s.row(at))
	}
	var done []store.Row
	for _, as := range slices.Compact(slices.Sorted(slices.Values(f.States))) {
		for _, at := range s.index.Finished(as) {
			done = append(done, s.row(at))
		}
	}
	slices.SortFunc(done, func(a, b store.Row) int { return b.Updated.Compare(a.Updated) })
	return func(yield func(store.Row, error) bool) {
		for _, r := range append(rows, done...) {
			if f.Matches(&r) && !yield(r, nil) {
				return
			}
		}
	}
}

// Targets implements [store.Store].
func (s *Store) Targets(context.Context) ([]store.TargetStatus, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index.Targets(), nil
}

// Changed implements [store.Store].
func (s *Store) Changed() <-chan struct{} { return s.changed }

// Health implements [store.Store].
func (s *Store) Health(context.Context) store.Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return store.Health{Live: s.index.Len(), Commits: uint64(len(s.commits))}
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// Reopen ends what Close began: all that was committed is there, and no lease.
func (s *Store) Reopen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	index, err := store.ParseIndex(s.index.Append(nil))
	if err != nil {
		return err
	}
	s.index, s.closed = index, false
	return nil
}

func errClosed() error { return &store.Error{Kind: store.Closed, What: "the store is closed"} }
