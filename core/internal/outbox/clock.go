package outbox

import (
	"sync"
	"time"
)

// A clock is the wall clock for as long as it goes forward. When that is set
// back, as by a time service after a bad start, this one goes on as fast as time
// passes, so that what was due in a minute is not due in three days. A jump
// forward it follows: a laptop that slept has missed what was due.
type clock struct {
	wall func() time.Time

	mu      sync.Mutex
	last    time.Time
	started time.Time // with a monotonic reading, when last was read
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The wall clock comes from outside and may be set; this one only measures.
	measured := time.Now()
	now := c.wall()
	if !c.last.IsZero() {
		if passed := c.last.Add(measured.Sub(c.started)); now.Before(passed.Add(-time.Second)) {
			now = passed
		}
	}
	c.last, c.started = now, measured
	return now.UTC().Truncate(time.Millisecond)
}

// notBefore has the clock begin at t at the earliest: something was written down
// then, so that the wall clock has been set back since.
func (c *clock) notBefore(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.last) {
		c.last, c.started = t, time.Now()
	}
}

// at is when this clock shows what the wall clock shows at t, which somebody else
// has named; zero stays zero.
func (c *clock) at(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return c.now().Add(t.Sub(c.wall())).Truncate(time.Millisecond)
}
