package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// Read is part of [store.Store]. Every line is held against the chain, from the
// one before the first that is asked for.
func (j *Journal) Read(ctx context.Context, name string, from ledger.Seq) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		j.mu.Lock()
		err := j.gone()
		s := j.sessions[name]
		j.mu.Unlock()
		if err != nil || s == nil {
			if err != nil {
				yield(nil, err)
			}
			return
		}
		v, err := j.view(s)
		if err != nil {
			yield(nil, err)
			return
		}
		more, err := j.readFile(ctx, name, v, max(from, 1), yield)
		if err == nil && more {
			err = v.bad
		}
		if err != nil && more {
			yield(nil, err)
		}
	}
}

// A view is a session at a moment.
type view struct {
	size   int64
	tip    ledger.Chain // of its last record
	behind [][]byte     // the records that are not in the file
	bad    error
}

func (j *Journal) view(s *session) (view, error) {
	j.filing.Lock()
	defer j.filing.Unlock()
	j.fileAll()
	if len(s.behind) > 0 {
		j.catchUp(s)
	}
	v := view{size: s.size, tip: s.tip, bad: s.bad}
	for _, p := range s.behind {
		b, err := j.recordAt(p)
		if err != nil {
			return view{}, err
		}
		v.behind = append(v.behind, b)
	}
	return v, nil
}

// readFile yields the records of a session. more is false when nobody wants more.
func (j *Journal) readFile(ctx context.Context, name string, v view, from ledger.Seq, yield func([]byte, error) bool) (more bool, err error) {
	damaged := func(err error) error {
		return &store.Error{Kind: store.Corrupt, Session: name, What: fmt.Sprintf("the ledger of session %s cannot be read on", name), Mend: "see vak doctor", Err: err}
	}
	out := reader{chain: ledger.Chain{Session: name}, tip: v.tip, from: from, yield: yield}
	if v.size > 0 {
		f, err := j.fs.Open(j.dirs.session(name), false)
		if err != nil {
			return true, damaged(err)
		}
		defer f.Close()
		at, err := seek(f, v.size, from)
		if err != nil {
			return true, damaged(err)
		}
		for sc := newScanner(f, at, v.size, ledger.MaxLine); ; {
			if err := ctx.Err(); err != nil {
				return true, err
			}
			at, b, whole, err := sc.next()
			if err == io.EOF {
				break
			}
			if err == nil && !whole {
				err = errors.New("its last line is cut off")
			}
			if err == nil {
				more, err = out.add(at, b)
			}
			if err != nil {
				return true, damaged(err)
			}
			if !more {
				return false, nil
			}
		}
	}
	for _, b := range v.behind {
		more, err := out.add(0, b)
		if err != nil {
			return true, damaged(err)
		}
		if !more {
			return false, nil
		}
	}
	if v.bad == nil && out.chain.Seq != v.tip.Seq {
		return true, damaged(fmt.Errorf("it ends at record %d of %d", out.chain.Seq, v.tip.Seq))
	}
	return true, nil
}

// A reader yields lines that are vouched for: by the one behind, or because they
// are the last.
type reader struct {
	chain ledger.Chain
	tip   ledger.Chain
	from  ledger.Seq
	last  []byte // waits for the next
	yield func([]byte, error) bool
}

// add takes the next line, which is at a place in the file: the first one may come
// from the middle.
func (r *reader) add(at int64, b []byte) (more bool, err error) {
	if r.chain.Seq > 0 || at == 0 {
		if _, err := r.chain.Add(b); err != nil {
			return true, err
		}
	} else {
		first, err := ledger.Parse(b)
		if err != nil {
			return true, err
		}
		if first.Session != r.chain.Session {
			return true, ledger.ErrSession
		}
		r.chain.Seq, r.chain.Head = first.Seq, ledger.HashOf(b)
	}
	if r.last != nil && !r.yield(r.last, nil) {
		return false, nil
	}
	r.last = nil
	switch {
	case r.chain.Seq == r.tip.Seq && r.chain.Head != r.tip.Head:
		return true, ledger.ErrBroken
	case r.chain.Seq < r.from:
	case r.chain.Seq == r.tip.Seq:
		return r.yield(bytes.Clone(b), nil), nil
	default:
		r.last = bytes.Clone(b)
	}
	return true, nil
}

// seek finds the beginning of a line of a session's file that is before record
// from, or is the first, and not far before it where it can be helped.
func seek(f fsys.File, size int64, from ledger.Seq) (int64, error) {
	const near = 8 << 10
	lo, hi := int64(0), size
	for from > 1 && hi-lo > near {
		mid := lo + (hi-lo)/2
		at, seq, err := lineFrom(f, mid, hi)
		if err != nil {
			return 0, err
		}
		if seq == 0 || seq >= from {
			hi = mid
		} else {
			lo = at
		}
	}
	return lo, nil
}

// lineFrom finds the first line that begins at mid or behind it, and before end.
// Its seq is 0 when there is none, or it does not say.
func lineFrom(f fsys.File, mid, end int64) (at int64, seq ledger.Seq, err error) {
	sc := newScanner(f, mid-1, end, ledger.MaxLine)
	if _, _, _, err := sc.next(); err != nil {
		return 0, 0, err
	}
	at, b, whole, err := sc.next()
	if err == io.EOF || err == nil && !whole {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	p := cursor{b: b, i: 1}
	for first := true; p.ok() && p.i < len(b); first = false {
		if !first {
			p.expect(',')
		}
		name := p.str()
		p.expect(':')
		if name == "seq" {
			return at, ledger.Seq(p.number()), nil
		}
		p.value()
	}
	return at, 0, nil
}

// Job is part of [store.Store].
func (j *Journal) Job(_ context.Context, id string) (store.Row, error) {
	j.reading.RLock()
	defer j.reading.RUnlock()
	l, i, err := j.find(id)
	if err != nil {
		return store.Row{}, err
	}
	return l.rows[i].put.Row, nil
}

// find reads the last line of a job.
func (j *Journal) find(id string) (l line, i int, err error) {
	j.mu.Lock()
	at, _, ok := j.index.Find(id)
	err = cmp.Or(j.gone(), j.suspects[store.KeyOf(id)])
	j.mu.Unlock()
	if err != nil {
		return line{}, 0, err
	}
	if !ok {
		return line{}, 0, &store.Error{Kind: store.NotFound, Job: id, What: "there is no such job", Mend: "finished jobs are kept for 30 days"}
	}
	l, i, err = j.rowAt(at)
	if err == nil && l.rows[i].put.Row.Job != id {
		err = j.unreadable(at, errors.New("there is another job"))
	}
	return l, i, err
}

// History is part of [store.Store]. It is read backwards, from line to line. What
// is older than the journal is not in it.
func (j *Journal) History(ctx context.Context, id string) ([]store.Entry, error) {
	j.reading.RLock()
	defer j.reading.RUnlock()
	l, i, err := j.find(id)
	if err != nil {
		return nil, err
	}
	return j.history(ctx, l, i)
}

func (j *Journal) history(ctx context.Context, l line, i int) ([]store.Entry, error) {
	j.mu.Lock()
	oldest := j.segments[0].place(0)
	j.mu.Unlock()
	var parts [][]store.Entry
	for {
		at, id := l.rows[i].put.Row.Place, l.rows[i].put.Row.Job
		entries, err := l.history(i)
		if err != nil {
			return nil, j.unreadable(at, err)
		}
		parts = append(parts, entries)
		prev := l.rows[i].prev
		if prev == 0 || prev < oldest {
			slices.Reverse(parts)
			return slices.Concat(parts...), nil
		}
		if prev >= at {
			return nil, j.unreadable(at, errors.New("it comes before itself"))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l, i, err = j.rowAt(prev); err != nil {
			return nil, err
		}
		if l.rows[i].put.Row.Job != id {
			return nil, j.unreadable(prev, errors.New("there is another job"))
		}
	}
}

// Jobs is part of [store.Store].
func (j *Journal) Jobs(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		live := len(f.States) == 0 || slices.ContainsFunc(f.States, store.State.Live)
		var places, finished []store.Place
		j.mu.Lock()
		err := j.gone()
		if live {
			places = slices.Collect(j.index.Live(f.Target))
		}
		for _, as := range f.States {
			for _, at := range j.index.Finished(as) {
				finished = append(finished, at)
			}
		}
		j.mu.Unlock()
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		slices.Sort(finished)
		finished = slices.Compact(finished) // a state may be asked for twice
		slices.Reverse(finished)
		for _, at := range append(places, finished...) {
			if err := ctx.Err(); err != nil {
				yield(store.Row{}, err)
				return
			}
			j.reading.RLock()
			l, i, err := j.rowAt(at)
			j.reading.RUnlock()
			var r store.Row
			if err == nil {
				r = l.rows[i].put.Row
				if !f.Matches(&r) {
					continue
				}
				j.mu.Lock()
				err = j.suspects[store.KeyOf(r.Job)]
				j.mu.Unlock()
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
