package sandbox

import (
	"os"
	"syscall"
)

// A Policy says what is left to a process. The zero Policy leaves it nothing but
// /dev/null: it cannot even be started.
type Policy struct {
	// Socket is the directory in which the process may read, write, make and
	// remove files, directories and unix sockets. Empty means none.
	Socket string

	// Binary is the open file that will be executed, by any name: the right goes
	// with the file, so /proc/self/fd/N will do. It may be open for reading or
	// with O_PATH, it stays the caller's, and it must be open until the process
	// is started. Nil means that Execute names it.
	Binary *os.File

	// Interpreter is the program that is executed in place of Binary and reads it:
	// Binary may then be read and not executed, by /proc/self/fd and a descriptor
	// that the process inherits. The program may be linked dynamically: its loader
	// may be executed, and what [InterpreterReadSet] names be read. Empty means
	// that Binary is a program by itself.
	Interpreter string

	// Read names files, and directories with all that is in them, that the
	// process may read. A symbolic link stands for what it points to now. What
	// does not exist is skipped.
	Read []string

	// Execute is like Read for what the process may read and execute: an
	// interpreter, a dynamic loader. A statically linked binary needs none.
	Execute []string

	// Network lets the process connect over TCP and UDP, to anywhere. Without it
	// it has no socket but unix stream sockets, and cannot connect those.
	Network bool
}

// Restrict takes from the calling thread, for good, what p does not leave, and
// prepares attr, so that the process that the thread starts with attr has the
// same restrictions. It returns the level that it reached, which is that of
// [Supported].
//
// The caller goes by these rules:
//
//  1. The goroutine is locked to its thread (runtime.LockOSThread), never
//     unlocked, and ends after the process was started or has ended; Go then ends
//     the thread. The main thread, which Go never ends, is refused.
//  2. Between Restrict and the end of the thread it does nothing but start the
//     one process and wait for it. It opens no file. Signals and limits for the
//     process (kill, prlimit) are the business of other threads: on this one the
//     filter refuses them as it does to the process.
//  3. The process is started by os/exec or os.StartProcess with attr, in which
//     only Setpgid, Pdeathsig (SIGKILL) and PidFD may be set. Restrict sets
//     Cloneflags in it; only a start with exactly these is let through.
//  4. The process has the user of the host. If that is root, it is a root without
//     capabilities: a Binary of another user must be executable by everybody.
//  5. After an error the thread may be half restricted: it starts nothing and
//     ends.
//
// Errors are *[Error]. Restrict may be called on several threads at once.
func Restrict(p Policy, attr *syscall.SysProcAttr) (Level, error) {
	return restrict(p, attr, Supported())
}

// Supported returns the level that [Restrict] would reach here. It asks the
// kernel and restricts nothing.
func Supported() Level { return supported() }
