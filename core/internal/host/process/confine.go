package process

import (
	"os"
	"syscall"
)

// A Confine confines the calling thread for good, so that a process which is
// started from it is confined, too: to the open binary and to dir, the directory
// for its socket. It may set in attr what the start needs. It returns the level
// that was reached, in words for a person. It is called on a thread that does
// nothing else and ends with the process. An error, best a [*fault.Error], keeps
// the process from being started.
type Confine func(binary *os.File, dir string, attr *syscall.SysProcAttr) (level string, err error)

// NotConfined is the level of a process that nothing confines.
const NotConfined = "not sandboxed"
