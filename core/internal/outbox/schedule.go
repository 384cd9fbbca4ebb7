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
// after the longest time whatever the count. Time that it was parked does not
// count.
const (
	enoughAttempts = 10
	enoughTime     = 24 * time.Hour
	longestTime    = 72 * time.Hour
)

// holdLimit is how long a policy may hold a job.
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

// serverFaults is how often a platform's server may fail at a part before the
// part's plain form is tried, once: some fail at the content rather than say so.
const serverFaults = 3

// delay is the time to the next attempt after n failed ones, 20 % off at most in
// either direction. chance is from 0 to 1.
func delay(n int, chance float64) time.Duration {
	d := delays[min(max(n, 1), len(delays))-1]
	return d + time.Duration((chance-0.5)*0.4*float64(d))
}

// failure returns the state of a target after one more transient failure.
func failure(t store.TargetRow, now time.Time) store.TargetRow {
	t.Failures++
	if t.Failures < breakerFailures {
		return t
	}
	pause := min(breakerFirst<<min(t.Opened, 8), breakerLongest)
	t.Opened++
	t.Until, t.Why = now.Add(pause), string(breaker)
	return t
}

// success returns the state of a target that took something.
func success(t store.TargetRow) store.TargetRow {
	return store.TargetRow{Target: t.Target, Moved: t.Moved}
}

// Why a target waits.
const (
	breaker     Reason = "breaker"
	rateLimited Reason = "rate_limited"
)
