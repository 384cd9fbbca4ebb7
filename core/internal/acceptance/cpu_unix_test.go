//go:build unix

package acceptance

import (
	"syscall"
	"time"
)

// cpu is the processor time that this process has used, its collector's
// included. Unlike the time on the clock, it does not grow with what else the
// machine is doing.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
