//go:build unix

package compile

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has used, which other processes
// disturb less than the clock on the wall.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
