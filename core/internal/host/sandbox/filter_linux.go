package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// An instruction is one of classic BPF, as the kernel takes it.
type instruction unix.SockFilter

// What a filter answers.
const (
	allow = uint32(unix.SECCOMP_RET_ALLOW)
	kill  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
)

// refuse answers a call with an error.
func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// prMark is an operation of prctl that no kernel knows. The filter answers it
// with markAnswer, so that a thread can find out that it has one.
const (
	prMark     = 0x76616b73 // "vaks"
	markAnswer = unix.EALREADY
)

// fioSetOwn is FIOSETOWN of asm/sockios.h, the same on both architectures.
const fioSetOwn = 0x8901

// newest is the newest system call, in both tables of numbers, that somebody has
// looked at for what it could be used for. Later ones answer ENOSYS, as they do
// on a kernel without them; so do the numbers of x32, from 0x40000000 and, by an
// old mistake, 512 on.
const newest = 471 // rseq_slice_yield

// Where the parts of a call are that the filter sees (struct seccomp_data).
const (
	offNumber = 0
	offArch   = 4
)

// low and high are the halves of an argument; both architectures are little
// endian.
func low(arg uint32) uint32  { return 16 + 8*arg }
func high(arg uint32) uint32 { return low(arg) + 4 }

func load(offset uint32) instruction {
	return instruction{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func mask(bits uint32) instruction {
	return instruction{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: bits}
}

func answer(a uint32) instruction {
	return instruction{Code: unix.BPF_RET | unix.BPF_K, K: a}
}

// unless skips the next n instructions if the accumulator is not value.
func unless(value uint32, n int) instruction {
	return instruction{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(n), K: value}
}

// answerIf answers a if the accumulator is value.
func answerIf(value, a uint32) []instruction {
	return []instruction{unless(value, 1), answer(a)}
}

func join(parts ...[]instruction) []instruction {
	var all []instruction
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// A rule is what the filter does with one system call: code that always ends in
// an answer.
type rule struct {
	call string
	code []instruction
}

// program assembles the filter. It is read from the top: another architecture,
// unknown calls, the rules one by one, and what is left is allowed.
func program(a *arch, network bool, with Level, t token) []instruction {
	p := []instruction{load(offArch), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: a.audit}, answer(kill), load(offNumber)}
	p = append(p, instruction{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, Jf: 1, K: newest}, answer(refuse(unix.ENOSYS)))
	for _, r := range filterRules(network, with, t) {
		if n, ok := a.number(r.call); ok {
			p = append(p, unless(n, len(r.code)))
			p = append(p, r.code...)
		}
	}
	return append(p, answer(allow))
}

// filterRules lists what is not simply allowed.
func filterRules(network bool, with Level, t token) []rule {
	eperm := refuse(unix.EPERM)
	never := []instruction{answer(eperm)}
	// zeros allows a call whose given arguments are 0: it is about the caller.
	zeros := func(args ...uint32) []instruction {
		var code []instruction
		for i, a := range args {
			code = append(code, load(low(a)), unless(0, 2*(len(args)-1-i)+1))
		}
		return append(code, answer(allow), answer(eperm))
	}
	// except refuses some values of an argument.
	except := func(arg uint32, values ...uint32) []instruction {
		code := []instruction{load(low(arg))}
		for _, v := range values {
			code = append(code, answerIf(v, eperm)...)
		}
		return append(code, answer(allow))
	}

	rules := []rule{
		{"clone", cloneRule(t)},
		{"clone3", []instruction{answer(refuse(unix.ENOSYS))}}, // its flags are in memory, where a filter sees nothing; libraries then use clone
		{"socket", socketRule(network)},
		{"socketpair", socketRule(false)},

		{"prctl", join(
			[]instruction{load(low(0))},
			answerIf(prMark, refuse(markAnswer)),
			[]instruction{unless(unix.PR_SET_PDEATHSIG, 4), load(low(1))}, // it must die with the host
			answerIf(uint32(unix.SIGKILL), allow),
			[]instruction{answer(eperm), answer(allow)},
		)},
		{"setpgid", zeros(0, 1)}, // from its group, which is how it is found and ended
		{"prlimit64", zeros(0)},  // limits of any process of the same user
		{"sched_setaffinity", zeros(0)},
		{"sched_setscheduler", zeros(0)},
		{"sched_setparam", zeros(0)},
		{"sched_setattr", zeros(0)},
		{"setpriority", zeros(0, 1)},
		{"fcntl", except(1, unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG)}, // any signal to any process, when a descriptor is ready
		{"ioctl", except(1, fioSetOwn, unix.SIOCSPGRP, unix.TIOCSTI, unix.TIOCLINUX)},
	}
	if !network {
		// Landlock leaves unix sockets open to connect to, by path before Linux 7.1:
		// those of a container engine, a session bus, an agent of keys.
		rules = append(rules, rule{"connect", never})
	}
	if !with.ScopesSignals() {
		for _, call := range []string{"kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"} {
			rules = append(rules, rule{call, never})
		}
		// Go interrupts its own threads by this one, which every process ignores
		// unless it asks for it.
		rules = append(rules, rule{"tgkill", join([]instruction{load(low(2))}, answerIf(uint32(unix.SIGURG), allow), never)})
	}
	for _, call := range refused {
		rules = append(rules, rule{call, never})
	}
	return rules
}

// cloneRule allows threads, and what has the token.
func cloneRule(t token) []instruction {
	const (
		thread     = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
		namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	)
	return join(
		[]instruction{load(high(0)), unless(0, 5), load(low(0)), mask(thread | namespaces)},
		answerIf(thread, allow),
		[]instruction{answer(refuse(unix.EPERM))},
		answerIf(uint32(t), allow),
		[]instruction{answer(kill)},
	)
}

// socketRule allows unix stream sockets and, with a network, TCP and UDP. MPTCP,
// which Go's listeners try first, is TCP that Landlock does not know for such.
func socketRule(network bool) []instruction {
	const typeBits = 0xf // the rest are flags
	unixStream := join(
		[]instruction{load(low(1)), mask(typeBits)},
		answerIf(unix.SOCK_STREAM, allow),
		[]instruction{answer(refuse(unix.EPERM))},
	)
	code := join([]instruction{load(low(0)), unless(unix.AF_UNIX, len(unixStream))}, unixStream)
	if network {
		inet := func() []instruction {
			tail := []instruction{load(low(2))}
			for _, protocol := range []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP} {
				tail = append(tail, answerIf(protocol, allow)...)
			}
			tail = append(tail, answer(refuse(unix.EPERM)))
			return join(
				[]instruction{load(low(1)), mask(typeBits), unless(unix.SOCK_STREAM, len(tail))}, tail,
				[]instruction{unless(unix.SOCK_DGRAM, len(tail))}, tail,
				[]instruction{answer(refuse(unix.EPERM))},
			)
		}()
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			code = append(code, unless(family, len(inet)))
			code = append(code, inet...)
		}
	}
	return append(code, answer(refuse(unix.EPERM)))
}

// refused are the calls that no plugin has a use for, whatever their arguments.
var refused = []string{
	// processes, by calls that cannot make a thread, and namespaces
	"fork", "vfork", "unshare", "setns", "setsid",
	// other processes
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp",
	"pidfd_getfd", "move_pages", "migrate_pages", "ioprio_set",
	"shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink",
	// another user; a change would also take the signal at the host's end away
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups", "capset",
	// what Landlock lets anybody do to the files of the same user
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
	"utime", "utimes", "futimesat", "utimensat", "file_setattr", "truncate",
	"inotify_add_watch", "fanotify_init", "fanotify_mark", "name_to_handle_at", "open_by_handle_at",
	// files that Landlock has no say in
	"memfd_create", "memfd_secret",
	// system calls that go around the filter, and wide doors into the kernel
	"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd",
	"keyctl", "add_key", "request_key", "modify_ldt", "syslog",
	"mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr",
	"fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "listmount",
	// the machine
	"swapon", "swapoff", "reboot", "acct", "quotactl", "quotactl_fd", "sethostname", "setdomainname",
	"settimeofday", "clock_settime", "adjtimex", "clock_adjtime",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "iopl", "ioperm", "vhangup",
}

// thisArch returns the architecture this program runs on, nil if there is no
// filter for it.
func thisArch() *arch {
	switch runtime.GOARCH {
	case "amd64":
		return amd64
	case "arm64":
		return arm64
	}
	return nil
}
