package outbox

import (
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// delays is the time from each failed attempt to the next; the last one repeats.
// They add up to about sixteen hours, so that an outage of a night is survived
// without anybody's help.
var delays = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
}

// When a job is given up: after so many failed attempts and so much time, or
// after the longest time whatever the count. Time that it was held does not
// count.
const (
	enoughAttempts = 10
	enoughTime     = 24 * time.Hour
	longestTime    = 72 * time.Hour
)

// longestWait bounds what a platform may ask for with Retry-After.
const longestWait = 24 * time.Hour

// holdLimit is how long a posture may hold a job.
const holdLimit = 24 * time.Hour

// The breaker of a target opens after so many transient failures in a row, and
// lets one job through after the first time, which doubles up to the second.
const (
	breakerFailures = 5
	breakerFirst    = time.Minute
	breakerLongest  = 15 * time.Minute
)

// maxUnknown is how often a part is sent again whose outcome is not known. With
// the first attempt, a reader may see it so many times and one.
const maxUnknown = 3

// maxMoves is how often a job follows its target to another address: some move
// in circles.
const maxMoves = 8

// serverFaults is how often a platform's server may fail at a part before the
// part's plain form is tried, once: some fail at the content rather than say so.
const serverFaults = 3

// delay is the time to the next attempt after n failed ones, 20 % off at most in
// either direction. chance is from 0 to 1.
func delay(n int, chance float64) time.Duration {
	d := delays[min(max(n, 1), len(delays))-1]
	return d + time.Duration((chance-0.5)*0.4*float64(d))
}

// patience is the least time to wait for a platform that said n times in a row
// that it is busy, whatever it says now: a second, doubling up to five minutes.
func patience(n int) time.Duration { return min(time.Second<<min(n, 9), 5*time.Minute) }

// asked is how long to wait for a platform that asks for so much, and had no time
// n times in a row before.
func (t Tempo) asked(so time.Duration, n int) time.Duration {
	return max(min(so, longestWait), t.of(patience(n)))
}

// exhausted reports whether a job that failed so often for so long is given up.
func exhausted(attempts int, age time.Duration) bool {
	return attempts >= enoughAttempts && age >= enoughTime || age >= longestTime
}

// failing is the change of a target after one more transient failure.
func failing(now time.Time, tempo Tempo) change {
	return func(t store.TargetRow) store.TargetRow {
		t.Failures++
		if t.Failures < breakerFailures {
			return t
		}
		until := now.Add(tempo.of(min(breakerFirst<<min(t.Opened, 8), breakerLongest)))
		t.Opened++
		if until.After(t.Until) {
			t.Until, t.Why = until, string(breaker)
		}
		return t
	}
}

// answering is the change of a target that took something, or refused it for what
// it was: it is there. What it said of its rate still holds.
func answering(now time.Time) change {
	return func(t store.TargetRow) store.TargetRow {
		t.Failures, t.Opened = 0, 0
		if t.Why != string(rateLimited) || !t.Until.After(now) {
			t.Until = time.Time{}
			if !t.Closed {
				t.Why = ""
			}
		}
		return t
	}
}

// accepting is answering for a target that took something: it is not gone.
func accepting(now time.Time) change {
	return func(t store.TargetRow) store.TargetRow {
		if t.Closed {
			t.Closed, t.Why = false, ""
		}
		return answering(now)(t)
	}
}

// pausing is the change of a target that wants nothing before a time.
func pausing(until time.Time, why Reason) change {
	return func(t store.TargetRow) store.TargetRow {
		if until.After(t.Until) && !t.Closed {
			t.Until, t.Why = until, string(why)
		}
		return t
	}
}

// closing is the change of a target that is gone.
func closing(t store.TargetRow) store.TargetRow {
	t.Closed, t.Why, t.Until = true, string(TargetGone), time.Time{}
	return t
}

// moving is the change of a target that is another now.
func moving(to string) change {
	return func(t store.TargetRow) store.TargetRow {
		t.Moved = to
		return t
	}
}

// Why a target waits.
const (
	breaker     Reason = "breaker"
	rateLimited Reason = "rate_limited"
)
