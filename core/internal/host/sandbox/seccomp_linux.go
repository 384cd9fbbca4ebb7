package sandbox

import (
	"crypto/rand"
	"encoding/binary"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A token is a secret of the launching thread, in the upper half of the flags of
// clone(2).
//
// Go forks on the thread that carries the filter, so the filter cannot refuse
// clone to the child without refusing it to the parent; it sees the same system
// call from both. What it does see are all 64 bits of the first argument, of
// which the kernel uses the lower 32: clone() has no more flags, and since
// Linux 5.7 cuts the rest off expressly (commit 3f2c788a1314). The token goes
// there, through SysProcAttr.Cloneflags, and a clone with it passes.
//
// After execve nothing in the new program knows the token: not its memory, which
// is new, nor its registers, and a process cannot read its own filter (that takes
// CAP_SYS_ADMIN outside, and ptrace). It has one guess in 2^30: a wrong one ends
// it. A clone without any is an honest mistake and answers EPERM.
type token uint32

// newToken avoids the lowest bits, which Linux 5.5 and 5.6 took for flags of
// clone3, and 0, which is the absence of a token.
func newToken() token {
	for {
		var b [4]byte
		rand.Read(b[:])
		if t := token(binary.NativeEndian.Uint32(b[:]) &^ 3); t != 0 {
			return t
		}
	}
}

// flags returns the token as flags of clone.
func (t token) flags() uintptr {
	f := uint64(t) << 32
	return uintptr(f)
}

// install puts the calling thread, and no other, under a filter.
func install(filter []instruction) error {
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: (*unix.SockFilter)(unsafe.Pointer(&filter[0]))}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// filtered reports whether the calling thread has a filter of this package.
func filtered() bool {
	_, _, errno := unix.Syscall6(unix.SYS_PRCTL, prMark, 0, 0, 0, 0, 0)
	return errno == markAnswer
}

// seccompWorks asks whether a filter could be installed.
func seccompWorks() bool {
	if thisArch() == nil {
		return false
	}
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}
