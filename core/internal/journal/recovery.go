package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
)

// A recovery reads what the last checkpoint does not tell.
type recovery struct {
	j       *Journal
	ctx     context.Context
	from    int    // first segment that is read
	due     uint64 // the commit that is next
	now     time.Time
	bases   map[string]filed // sessions at the checkpoint
	replays map[string]*replay
	doubts  []doubt
}

// A doubt is what damage leaves: jobs whose last line is before a place may have
// changed since, those that are named or all of them.
type doubt struct {
	at   store.Place
	jobs map[string]bool // nil: all
	err  error
}

func (r *recovery) run() error {
	j := r.j
	all := j.segments
	r.due = all[0].first
	for i := len(all) - 2; i >= 0; i-- {
		if c := j.loadCheckpoint(all[i], all[i+1].first-1); c != nil {
			j.index, r.from, r.due = c.index, i+1, all[i+1].first
			j.index.Forget(all[0].place(0)) // segments may have been removed since
			j.sealed = all[i].first
			for _, s := range c.sessions {
				r.bases[s.chain.Session] = s
			}
			break
		}
	}
	for i := r.from; i < len(all); i++ {
		if err := r.segment(i); err != nil {
			return err
		}
	}
	j.last = r.due - 1
	if err := r.oldest(); err != nil {
		return err
	}
	r.suspect()
	return r.settleSessions()
}

// oldest finds out since when there is a journal.
func (r *recovery) oldest() error {
	s := r.j.segments[0]
	f, err := r.j.fs.Open(r.j.dirs.segment(s.first), false)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, b, whole, err := newScanner(f, 0, s.size, maxLine).next(); err == nil && whole {
		if l, err := parseLine(b); err == nil {
			r.j.health.Oldest = l.time()
		}
	}
	return nil
}

// segment reads the i-th segment.
func (r *recovery) segment(i int) error {
	j := r.j
	s := j.segments[i]
	name := j.dirs.segment(s.first)
	f, err := j.fs.Open(name, i == len(j.segments)-1)
	if err != nil && i == len(j.segments)-1 {
		if f, err = j.fs.Open(name, false); err == nil {
			j.readOnly("the journal's last segment cannot be written to", errors.New(name))
		}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if s.first != r.due {
		r.damage(s.place(0), nil, fmt.Sprintf("the journal lacks commits %d to %d, before %s", r.due, s.first-1, name))
		r.due = max(s.first, r.due)
	}
	sc := newScanner(f, 0, s.size, maxLine)
	proven := int64(0) // before it, damage is no torn write
	for {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		at, b, whole, err := sc.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		l, bad := line{}, errors.New("the line is cut off")
		if whole {
			l, bad = parseLine(b)
		}
		switch {
		case errors.Is(bad, errNewer):
			return &store.Error{Kind: store.Newer, What: fmt.Sprintf("%s was written by a later version of vak", name), Mend: "use that version; nothing was touched"}
		case bad == nil && l.n == r.due:
			r.apply(s.place(at), &l, b)
			r.due++
			continue
		case bad == nil:
			r.damage(s.place(at), nil, fmt.Sprintf("%s has commit %d at byte %d, where %d belongs", name, l.n, at, r.due))
			if l.n > r.due {
				r.apply(s.place(at), &l, b)
				r.due = l.n + 1
			}
			continue
		}
		if i == len(j.segments)-1 && at >= proven {
			later, err := r.later(f, at, s.size)
			if err != nil {
				return err
			}
			if later < 0 {
				return r.cut(f, at)
			}
			proven = later
		}
		if !whole {
			b = nil
		}
		r.damage(s.place(at), b, fmt.Sprintf("%s is damaged at byte %d, at commit %d", name, at, r.due))
		if r.named(b) != nil { // a whole line that tells its number
			r.due++
		}
	}
}

// later looks behind a bad line for a good one of a later batch, and returns where
// it is, or -1. Without one the bad line is what an interrupted write left.
func (r *recovery) later(f fsys.File, from, end int64) (int64, error) {
	sc := newScanner(f, from, end, maxLine)
	for {
		at, b, whole, err := sc.next()
		if err == io.EOF {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
		if !whole {
			continue
		}
		switch l, bad := parseLine(b); {
		case errors.Is(bad, errNewer):
			return at, nil // the scan comes to it
		case bad == nil && l.b > r.due:
			return at, nil
		}
	}
}

// cut takes the end of the last segment away, from at on.
func (r *recovery) cut(f fsys.File, at int64) error {
	j := r.j
	s := &j.segments[len(j.segments)-1]
	name := j.dirs.segment(s.first)
	end := s.size
	s.size = at
	if j.broken != nil {
		return nil
	}
	lines, sc := 0, newScanner(f, at, end, maxLine)
	for ; ; lines++ {
		if _, _, _, err := sc.next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	err := j.quarantine(name, f, at, end, lines)
	if err == nil {
		err = f.Truncate(at)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		j.readOnly("what an interrupted write left could not be cut off", err)
	}
	return nil
}

// apply takes in a good line.
func (r *recovery) apply(at store.Place, l *line, b []byte) {
	j := r.j
	for i := range l.rows {
		p := &l.rows[i].put
		place := at + store.Place(l.rows[i].at)
		p.Row.Place = place
		rowTime(&p.Row, r.now)
		j.index.Apply(place, p, r.now)
	}
	for i := range l.targets {
		j.index.ApplyTarget(l.targets[i])
	}
	j.index.Turn(l.begin, l.end)
	if l.id != "" {
		j.index.See(store.KeyOf(l.id), at)
	}
	if l.c > 0 {
		r.replay(at, l)
	}
	j.health.Commits++
}

// damage notes what cannot be read. b is the damaged line, where there is one.
func (r *recovery) damage(at store.Place, b []byte, what string) {
	d := doubt{at: at, err: r.j.corrupt(what)}
	if l := r.named(b); l != nil {
		d.jobs = map[string]bool{}
		for i := range l.rows {
			d.jobs[l.rows[i].put.Row.Job] = true
		}
		if p := r.replays[l.session]; p != nil && l.c > 0 {
			p.damaged = d.err
		} else if l.c > 0 {
			r.replays[l.session] = &replay{damaged: d.err}
		}
	}
	if d.jobs == nil {
		r.j.records = d.err
	}
	r.doubts = append(r.doubts, d)
}

// named reads a line whose sum is wrong for what it was about. It is nil unless
// the line fits exactly where it is: a damaged byte in a number or an id makes it
// fit no more, one elsewhere does not matter to the question which jobs and which
// session it was about.
func (r *recovery) named(b []byte) *line {
	i := bytes.LastIndex(b, []byte(sumName))
	if i < 1 || b[0] != '{' {
		return nil
	}
	l, err := parseBody(b[:i], len(b)+1)
	if err != nil || l.n != r.due || l.strange {
		return nil
	}
	for i := range l.rows {
		at, _, ok := r.j.index.Find(l.rows[i].put.Row.Job)
		if l.rows[i].prev != at || ok != (at != 0) {
			return nil
		}
	}
	to := r.bases[l.session].chain.Seq
	if p := r.replays[l.session]; p != nil {
		to = p.to
	}
	if l.c > 0 && uint64(to)+1 != l.q {
		return nil
	}
	return &l
}

// suspect finds the jobs that damage may have touched: nobody claims or changes
// them, and those behind them in their lanes go on.
func (r *recovery) suspect() {
	for _, d := range r.doubts {
		for _, at := range r.j.index.LiveBefore(d.at) {
			l, i, err := r.j.rowAt(at)
			if err != nil {
				continue // it cannot be read at all, which is told when it is asked for
			}
			id := l.rows[i].put.Row.Job
			if d.jobs != nil && !d.jobs[id] {
				continue
			}
			r.doubted(id, d)
		}
		for id := range d.jobs { // those too that were over before, or not there at all
			if at, _, ok := r.j.index.Find(id); !ok || at < d.at {
				r.doubted(id, d)
			}
		}
	}
}

func (r *recovery) doubted(id string, d doubt) {
	r.j.suspects[store.KeyOf(id)] = &store.Error{
		Kind: store.Corrupt, Job: id, Mend: "see vak doctor",
		What: "what became of it last cannot be read", Err: d.err,
	}
	r.j.index.SetAside(store.KeyOf(id))
}

// rowTime moves a row that the clock has not reached yet to now: the clock was
// set back, and what was due in a minute is due in a minute.
func rowTime(r *store.Row, now time.Time) {
	ahead := r.Updated.Sub(now)
	if ahead <= 0 || r.Due.IsZero() {
		return
	}
	r.Due = r.Due.Add(-ahead)
}
