//go:build unix

package home

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks f without waiting, and reports whether it could.
func tryLock(f *os.File, m mode) (bool, error) {
	how := syscall.LOCK_SH
	if m == exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, err
		}
	}
}

// alive reports whether there is a process with this id. One of somebody else
// may not be signalled, but is there.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return pid > 0 && (err == nil || errors.Is(err, syscall.EPERM))
}
