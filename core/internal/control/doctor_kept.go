package control

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kept is what a doctor looks at of what a process keeps: its journal, its
// outbox, its targets and, where they were read, its sessions.
type Kept struct {
	ReadOnly, NewWork error // nil: all is well
	Torn              []Torn
	Segments          int
	Bytes             int64
	Oldest            time.Time
	Free              int64 // of the disk; -1: not known
	Reserve           int64 // 0: it is used

	Jobs map[JobState]map[string]Tally // by reason
	Cut  bool                          // there are more of them: there was no time to count all
	Err  error                         // they cannot be counted

	Targets    []Target
	TargetsErr error

	Verified    []Verified // nil: they were not read
	VerifiedErr error
}

// A Torn is a write that was cut off and set aside.
type Torn struct {
	Path  string
	From  string
	Bytes int64
}

// A Tally is a number of jobs and the creation of the oldest.
type Tally struct {
	N      int
	Oldest time.Time
}

// Count counts jobs.
func (k *Kept) Count(jobs iter.Seq2[Job, error]) {
	k.Jobs = map[JobState]map[string]Tally{}
	for j, err := range jobs {
		if errors.Is(err, context.DeadlineExceeded) {
			k.Cut = true
			return
		}
		if err != nil {
			k.Err = err
			return
		}
		of := k.Jobs[j.State]
		if of == nil {
			of = map[string]Tally{}
			k.Jobs[j.State] = of
		}
		t := of[j.Reason]
		if t.N == 0 || j.Created.Before(t.Oldest) {
			t.Oldest = j.Created
		}
		t.N++
		of[j.Reason] = t
	}
}

// lowDisk is the free space below which somebody should know.
const lowDisk = 256 << 20

// kept appends the checks of what is kept.
func (r *Report) kept(k *Kept, now time.Time) {
	r.journal(k)
	r.disk(k)
	r.outbox(k, now)
	r.targets(k, now)
	if k.Verified != nil || k.VerifiedErr != nil {
		r.ledger(k)
	}
}

func (r *Report) journal(k *Kept) {
	const name = "journal"
	switch {
	case k.ReadOnly != nil:
		what, mend := split(k.ReadOnly)
		r.Add(name, Fail, "nothing can be written: "+what, orElse(mend, "mend the disk, then start vak again; what was accepted goes then"))
	case k.NewWork != nil:
		what, mend := split(k.NewWork)
		r.Add(name, Fail, "nothing new is accepted: "+what, orElse(mend, "what was accepted goes on meanwhile"))
	default:
		what := "can be written, " + Size(k.Bytes) + " in " + count(k.Segments, "file")
		if !k.Oldest.IsZero() {
			what += ", since " + k.Oldest.UTC().Format(time.DateOnly)
		}
		r.Add(name, Fine, what, "")
	}
	if len(k.Torn) > 0 {
		var where []string
		for _, t := range k.Torn[:min(len(k.Torn), 5)] {
			where = append(where, fmt.Sprintf("%s of %s in %s", Size(t.Bytes), t.From, t.Path))
		}
		if n := len(k.Torn) - len(where); n > 0 {
			where = append(where, fmt.Sprintf("and %d more", n))
		}
		r.torn(strings.Join(where, ", "))
	}
}

func (r *Report) disk(k *Kept) {
	const name, mend = "disk", "make room on the disk of the home; it goes on by itself then"
	if k.Free < 0 {
		return
	}
	what := Size(k.Free) + " free"
	switch {
	case k.Reserve == 0:
		r.Add(name, Fail, what+", and the reserve for finishing accepted work is used", mend)
	case k.Free < lowDisk:
		r.Add(name, Warn, fmt.Sprintf("only %s, and a reserve of %s", what, Size(k.Reserve)), mend)
	default:
		r.Add(name, Fine, fmt.Sprintf("%s, and a reserve of %s", what, Size(k.Reserve)), "")
	}
}

func (r *Report) outbox(k *Kept, now time.Time) {
	if k.Err != nil {
		what, mend := split(k.Err)
		r.Add("outbox", Fail, "the jobs cannot be read: "+what, orElse(mend, "see the journal's check"))
		return
	}
	more := ""
	if k.Cut {
		more = "at least "
	}
	var policy, parked []string
	for reason, t := range sorted(k.Jobs[Held]) {
		what := fmt.Sprintf("%d %s, the oldest for %s", t.N, reason, Age(now.Sub(t.Oldest)))
		if parks(reason) {
			parked = append(parked, what)
		} else {
			policy = append(policy, what)
		}
	}
	pending, sending := k.Jobs[Pending][""], k.Jobs[Sending][""]
	what := fmt.Sprintf("%s%d pending, %d sending", more, pending.N, sending.N)
	if pending.N > 0 {
		what += fmt.Sprintf(", the oldest waits for %s", Age(now.Sub(pending.Oldest)))
	}
	if policy != nil {
		what += "; held: " + strings.Join(policy, ", ")
	}
	r.Add("outbox", Fine, what, "")
	if parked != nil {
		r.Add("parked", Warn, more+strings.Join(parked, ", "), `"vak outbox list --state held" shows them, "vak outbox show JOB" says what to do`)
	}
	if dead := k.Jobs[DeadLetter]; len(dead) > 0 {
		var by []string
		for reason, t := range sorted(dead) {
			by = append(by, fmt.Sprintf("%d %s, the oldest from %s ago", t.N, reason, Age(now.Sub(t.Oldest))))
		}
		r.Add("dead letters", Warn, more+strings.Join(by, ", "), `"vak outbox list --state dead_letter" shows them; then "vak outbox retry" or "vak outbox discard"`)
	}
}

// maxTargets bounds the targets that a report names.
const maxTargets = 20

func (r *Report) targets(k *Kept, now time.Time) {
	if k.TargetsErr != nil {
		what, mend := split(k.TargetsErr)
		r.Add("targets", Fail, "they cannot be read: "+what, mend)
		return
	}
	n := 0
	for _, t := range k.Targets {
		waits := fmt.Sprintf("%d wait", t.Pending+t.Sending+t.Held)
		means, mend := Reason(t.Why)
		what := ""
		switch {
		case t.Closed:
			what = "closed: " + means + "; " + waits
		case t.Why == "breaker" && t.Until.After(now):
			what = fmt.Sprintf("paused until %s: %s; %s", t.Until.UTC().Format(time.RFC3339), means, waits)
		default:
			continue
		}
		if n++; n <= maxTargets {
			r.Add("target "+t.Target, Warn, what, mend)
		}
	}
	if n > maxTargets {
		r.Add("targets", Warn, fmt.Sprintf("%d more are closed or paused", n-maxTargets), "\"vak outbox targets\" shows all")
	}
}

func (r *Report) ledger(k *Kept) {
	if k.VerifiedErr != nil {
		what, mend := split(k.VerifiedErr)
		r.Add("ledger", Fail, "the sessions cannot be read: "+what, mend)
		return
	}
	bad, records := 0, 0
	for _, v := range k.Verified {
		records += v.Records
		if v.OK {
			continue
		}
		if bad++; bad <= maxTargets {
			r.Add("session "+v.Session, Fail, v.What, "what comes before it is right; \"vak ledger verify "+v.Session+"\" tells where it is")
		}
	}
	if bad == 0 {
		r.Add("ledger", Fine, count(len(k.Verified), "session")+" with "+count(records, "record")+", all in order", "")
		return
	}
	r.Add("ledger", Fail, fmt.Sprintf("%d of %d sessions do not verify", bad, len(k.Verified)), "restore them from a backup, or keep them as they are: deliveries do not need them once they are made")
}

// count is a number of things.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// split parts an error into what is wrong and what to do about it.
func split(err error) (what, mend string) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err.Error(), ""
	}
	return strings.TrimSuffix(e.Error(), "; "+e.Mend), e.Mend
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// parks reports whether a job that is held for reason cannot go, rather than
// shall not.
func parks(reason string) bool {
	for _, r := range Reasons {
		if r.Reason == reason {
			return r.Parks
		}
	}
	return true
}

// sorted yields tallies by reason.
func sorted(t map[string]Tally) iter.Seq2[string, Tally] {
	return func(yield func(string, Tally) bool) {
		for _, reason := range slices.Sorted(maps.Keys(t)) {
			if !yield(reason, t[reason]) {
				return
			}
		}
	}
}

// Size is a number of bytes for a person.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Age is a length of time for a person: its largest unit, and the next where that
// says something.
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}
