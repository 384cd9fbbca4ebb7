package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A batch is what is written and synced together.
type batch struct {
	at    int64  // where in the tail
	buf   []byte // its lines
	first uint64
	items []*item
	done  chan struct{} // closed when it is durable or has failed
	lead  chan struct{} // has a token for whoever shall write it
	err   error
}

// An item is a commit in a batch.
type item struct {
	draft   draft
	at      int // offset in the batch
	size    int
	place   store.Place // of its line
	batch   *batch
	session *session     // nil: no records
	chain   ledger.Chain // of the session, after it
	quiet   bool         // it makes nothing claimable
}

// Commit is part of [store.Store]. The context counts until the commit waits to be
// written; from then on it is not known to have failed until it has.
func (j *Journal) Commit(ctx context.Context, c store.Commit) (store.Committed, error) {
	if err := c.Check(); err != nil {
		return store.Committed{}, err
	}
	return j.commit(ctx, &c, false)
}

// commit puts c on disk. With carry, c's jobs come with all their entries and
// change nothing.
func (j *Journal) commit(ctx context.Context, c *store.Commit, carry bool) (store.Committed, error) {
	for again := false; ; again = true {
		b, it, done, err := j.enter(ctx, c, carry)
		if err != nil || b == nil {
			return done, err
		}
		select {
		case <-b.done:
		case <-b.lead:
			j.flush()
		}
		switch {
		case b.err == nil:
			done := store.Committed{Number: it.draft.n}
			if it.session != nil {
				done.First = ledger.Seq(it.draft.q)
			}
			return done, nil
		case again || !c.Settles || !errors.Is(b.err, store.Full):
			return store.Committed{}, b.err
		}
		j.useReserve()
	}
}

// enter adds c to the batch that gathers. There is no batch when nothing is to be
// written.
func (j *Journal) enter(ctx context.Context, c *store.Commit, carry bool) (*batch, *item, store.Committed, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fail := func(err error) (*batch, *item, store.Committed, error) { return nil, nil, store.Committed{}, err }
	var puts []store.Put
	for {
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		if err := j.writable(c.Settles); err != nil {
			return fail(err)
		}
		if c.ID != "" {
			if at, ok := j.index.Seen(store.KeyOf(c.ID)); ok {
				done, err := j.repeated(at)
				return nil, nil, done, err
			}
		}
		var wait bool
		var err error
		if puts, wait, err = j.ready(c); err != nil {
			return fail(err)
		}
		if !wait {
			break
		}
		j.settled.Wait()
	}
	now := j.now()
	it := &item{quiet: carry}
	d := &it.draft
	d.n, d.t, d.id, d.begin, d.end, d.targets, d.puts = j.given+1, now.UnixMilli(), c.ID, c.Begin, c.End, c.Targets, puts
	d.prev = make([]store.Place, len(puts))
	for i := range puts {
		p := &puts[i]
		if err := j.index.Check(now, p); err != nil {
			return fail(err)
		}
		if err := j.suspects[store.KeyOf(p.Row.Job)]; err != nil {
			return fail(err)
		}
		if !carry {
			d.prev[i], _, _ = j.index.Find(p.Row.Job)
		}
	}
	if len(c.Records) > 0 {
		s := j.sessions[c.Session]
		if s == nil {
			s = newSession(c.Session)
		}
		if err := j.lines(it, s, c.Records); err != nil {
			return fail(err)
		}
	}
	if len(puts)+len(d.targets)+d.count == 0 && d.id+d.begin+d.end == "" {
		return nil, nil, store.Committed{Number: j.last}, nil
	}
	return j.gather(it)
}

// writable says why a commit cannot be taken.
func (j *Journal) writable(settles bool) error {
	switch {
	case j.closed:
		return j.gone()
	case j.broken != nil:
		return j.broken
	case settles:
		return nil
	case j.newWork != nil:
		return j.newWork
	case j.full:
		return j.makeRoom()
	}
	return nil
}

// ready finds out whether anything that c depends on waits to be written, and
// otherwise what c does to jobs.
func (j *Journal) ready(c *store.Commit) (puts []store.Put, wait bool, err error) {
	if j.rotating || j.flushing && j.written >= j.size || c.ID != "" && j.busy[store.KeyOf(c.ID)] > 0 {
		return nil, true, nil
	}
	for i := range c.Jobs {
		if j.busy[store.KeyOf(c.Jobs[i].Row.Job)] > 0 {
			return nil, true, nil
		}
	}
	var head, next ledger.Seq
	if s := j.sessions[c.Session]; s != nil {
		head, next = s.head.Seq, s.next.Seq
		if len(c.Records) > 0 && s.bad != nil {
			return nil, false, s.bad
		}
	}
	if len(c.Records) > 0 && j.records != nil {
		return nil, false, j.records
	}
	if c.Expect != nil && *c.Expect != next {
		if head != next {
			return nil, true, nil // what is in between may still fail
		}
		return nil, false, &store.Error{Kind: store.Conflict, Session: c.Session,
			What: fmt.Sprintf("session %s is at record %d, not at %d", c.Session, head, *c.Expect),
			Mend: "read what was added and decide again"}
	}
	if c.Release == "" {
		return slices.Clone(c.Jobs), false, nil
	}
	if j.holds[c.Release] > 0 {
		return nil, true, nil
	}
	for _, at := range j.index.Held(c.Release) {
		l, i, err := j.rowAt(at)
		if err != nil {
			return nil, false, err
		}
		r := l.rows[i].put.Row
		switch {
		case j.busy[store.KeyOf(r.Job)] > 0:
			return nil, true, nil
		case r.Hold != c.Release || slices.ContainsFunc(c.Jobs, func(p store.Put) bool { return p.Row.Job == r.Job }):
			continue
		}
		puts = append(puts, store.Release(r, j.now()))
	}
	return append(puts, c.Jobs...), false, nil
}

// lines makes the lines of the records, each in its place in the session.
func (j *Journal) lines(it *item, s *session, all []ledger.Record) error {
	it.session, it.chain = s, s.next
	d := &it.draft
	d.session, d.q, d.count = s.name, uint64(s.next.Seq)+1, len(all)
	d.records, d.sizes = j.scratch[:0], make([]int, 0, len(all))
	for _, r := range all {
		before := len(d.records)
		var err error
		if d.records, err = it.chain.Append(d.records, &r); err != nil {
			kind := store.Invalid
			if errors.Is(err, ledger.ErrTooLarge) {
				kind = store.TooLarge
			}
			return &store.Error{Kind: kind, Session: d.session, What: "a record cannot be kept", Err: err}
		}
		d.sizes = append(d.sizes, len(d.records)-before)
		d.records = append(d.records, '\n')
	}
	if cap(d.records) <= maxScratch {
		j.scratch = d.records
	}
	return nil
}

// gather appends a commit that was found good.
func (j *Journal) gather(it *item) (*batch, *item, store.Committed, error) {
	b := j.gathers
	if b == nil {
		b = &batch{at: j.written, first: it.draft.n, done: make(chan struct{}), lead: make(chan struct{}, 1)}
		if n := len(j.buffers); n > 0 {
			b.buf, j.buffers = j.buffers[n-1][:0], j.buffers[:n-1]
		}
	}
	it.draft.b, it.at = b.first, len(b.buf)
	buf, err := it.draft.append(b.buf)
	it.size, it.place = len(buf)-it.at, j.place(j.written)
	switch {
	case err != nil:
		err = &store.Error{Kind: store.Invalid, What: "what happened to a job cannot be kept", Err: err}
	case it.size > maxLine:
		err = &store.Error{Kind: store.TooLarge, What: fmt.Sprintf("a commit may have %d MB", maxLine>>20), Mend: "split it"}
	case j.written+int64(it.size) > maxSegment: // only when no new segment could be made
		err = errFull(nil)
	}
	if err != nil {
		return nil, nil, store.Committed{}, err
	}
	it.draft.records, it.batch = nil, b
	b.buf = buf
	b.items = append(b.items, it)
	j.gathers, j.given = b, it.draft.n
	j.written += int64(it.size)
	j.mark(it, 1)
	if s := it.session; s != nil {
		j.sessions[s.name], s.next = s, it.chain
	}
	if !j.flushing {
		j.flushing = true
		b.lead <- struct{}{}
	}
	return b, it, store.Committed{}, nil
}

// mark says of what a commit touches that it waits, or no more.
func (j *Journal) mark(it *item, by int) {
	count := func(k store.Key) {
		if j.busy[k] += by; j.busy[k] == 0 {
			delete(j.busy, k)
		}
	}
	if it.draft.id != "" {
		count(store.KeyOf(it.draft.id))
	}
	for i := range it.draft.puts {
		r := &it.draft.puts[i].Row
		count(store.KeyOf(r.Job))
		if r.Hold != "" {
			if j.holds[r.Hold] += by; j.holds[r.Hold] == 0 {
				delete(j.holds, r.Hold)
			}
		}
	}
}

// repeated says what a commit returned that is at a place.
func (j *Journal) repeated(at store.Place) (store.Committed, error) {
	l, _, err := j.lineAt(at)
	if err != nil {
		return store.Committed{}, err
	}
	return store.Committed{Number: l.n, First: ledger.Seq(l.q), Repeated: true}, nil
}

// place is where in the tail an offset is.
func (j *Journal) place(at int64) store.Place {
	return j.segments[len(j.segments)-1].place(at)
}

// applied takes a durable batch into the index. It is called with the lock held.
func (j *Journal) applied(b *batch, now time.Time) {
	wake := false
	for _, it := range b.items {
		d := &it.draft
		for i := range d.puts {
			j.index.Apply(it.place+store.Place(d.appended[i]), &d.puts[i], now)
		}
		for i := range d.targets {
			j.index.ApplyTarget(d.targets[i])
		}
		j.index.Turn(d.begin, d.end)
		if d.id != "" {
			j.index.See(store.KeyOf(d.id), it.place)
		}
		if it.session != nil {
			it.session.head = it.chain
		}
		wake = wake || !it.quiet && len(d.puts)+len(d.targets) > 0
		j.mark(it, -1)
		j.last = d.n
	}
	j.segments[len(j.segments)-1].size += int64(len(b.buf))
	j.health.Commits += uint64(len(b.items))
	j.health.Syncs++
	j.queue = append(j.queue, b)
	if wake {
		select {
		case j.signal <- struct{}{}:
		default:
		}
	}
}
