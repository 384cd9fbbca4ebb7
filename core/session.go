package core

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// Notices is the session of what is delivered outside every turn.
const Notices = "notices"

// A Session is one conversation: its ledger, and the turns in it. It is safe for
// concurrent use.
type Session struct {
	core *Core
	id   string
	mu   sync.Mutex              // of writers: a commit relies on where the ledger ends
	open map[ledger.TurnID]*Turn // that were begun here; guarded by mu

	aside sync.Mutex
	page  *page // what is to be written about earlier records; nil: nothing waits
}

// Session returns the session with an id, which is 1 to 64 of [A-Za-z0-9._-] and
// does not begin with '.' or '-'. It need not exist: it does from its first
// record on. Errors are of kind ErrReadOnly or ErrSession.
func (c *Core) Session(_ context.Context, id string) (*Session, error) {
	if c.store == nil {
		return nil, errReadOnly()
	}
	if err := ledger.CheckSession(id); err != nil {
		return nil, &Error{Kind: ErrSession, What: "no session can have the id " + fmt.Sprintf("%.80q", id), Mend: "use up to 64 letters, digits and . _ -", Err: err}
	}
	c.sessions.mu.Lock()
	defer c.sessions.mu.Unlock()
	if s, ok := c.sessions.open[id]; ok {
		return s, nil
	}
	if c.sessions.open == nil {
		c.sessions.open = map[string]*Session{}
	}
	s := &Session{core: c, id: id}
	c.sessions.open[id] = s
	return s, nil
}

// sessions are those that were asked for.
type sessions struct {
	mu   sync.Mutex
	open map[string]*Session
}

func errReadOnly() error {
	return &Error{Kind: ErrReadOnly, What: "this core holds no home, so it keeps nothing and delivers nothing", Mend: "open it without ReadOnly"}
}

// Sessions lists the ids of all sessions that have a record.
func (c *Core) Sessions(ctx context.Context) ([]string, error) {
	if c.store == nil {
		return nil, errReadOnly()
	}
	ids, err := c.store.Sessions(ctx)
	return ids, storeError(err)
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Lines yields the lines of the ledger from a record on, as they are on disk,
// without the newlines. An error ends them.
func (s *Session) Lines(ctx context.Context, from ledger.Seq) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for b, err := range s.core.store.Read(ctx, s.id, from) {
			if !yield(b, storeError(err)) || err != nil {
				return
			}
		}
	}
}

// Entry returns one record. Errors are of kind ErrNotFound or ErrStore.
func (s *Session) Entry(ctx context.Context, seq ledger.Seq) (ledger.Record, error) {
	for b, err := range s.core.store.Read(ctx, s.id, seq) {
		if err != nil {
			return ledger.Record{}, storeError(err)
		}
		r, err := ledger.Parse(b)
		if err != nil {
			return ledger.Record{}, &Error{Kind: ErrStore, What: fmt.Sprintf("entry %s/%d cannot be read", s.id, seq), Mend: "see \"vak ledger verify\"", Err: err}
		}
		return r, nil
	}
	return ledger.Record{}, &Error{Kind: ErrNotFound, What: fmt.Sprintf("there is no entry %s/%d", s.id, seq)}
}

// record is a record of now.
func (s *Session) record(turn ledger.TurnID, b ledger.Body) ledger.Record {
	return ledger.Record{Session: s.id, Time: s.core.now(), Turn: turn, Body: b}
}

// commit commits what make makes of the seq of the next record, and returns that
// of the first. A job that the commit was to change may change meanwhile; then it
// is made again. The caller holds s.mu.
func (s *Session) commit(ctx context.Context, make func(next ledger.Seq) store.Commit) (store.Committed, ledger.Seq, error) {
	for try := 1; ; try++ {
		head, err := s.core.store.Head(ctx, s.id)
		if err != nil {
			return store.Committed{}, 0, storeError(err)
		}
		c := make(head + 1)
		c.Session, c.Expect = s.id, &head
		done, err := s.core.store.Commit(ctx, c)
		switch {
		case errors.Is(err, store.Lost) && try < 10:
		case err != nil:
			return store.Committed{}, 0, storeError(err)
		default:
			return done, done.First, nil
		}
	}
}

func (c *Core) now() time.Time { return time.Now().UTC() }

// storeError tells what went wrong with the store in the terms of this package.
func storeError(err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return err
	}
	kind := ErrStore
	switch e.Kind {
	case store.Full:
		kind = ErrFull
	case store.NotFound:
		kind = ErrNotFound
	case store.Exists, store.Conflict:
		kind = ErrConflict
	case store.TooLarge:
		kind = ErrTooLarge
	}
	what := e.What
	if e.Job != "" {
		what = "job " + e.Job + ": " + what
	}
	return &Error{Kind: kind, What: strings.TrimSpace(what), Mend: e.Mend, Err: e.Err}
}
