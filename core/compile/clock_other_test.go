//go:build !unix

package compile

import "time"

var started = time.Now()

func cpuTime() time.Duration { return time.Since(started) }
