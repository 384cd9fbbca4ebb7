package sandbox

import "strconv"

// newestABI is the newest version of Landlock that this package makes use of.
const newestABI = 9

// A Level says by what a process is restricted. The zero Level means: by
// nothing. Levels can be compared with ==.
type Level struct {
	// Landlock is the version of Landlock's interface in use, 0 for none: 1 came
	// with Linux 5.13, 4 with 6.7, 6 with 6.12, 7 with 6.15, 9 with 7.1. To a
	// process without a network they make no difference that shows.
	Landlock int

	// Seccomp says that system calls are filtered.
	Seccomp bool
}

// String returns "none", "seccomp", "landlock-7" or "landlock-7+seccomp".
func (l Level) String() string {
	s := "none"
	if l.Landlock > 0 {
		s = "landlock-" + strconv.Itoa(l.Landlock)
		if l.Seccomp {
			s += "+seccomp"
		}
	} else if l.Seccomp {
		s = "seccomp"
	}
	return s
}

// Sandboxed reports whether a process at this level has no files, no processes
// and, unless its policy says otherwise, no network. Both mechanisms are needed
// for that, and the first version of Landlock is enough.
func (l Level) Sandboxed() bool { return l.Landlock >= 1 && l.Seccomp }

// ScopesSignals reports whether the kernel keeps signals from leaving the
// sandbox. Where it does not, the filter refuses to send any.
func (l Level) ScopesSignals() bool { return l.Landlock >= 6 }

// Covers reports whether a process at l is restricted by everything that
// restricts one at other.
func (l Level) Covers(other Level) bool {
	return l.Landlock >= other.Landlock && (l.Seccomp || !other.Seccomp)
}

// Gaps lists, a sentence each, what a process at this level can do although its
// policy does not say so. It returns nil where nothing is left open, as without a
// network on every kernel with both mechanisms. Network
// says whether the policy gives it a network.
func (l Level) Gaps(network bool) []string {
	var gaps []string
	add := func(open bool, gap string) {
		if open {
			gaps = append(gaps, gap)
		}
	}
	add(l.Landlock < 1, "It can read and write the files of its user (Landlock would refuse it, from Linux 5.13).")
	add(!l.Seccomp, "It can start processes, open sockets and reach other processes (seccomp would refuse it, on amd64 and arm64).")
	if network || !l.Seccomp {
		add(l.Landlock < 4, "It can listen on TCP ports (Landlock refuses it from Linux 6.7).")
		add(l.Landlock >= 4, "It can listen on a TCP port that the kernel chooses (no Linux refuses it).")
		add(l.Landlock < 6, "It can connect to abstract unix sockets (Landlock refuses it from Linux 6.12).")
		add(l.Landlock < 9, "It can connect to the unix sockets of its user (Landlock refuses it from Linux 7.1).")
	}
	return gaps
}
