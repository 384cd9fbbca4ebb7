package store

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// A Store keeps records and jobs. It is safe for concurrent use. Whatever a
// method returned is on disk already, and what one method returned every later
// one sees.
type Store interface {
	// Commit puts all of c on disk or nothing. When it returns an error nothing
	// of c is there, with one exception: an error of kind Broken says that it is
	// not known, and the engine takes nothing more until it is opened again.
	//
	// A commit whose ID was committed before does nothing and returns what the
	// first returned, marked as repeated. Errors: Conflict, Exists, Lost, NotFound,
	// TooLarge, Full, Broken, Corrupt, Closed.
	Commit(ctx context.Context, c Commit) (Committed, error)

	// Read returns the records of a session in order, beginning at from, as lines
	// that package ledger parses. It ends early with an error of kind Corrupt
	// where the ledger is damaged. A session that does not exist has none.
	Read(ctx context.Context, session string, from ledger.Seq) iter.Seq2[[]byte, error]

	// Head returns the seq of the session's last record, 0 for none.
	Head(ctx context.Context, session string) (ledger.Seq, error)

	// Sessions lists the sessions by id.
	Sessions(ctx context.Context) ([]string, error)

	// OpenTurns lists the turns that have begun and not ended.
	OpenTurns(ctx context.Context) ([]string, error)

	// Claim hands out at most max jobs that may go at now, one a lane, each with a
	// lease that nobody else gets before it has ended.
	Claim(ctx context.Context, now time.Time, max int) (Claims, error)

	// Job returns the row of a job, finished ones included as long as they are
	// kept. Errors: NotFound, Corrupt.
	Job(ctx context.Context, id string) (Row, error)

	// History returns the entries of a job, oldest first.
	History(ctx context.Context, id string) ([]Entry, error)

	// Jobs lists jobs: the live ones, and the finished ones that are kept where
	// the filter asks for their states. Live ones come in the order of their
	// lanes, finished ones behind them with the latest first. One that cannot be
	// read comes as an error of kind Corrupt, and the others follow.
	Jobs(ctx context.Context, f Filter) iter.Seq2[Row, error]

	// Targets lists the targets that have a live job or a state of their own.
	Targets(ctx context.Context) ([]TargetStatus, error)

	// Changed is signalled after commits that may have made a job claimable
	// earlier than the last Claim said. It has room for one signal.
	Changed() <-chan struct{}

	// Health says whether the engine can write, and what was found when it was
	// opened.
	Health(ctx context.Context) Health

	// Close waits for what is being written and lets go of the files.
	Close() error
}

// A Commit is one operation.
type Commit struct {
	// ID makes it idempotent, for as long as finished jobs are kept. Empty: it is
	// not.
	ID string

	// Session takes the records. Expect is the seq of its last record, for a
	// writer that relies on it; nil: whatever it is.
	Session string
	Expect  *ledger.Seq
	Records []ledger.Record // Session, Seq and Prev are set by the engine

	Jobs    []Put
	Targets []TargetRow

	// Begin and End name a turn that begins or ends with this commit. Those that
	// have begun and not ended are listed by OpenTurns, also after a crash.
	Begin, End string

	// Release names a hold: every job that is held for it becomes pending at the
	// end of its lane, in the order in which they were held, before the jobs of
	// this commit.
	Release string

	// Settles says that the commit only goes on with what was accepted before. It
	// may use the room that is kept for the day on which the disk is full, and is
	// taken where new work is refused because a part of the journal is damaged.
	Settles bool
}

// A Put changes one job, or makes it.
type Put struct {
	Row     Row
	Entries []Entry // what happened, in order; at least one

	// New says that the job must not exist.
	New bool

	// Lease is that of the claim; 0 for a job that is not claimed, whose row must
	// then still be at Row.Place. A change that does not hold any more fails with
	// Lost.
	Lease Lease

	// Keep extends the lease; otherwise the put ends it.
	Keep bool

	// Tail puts a pending job at the end of its lane. One that was not in a lane
	// goes there anyway.
	Tail bool
}

// A Lease is the right to change a claimed job. It ends [LeaseTime] after the
// claim or the last put that kept it.
type Lease uint64

// LeaseTime is how long a claim lasts without a put.
const LeaseTime = 3 * time.Minute

// ProbeAfter is the number of failed attempts after which a job no longer holds
// the next one back.
const ProbeAfter = 4

// An Entry is one thing that happened to a job. The engine reads neither kind
// nor body.
type Entry struct {
	Time time.Time       `json:"time"` // UTC, milliseconds
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"` // a JSON object
}

// Committed is what became of a commit.
type Committed struct {
	Number   uint64     // of the commit, growing
	First    ledger.Seq // of its first record; 0: it had none
	Repeated bool       // this commit was there before
}

// Claims are jobs that may go.
type Claims struct {
	Jobs  []Claimed
	Holds []Row     // held jobs whose time has come; they are told once every LeaseTime until they change
	Next  time.Time // when to ask again; zero: after the next change
}

// A Claimed job is one that nobody else may touch.
type Claimed struct {
	Row   Row
	Lease Lease
	Probe bool // it passes one before it that is not due
}

// A Filter chooses jobs. Its zero value chooses all that are live.
type Filter struct {
	States []State // empty: pending, sending and held
	Target string  // empty: all
	Reason string  // empty: all
	Hold   string  // empty: all
}

// A TargetStatus is a target with the number of its live jobs.
type TargetStatus struct {
	TargetRow
	Pending, Sending, Held int
	Oldest                 time.Time // creation of the oldest live job
}

// Health is the state of an engine.
type Health struct {
	ReadOnly error         // why nothing can be written, an *Error; nil: all is well
	NewWork  error         // why no new work is taken though accepted work goes on; nil: it is
	Torn     []Quarantined // bytes of interrupted writes that were set aside when it was opened
	Live     int           // jobs
	Segments int
	Bytes    int64
	Oldest   time.Time // of the journal
	Syncs    uint64
	Commits  uint64
}

// Quarantined is what was set aside because it could not be read.
type Quarantined struct {
	Path  string `json:"path"`  // where it lies
	Bytes int64  `json:"bytes"` // how much it is
	From  string `json:"from"`  // where it was
	Lines int    `json:"lines"` // whole and part lines in it
}

// Matches reports whether a filter chooses r.
func (f Filter) Matches(r *Row) bool {
	state := r.State.Live()
	if len(f.States) > 0 {
		state = slices.Contains(f.States, r.State)
	}
	return state && (f.Target == "" || f.Target == r.Target) && (f.Reason == "" || f.Reason == r.Reason) && (f.Hold == "" || f.Hold == r.Hold)
}

// Release is the put by which a commit releases a job that is held for what it
// names.
func Release(r Row, now time.Time) Put {
	r.State, r.Reason, r.Hold, r.Due, r.Updated = Pending, "", "", now, now
	return Put{Row: r, Tail: true, Entries: []Entry{{Time: now, Kind: Released, Body: json.RawMessage(`{"why":"its turn is complete"}`)}}}
}

// Released is the kind of the entry that [Release] writes.
const Released = "released"
