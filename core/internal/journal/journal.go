package journal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// Config says where a journal is. Only Dir must be given.
type Config struct {
	Dir          string        // the home, which the caller has locked
	Log          hclog.Logger  // nil: none
	SegmentBytes int64         // after which a new segment begins; 0: 64 MiB
	ReserveBytes int64         // kept back for a full disk; 0: 4 MiB
	Retention    time.Duration // of finished jobs and commit ids; 0: 30 days
	FS           fsys.FS       // nil: the machine's
	Now          func() time.Time
}

const (
	segmentBytes = 64 << 20
	reserveBytes = 4 << 20
	retention    = 30 * 24 * time.Hour

	offsetBits = 28 // of a place
	maxSegment = 1 << offsetBits
	maxScratch = 4 << 20 // bytes of a buffer that is kept
	openFiles  = 128     // of sessions, and again of segments
)

// A Journal is a [store.Store] in files. It is safe for concurrent use.
type Journal struct {
	log   hclog.Logger
	fs    fsys.FS
	dirs  dirs
	lined []byte // lines for a session file; belongs to who is filing
	size  int64  // after which a segment is sealed
	spare int64  // size of the reserve
	keep  time.Duration
	now   func() time.Time

	segmentFiles, sessionFiles *pool

	compacting sync.Mutex
	reading    sync.RWMutex // held to read a segment, and alone to remove one
	filing     sync.Mutex   // held to write session files; before mu

	mu       sync.Mutex
	settled  *sync.Cond // a batch is durable or has failed, or a rotation is over
	index    *store.Index
	sessions map[string]*session
	segments []segment // the last one is written to
	tail     fsys.File
	last     uint64 // commit that is durable
	given    uint64 // the last number that was given out
	written  int64  // size of the tail with what waits to be written
	gathers  *batch // waits
	flushing bool   // somebody is the leader
	rotating bool
	busy     map[store.Key]int // jobs and commit ids that wait
	holds    map[string]int    // likewise holds
	scratch  []byte            // for the records of one commit
	buffers  [][]byte          // for the next batches
	queue    []*batch          // durable, to be written to session files
	sealed   uint64            // first commit of the last segment that has a checkpoint; 0: none
	reserve  bool              // it is there
	full     bool              // new work waits for room
	closed   bool
	broken   error // nothing can be written
	newWork  error // nothing new is taken
	records  error // no records are taken: nobody knows which session they would follow
	suspects map[store.Key]error
	health   store.Health
	signal   chan struct{}
}

type dirs struct{ home, journal, sessions, torn string }

func dirsOf(home string) dirs {
	j := filepath.Join(home, "journal")
	return dirs{home: home, journal: j, sessions: filepath.Join(home, "sessions"), torn: filepath.Join(j, "torn")}
}

func (d dirs) session(name string) string { return filepath.Join(d.sessions, name+".jsonl") }

var _ store.Store = (*Journal)(nil)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Changed is part of [store.Store].
func (j *Journal) Changed() <-chan struct{} { return j.signal }

// Claim is part of [store.Store].
func (j *Journal) Claim(ctx context.Context, now time.Time, most int) (store.Claims, error) {
	if err := ctx.Err(); err != nil {
		return store.Claims{}, err
	}
	j.reading.RLock()
	defer j.reading.RUnlock()
	j.mu.Lock()
	if err := cmp.Or(j.gone(), j.broken); err != nil {
		j.mu.Unlock()
		return store.Claims{}, err
	}
	picks, holds, next := j.index.Claim(now, most, func(k store.Key) bool { return j.busy[k] > 0 })
	j.mu.Unlock()
	if len(picks) < most && !next.IsZero() && !next.After(now) {
		next = now.Add(time.Second) // what is left waits for a sync, which is signalled, or cannot be read
	}
	c := store.Claims{Next: next}
	for _, p := range picks {
		l, i, err := j.rowAt(p.Place)
		if err != nil {
			j.log.Error("a job that is due cannot be read; those behind it go on", "error", err)
			j.mu.Lock()
			j.suspects[p.Key] = err
			j.index.SetAside(p.Key)
			j.mu.Unlock()
			c.Next = now // there may be another in its lane
			continue
		}
		c.Jobs = append(c.Jobs, store.Claimed{Row: l.rows[i].put.Row, Lease: p.Lease, Probe: p.Probe})
	}
	for _, p := range holds {
		l, i, err := j.rowAt(p)
		if err != nil {
			j.log.Error("a held job cannot be read", "error", err)
			continue
		}
		c.Holds = append(c.Holds, l.rows[i].put.Row)
	}
	return c, nil
}

// Head is part of [store.Store].
func (j *Journal) Head(_ context.Context, name string) (ledger.Seq, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.gone(); err != nil {
		return 0, err
	}
	s := j.sessions[name]
	if s == nil {
		return 0, nil
	}
	return s.head.Seq, s.bad
}

// Sessions is part of [store.Store].
func (j *Journal) Sessions(context.Context) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.gone(); err != nil {
		return nil, err
	}
	var names []string
	for name, s := range j.sessions {
		if s.head.Seq > 0 || s.bad != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// OpenTurns is part of [store.Store].
func (j *Journal) OpenTurns(context.Context) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.gone(); err != nil {
		return nil, err
	}
	return j.index.OpenTurns(), nil
}

// Targets is part of [store.Store].
func (j *Journal) Targets(context.Context) ([]store.TargetStatus, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.gone(); err != nil {
		return nil, err
	}
	return j.index.Targets(), nil
}

// Health is part of [store.Store].
func (j *Journal) Health(context.Context) store.Health {
	j.mu.Lock()
	defer j.mu.Unlock()
	h := j.health
	h.ReadOnly, h.NewWork = cmp.Or(j.gone(), j.broken), j.newWork
	if j.full && h.NewWork == nil {
		h.NewWork = errFull(nil)
	}
	h.Torn = slices.Clone(h.Torn)
	h.Live, h.Segments, h.Bytes = j.index.Len(), len(j.segments), 0
	for i := range j.segments {
		h.Bytes += j.segments[i].size
	}
	return h
}

// gone says that the journal is closed.
func (j *Journal) gone() error {
	if j.closed {
		return &store.Error{Kind: store.Closed, What: "the journal is closed"}
	}
	return nil
}

// Close is part of [store.Store]. A second one does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	for j.flushing {
		j.settled.Wait()
	}
	j.mu.Unlock()
	j.file()
	j.compacting.Lock()
	defer j.compacting.Unlock()
	j.reading.Lock()
	defer j.reading.Unlock()
	errs := []error{j.segmentFiles.close(), j.sessionFiles.close()}
	if j.tail != nil {
		errs = append(errs, j.tail.Close())
	}
	return errors.Join(errs...)
}

// sessionNames lists the sessions that are known, sorted.
func (j *Journal) sessionNames() []string { return slices.Sorted(maps.Keys(j.sessions)) }

// poison ends all writing. It is called with the lock held.
func (j *Journal) poison(what string, err error) error {
	if j.broken == nil {
		j.broken = &store.Error{Kind: store.Broken, What: what, Mend: "look at the disk, then start vak again: it reads what is really there", Err: err}
		j.log.Error("the journal takes no more writes", "error", j.broken)
	}
	return j.broken
}

func errFull(err error) error {
	return &store.Error{Kind: store.Full, What: "the disk has no room for the journal", Mend: "make room; nothing that was accepted is lost", Err: err}
}
