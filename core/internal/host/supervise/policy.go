package supervise

import (
	"math/rand/v2"
	"time"
)

// A Policy says how patient a supervisor is. A zero field means its default.
type Policy struct {
	// Between a failure and the next start: at first FirstBackoff (0.2 s),
	// doubling with each failure in a row to MaxBackoff (30 s), give or take
	// Jitter (0.2) of it. A process that was healthy for Healthy (60 s) ends the
	// row.
	FirstBackoff, MaxBackoff time.Duration
	Jitter                   float64
	Healthy                  time.Duration

	// This many Failures (5) within Window (10 min) are too many.
	Failures int
	Window   time.Duration

	// A process that is idle is asked every CheckEvery (10 s) whether it can
	// serve, and has CheckTimeout (1 s) to answer. After Misses (2) in a row it
	// has failed.
	CheckEvery, CheckTimeout time.Duration
	Misses                   int

	// Patience (0.5 s) is how long a lease waits for the next start. With the
	// first two backoffs that is long enough, so that one crash makes no answer
	// plain; with those of a plugin that keeps failing it is not.
	Patience time.Duration

	// Random returns a number in [0, 1) for the jitter; nil: math/rand.
	Random func() float64
}

func (p Policy) withDefaults() Policy {
	duration := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	count := func(n *int, def int) {
		if *n <= 0 {
			*n = def
		}
	}
	duration(&p.FirstBackoff, 200*time.Millisecond)
	duration(&p.MaxBackoff, 30*time.Second)
	duration(&p.Healthy, time.Minute)
	duration(&p.Window, 10*time.Minute)
	duration(&p.CheckEvery, 10*time.Second)
	duration(&p.CheckTimeout, time.Second)
	duration(&p.Patience, 500*time.Millisecond)
	count(&p.Failures, 5)
	count(&p.Misses, 2)
	if p.Jitter <= 0 {
		p.Jitter = 0.2
	}
	if p.Random == nil {
		p.Random = rand.Float64
	}
	return p
}

// backoff is how long to wait after the nth failure in a row, n from 1.
func (p Policy) backoff(n int) time.Duration {
	d := p.FirstBackoff
	for ; n > 1 && d < p.MaxBackoff; n-- {
		d *= 2
	}
	d = min(d, p.MaxBackoff)
	return time.Duration(float64(d) * (1 + p.Jitter*(2*p.Random()-1)))
}
