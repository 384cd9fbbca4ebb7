//go:build unix

package control

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK|unix.R_OK) == nil }

// The open files that a host needs: a few for each plugin, each connection and
// each session.
const (
	fewFiles    = 256
	enoughFiles = 1024
)

// process checks what this process got from whoever started it.
func (r *Report) process() {
	if mask, ok := umask(); ok {
		what := fmt.Sprintf("%#04o", mask)
		if mask&0o002 == 0 {
			r.Add("umask", Warn, what+": what others make for vak can be written to by everybody", "set it to 0077 for the service")
		} else {
			r.Add("umask", Fine, what, "")
		}
	}
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		r.Add("files", Warn, fmt.Sprintf("the limit of open files is not known: %v", err), "")
		return
	}
	what, mend := fmt.Sprintf("%d may be open", uint64(lim.Cur)), "raise it: ulimit -n 4096, or LimitNOFILE= of the service"
	switch {
	case lim.Cur < fewFiles:
		r.Add("files", Fail, what, mend)
	case lim.Cur < enoughFiles:
		r.Add("files", Warn, what, mend)
	default:
		r.Add("files", Fine, what, "")
	}
}
