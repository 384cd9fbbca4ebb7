//go:build !unix

package acceptance

import "time"

var started = time.Now()

// cpu is the time on the clock, where the processor's is not to be had.
func cpu() time.Duration { return time.Since(started) }
