package store

import (
	"crypto/sha256"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A Key stands for an id: its first 16 bytes of SHA-256.
type Key [16]byte

// KeyOf returns the key of a job id or commit id.
func KeyOf(id string) Key {
	sum := sha256.Sum256([]byte(id))
	return Key(sum[:16])
}

// An Index is every live job in the order of its lane, and where to find the
// finished ones. It is not safe for concurrent use.
//
// It holds no ids and no reasons: an engine reads those where the job's place
// says. A live job takes about 120 bytes.
type Index struct {
	jobs     []job            // [0] is nobody
	free     []slot           // of jobs
	live     map[Key]slot     // of those that are not finished
	finished [3]map[Key]Place // delivered, dead letters, discarded
	commits  map[Key]Place
	turns    map[string]struct{} // that are open
	targets  map[string]*target
	leases   map[slot]lease
	issued   Lease // the last one
	lanes    laneHeap
	holds    holdHeap
}

// A slot is the number of a live job; 0 is none.
type slot uint32

type job struct {
	key        Key
	place      Place
	due        int64 // milliseconds; of a held job 0 for never
	created    int64
	in         *lane // of a held job the one that it will enter
	prev, next slot  // in its lane, or among the held jobs of its target
	timer      int32 // place in holds; -1 for none
	attempts   uint16
	state      uint8 // a place in states
	hold       uint32
}

var states = [...]State{Pending, Sending, Held, Delivered, DeadLetter, Discarded}

type target struct {
	row   TargetRow
	until int64
	lanes [2]lane // the second is the fast one
	held  list
}

type lane struct {
	target  *target
	jobs    list
	claimed slot  // under a lease
	served  int64 // when it last had one claimed
	wake    int64 // when something may go
	at      int   // place in lanes; -1 for none
}

type list struct {
	first, last slot
	n           int
}

type lease struct {
	token Lease
	end   int64
}

const never = math.MaxInt64

// NewIndex returns an empty index.
func NewIndex() *Index {
	x := &Index{
		jobs: make([]job, 1), live: map[Key]slot{}, commits: map[Key]Place{},
		turns: map[string]struct{}{}, targets: map[string]*target{}, leases: map[slot]lease{},
	}
	for i := range x.finished {
		x.finished[i] = map[Key]Place{}
	}
	x.holds.index = x
	return x
}

// Check says why p may not be applied: Invalid, Exists, NotFound or Lost.
func (x *Index) Check(now time.Time, p *Put) error {
	r := &p.Row
	if err := r.check(); err != nil {
		return err
	}
	key := KeyOf(r.Job)
	s, live := x.live[key]
	place, known := x.over(key)
	if live {
		place, known = x.jobs[s].place, true
	}
	switch {
	case p.New && known:
		return &Error{Kind: Exists, Job: r.Job, What: "there is a job with this id"}
	case p.New:
		return nil
	case !known:
		return &Error{Kind: NotFound, Job: r.Job, What: "there is no such job", Mend: "finished jobs are forgotten after 30 days"}
	}
	l, leased := x.leases[s]
	leased = leased && live && l.end > now.UnixMilli()
	switch {
	case p.Lease != 0 && !(leased && l.token == p.Lease):
		return &Error{Kind: Lost, Job: r.Job, What: "the claim on it has ended"}
	case p.Lease == 0 && leased:
		return &Error{Kind: Lost, Job: r.Job, What: "it is being sent"}
	case p.Lease == 0 && place != r.Place:
		return &Error{Kind: Lost, Job: r.Job, What: "it has changed meanwhile"}
	}
	return nil
}

// Apply takes in a put that is durable at place at. On replay of a journal, puts
// come in the order of their commits, without leases.
func (x *Index) Apply(at Place, p *Put, now time.Time) {
	r := &p.Row
	key := KeyOf(r.Job)
	if !r.State.Live() {
		x.finish(key, at, r.State)
		return
	}
	s, known := x.live[key]
	if !known {
		for _, m := range x.finished {
			delete(m, key)
		}
		s = x.take()
		x.jobs[s] = job{key: key, timer: -1, created: r.Created.UnixMilli()}
		x.live[key] = s
	}
	j := &x.jobs[s]
	t := x.target(r.Target)
	to := &t.lanes[0]
	if r.Fast {
		to = &t.lanes[1]
	}
	from := j.in
	stays := known && !p.Tail && from == to && (states[j.state] == Held) == (r.State == Held)
	if l, ok := x.leases[s]; ok && stays && p.Keep && l.token == p.Lease {
		x.leases[s] = lease{token: l.token, end: now.Add(LeaseTime).UnixMilli()}
	} else if ok {
		x.surrender(s)
	}
	if !stays {
		x.unlink(s)
		j.in = to
		if r.State == Held {
			x.link(&t.held, s)
		} else {
			x.link(&to.jobs, s)
		}
	}
	j.place, j.due, j.attempts = at, milliseconds(r.Due), uint16(min(r.Attempts, math.MaxUint16))
	j.state, j.hold = stateNumber(r.State), holdNumber(r.Hold)
	x.arm(s)
	x.settle(to)
	if from != nil && from != to {
		x.settle(from)
		x.drop(from.target)
	}
}

// ApplyTarget takes in the state of a target.
func (x *Index) ApplyTarget(row TargetRow) {
	t := x.target(row.Target)
	name := t.row.Target // the same words, kept once
	t.row, t.until = row, milliseconds(row.Until)
	t.row.Target = name
	for i := range t.lanes {
		x.settle(&t.lanes[i])
	}
	x.drop(t)
}

// surrender ends the claim on s.
func (x *Index) surrender(s slot) {
	delete(x.leases, s)
	if l := x.jobs[s].in; l.claimed == s {
		l.claimed = 0
		x.settle(l)
	}
}

// finish takes a job out that is done at place at.
func (x *Index) finish(key Key, at Place, as State) {
	for i, m := range x.finished {
		if states[len(states)-len(x.finished)+i] == as {
			m[key] = at
		} else {
			delete(m, key)
		}
	}
	s, ok := x.live[key]
	if !ok {
		return
	}
	delete(x.live, key)
	x.surrender(s)
	in := x.jobs[s].in
	x.unlink(s)
	x.jobs[s] = job{timer: -1}
	x.free = append(x.free, s)
	x.settle(in)
	x.drop(in.target)
}

// SetAside takes a live job out of its lane, so that those behind it go on. For
// engines that cannot read a job: it stands among the held ones of its target
// until it is put again.
func (x *Index) SetAside(key Key) {
	s, ok := x.live[key]
	if !ok {
		return
	}
	x.surrender(s)
	j := &x.jobs[s]
	x.unlink(s)
	j.state, j.due, j.hold = stateNumber(Held), 0, 0
	x.link(&j.in.target.held, s)
	x.settle(j.in)
}

// Find returns where a job's last line is.
func (x *Index) Find(id string) (at Place, live, ok bool) {
	key := KeyOf(id)
	if s, ok := x.live[key]; ok {
		return x.jobs[s].place, true, true
	}
	at, ok = x.over(key)
	return at, false, ok
}

// Held lists the jobs that may be held for hold, in the order in which they were
// held. A few others may be among them: their rows tell.
func (x *Index) Held(hold string) []Place {
	var out []Place
	number := holdNumber(hold)
	for _, t := range x.sorted() {
		for s := t.held.first; s != 0; s = x.jobs[s].next {
			if x.jobs[s].hold == number {
				out = append(out, x.jobs[s].place)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Live lists the live jobs of a target, or of all of them for "": by target,
// then by lane and the order in it, then the held ones.
func (x *Index) Live(name string) iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for _, t := range x.sorted() {
			if name != "" && t.row.Target != name {
				continue
			}
			for _, l := range []*list{&t.lanes[1].jobs, &t.lanes[0].jobs, &t.held} {
				for s := l.first; s != 0; s = x.jobs[s].next {
					if !yield(x.jobs[s].place) {
						return
					}
				}
			}
		}
	}
}

// over returns where the last line of a finished job is.
func (x *Index) over(key Key) (at Place, ok bool) {
	for _, m := range x.finished {
		if at, ok := m[key]; ok {
			return at, true
		}
	}
	return 0, false
}

// Finished lists the finished jobs that are kept, of one state, in no order.
func (x *Index) Finished(as State) iter.Seq2[Key, Place] {
	return func(yield func(Key, Place) bool) {
		for i, m := range x.finished {
			if states[len(states)-len(x.finished)+i] != as {
				continue
			}
			for k, p := range m {
				if !yield(k, p) {
					return
				}
			}
		}
	}
}

// Targets lists the targets by name.
func (x *Index) Targets() []TargetStatus {
	all := x.sorted()
	out := make([]TargetStatus, len(all))
	for i, t := range all {
		o := &out[i]
		o.TargetRow, o.Held = t.row, t.held.n
		oldest := int64(never)
		for _, l := range []*list{&t.lanes[0].jobs, &t.lanes[1].jobs, &t.held} {
			for s := l.first; s != 0; s = x.jobs[s].next {
				j := &x.jobs[s]
				oldest = min(oldest, j.created)
				if states[j.state] == Sending {
					o.Sending++
				}
			}
		}
		o.Pending = t.lanes[0].jobs.n + t.lanes[1].jobs.n - o.Sending
		if oldest != never {
			o.Oldest = time.UnixMilli(oldest).UTC()
		}
	}
	return out
}

// Turn takes in that turns began and ended; either may be empty.
func (x *Index) Turn(begun, ended string) {
	if begun != "" {
		x.turns[begun] = struct{}{}
	}
	delete(x.turns, ended)
}

// OpenTurns lists the turns that have begun and not ended.
func (x *Index) OpenTurns() []string { return slices.Sorted(maps.Keys(x.turns)) }

// Len is the number of live jobs.
func (x *Index) Len() int { return len(x.live) }

// Seen reports whether a commit id was committed, and where.
func (x *Index) Seen(commit Key) (Place, bool) {
	p, ok := x.commits[commit]
	return p, ok
}

// See remembers a commit id.
func (x *Index) See(commit Key, at Place) { x.commits[commit] = at }

// Forget drops what is known of finished jobs and commits before a place.
func (x *Index) Forget(before Place) {
	for _, m := range append(x.finished[:], x.commits) {
		for k, p := range m {
			if p < before {
				delete(m, k)
			}
		}
	}
}

// LiveBefore lists the live jobs whose last line is before a place.
func (x *Index) LiveBefore(before Place) []Place {
	var out []Place
	for _, s := range x.live {
		if p := x.jobs[s].place; p < before {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

func (x *Index) target(name string) *target {
	t, ok := x.targets[name]
	if !ok {
		t = &target{row: TargetRow{Target: strings.Clone(name)}}
		for i := range t.lanes {
			t.lanes[i] = lane{target: t, at: -1, wake: never}
		}
		x.targets[t.row.Target] = t
	}
	return t
}

// drop forgets a target that has nothing.
func (x *Index) drop(t *target) {
	if t.lanes[0].jobs.n+t.lanes[1].jobs.n+t.held.n == 0 && t.row.zero() {
		delete(x.targets, t.row.Target)
	}
}

func (x *Index) sorted() []*target {
	out := make([]*target, 0, len(x.targets))
	for _, t := range x.targets {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *target) int { return strings.Compare(a.row.Target, b.row.Target) })
	return out
}

func (x *Index) take() slot {
	if n := len(x.free); n > 0 {
		s := x.free[n-1]
		x.free = x.free[:n-1]
		return s
	}
	x.jobs = append(x.jobs, job{})
	return slot(len(x.jobs) - 1)
}

// unlink takes s out of the list that it is in.
func (x *Index) unlink(s slot) {
	j := &x.jobs[s]
	if j.in == nil {
		return
	}
	l := &j.in.jobs
	if states[j.state] == Held {
		l = &j.in.target.held
		x.disarm(s)
	}
	if j.prev != 0 {
		x.jobs[j.prev].next = j.next
	} else {
		l.first = j.next
	}
	if j.next != 0 {
		x.jobs[j.next].prev = j.prev
	} else {
		l.last = j.prev
	}
	j.prev, j.next = 0, 0
	l.n--
}

// link appends s to a list.
func (x *Index) link(l *list, s slot) {
	j := &x.jobs[s]
	if j.prev = l.last; l.last != 0 {
		x.jobs[l.last].next = s
	} else {
		l.first = s
	}
	l.last = s
	l.n++
}

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func stateNumber(s State) uint8 {
	return uint8(max(slices.Index(states[:], s), 0))
}

// holdNumber is a short stand-in for a hold; 0 for none.
func holdNumber(hold string) uint32 {
	if hold == "" {
		return 0
	}
	k := KeyOf(hold)
	return max(uint32(k[0])|uint32(k[1])<<8|uint32(k[2])<<16|uint32(k[3])<<24, 1)
}
