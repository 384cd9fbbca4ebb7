package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// call is what the kernel shows a filter, struct seccomp_data.
type call struct {
	Number, Arch uint32
	Instruction  uint64
	Args         [6]uint64
}

// judge runs a filter as the kernel would, and fails where the kernel would not
// take it.
func judge(t testing.TB, program []instruction, c call) uint32 {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, c); err != nil {
		t.Fatal(err)
	}
	var acc uint32
	for pc := 0; ; pc++ {
		if pc >= len(program) {
			t.Fatal("the filter runs off its end")
		}
		skip := func(yes bool) {
			if yes {
				pc += int(program[pc].Jt)
			} else {
				pc += int(program[pc].Jf)
			}
		}
		switch in := program[pc]; in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			if in.K%4 != 0 || in.K > 60 {
				t.Fatalf("a load from %d", in.K)
			}
			acc = binary.LittleEndian.Uint32(b.Bytes()[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			skip(acc == in.K)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			skip(acc > in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("an instruction %#x", in.Code)
		}
	}
}

const testToken token = 0x5eed_5eec

var arches = map[string]*arch{"amd64": amd64, "arm64": arm64}

var scoped, unscoped = Level{Landlock: 6, Seccomp: true}, Level{Landlock: 5, Seccomp: true}

func TestFilter(t *testing.T) {
	eperm, enosys := refuse(unix.EPERM), refuse(unix.ENOSYS)
	const (
		thread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
		vfork  = unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)
		hi     = 1 << 32
	)
	type args = [6]uint64
	for _, c := range []struct {
		call              string
		args              args
		render, transport uint32
		why               string
	}{
		{"read", args{}, allow, allow, "most calls are"},
		{"openat", args{}, allow, allow, "Landlock decides"},
		{"execve", args{}, allow, allow, "Landlock decides"},
		{"bind", args{}, allow, allow, "Landlock decides"},

		{"clone", args{thread}, allow, allow, "a thread of Go's"},
		{"clone", args{thread | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID}, allow, allow, "a thread of glibc's"},
		{"clone", args{vfork}, eperm, eperm, "a process as Go starts it, without the token"},
		{"clone", args{vfork | unix.CLONE_PIDFD}, eperm, eperm, "the same"},
		{"clone", args{uint64(unix.SIGCHLD)}, eperm, eperm, "fork"},
		{"clone", args{thread &^ unix.CLONE_THREAD}, eperm, eperm, "a process that shares everything"},
		{"clone", args{thread | unix.CLONE_NEWUSER}, eperm, eperm, "a thread in a namespace"},
		{"clone", args{thread | unix.CLONE_NEWNS}, eperm, eperm, "the same"},
		{"clone", args{uint64(testToken)*hi | vfork}, allow, allow, "the launching thread"},
		{"clone", args{uint64(testToken)*hi | vfork | unix.CLONE_PIDFD}, allow, allow, "the same, with a pidfd"},
		{"clone", args{uint64(testToken+4)*hi | vfork}, kill, kill, "a guess"},
		{"clone", args{1*hi | thread}, kill, kill, "a guess"},
		{"clone", args{uint64(testToken)}, eperm, eperm, "the token in the wrong half"},
		{"clone3", args{}, enosys, enosys, "cannot be looked into"},
		{"fork", args{}, eperm, eperm, ""},
		{"vfork", args{}, eperm, eperm, ""},
		{"unshare", args{}, eperm, eperm, ""},

		{"socket", args{unix.AF_UNIX, unix.SOCK_STREAM}, allow, allow, "the plugin's own"},
		{"socket", args{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK}, allow, allow, "the same as Go opens it"},
		{"socket", args{7*hi | unix.AF_UNIX, 7*hi | unix.SOCK_STREAM}, allow, allow, "arguments are 32 bits wide, as to the kernel"},
		{"socket", args{unix.AF_UNIX, unix.SOCK_DGRAM}, eperm, eperm, "sends without connecting"},
		{"socket", args{unix.AF_UNIX, unix.SOCK_SEQPACKET}, eperm, eperm, ""},
		{"socket", args{unix.AF_INET, unix.SOCK_STREAM}, eperm, allow, "TCP"},
		{"socket", args{unix.AF_INET6, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, unix.IPPROTO_TCP}, eperm, allow, "TCP"},
		{"socket", args{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDP}, eperm, allow, "UDP"},
		{"socket", args{unix.AF_INET6, unix.SOCK_DGRAM}, eperm, allow, "UDP"},
		{"socket", args{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, eperm, eperm, "TCP that Landlock does not know"},
		{"socket", args{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP}, eperm, eperm, ""},
		{"socket", args{unix.AF_INET6, unix.SOCK_RAW, 0}, eperm, eperm, ""},
		{"socket", args{unix.AF_NETLINK, unix.SOCK_RAW}, eperm, eperm, ""},
		{"socket", args{unix.AF_VSOCK, unix.SOCK_STREAM}, eperm, eperm, ""},
		{"socket", args{unix.AF_PACKET, unix.SOCK_RAW}, eperm, eperm, ""},
		{"socket", args{}, eperm, eperm, "no family"},
		{"socketpair", args{unix.AF_UNIX, unix.SOCK_STREAM}, allow, allow, ""},
		{"socketpair", args{unix.AF_UNIX, unix.SOCK_DGRAM}, eperm, eperm, "sends without connecting"},
		{"socketpair", args{unix.AF_INET, unix.SOCK_STREAM}, eperm, eperm, ""},
		{"connect", args{}, eperm, allow, ""},
		{"accept4", args{}, allow, allow, ""},

		{"prctl", args{unix.PR_SET_PDEATHSIG, uint64(unix.SIGKILL)}, allow, allow, "Go, before execve"},
		{"prctl", args{unix.PR_SET_PDEATHSIG, 0}, eperm, eperm, "would outlive the host"},
		{"prctl", args{unix.PR_SET_PDEATHSIG, uint64(unix.SIGURG)}, eperm, eperm, "the same"},
		{"prctl", args{7*hi | unix.PR_SET_PDEATHSIG, 0}, eperm, eperm, "the same"},
		{"prctl", args{unix.PR_SET_NAME}, allow, allow, ""},
		{"prctl", args{prMark}, refuse(markAnswer), refuse(markAnswer), "a thread may know"},
		{"setpgid", args{0, 0}, allow, allow, "Go, before execve"},
		{"setpgid", args{0, 4}, eperm, eperm, "leaves its group"},
		{"setpgid", args{4, 0}, eperm, eperm, ""},
		{"setpriority", args{0, 0, 5}, allow, allow, "its own"},
		{"setpriority", args{0, 4, 5}, eperm, eperm, "another's"},
		{"setpriority", args{2, 0, 5}, eperm, eperm, "its user's"},
		{"prlimit64", args{0, unix.RLIMIT_NOFILE, 1}, allow, allow, "Go, at start"},
		{"prlimit64", args{4, unix.RLIMIT_NOFILE, 1}, eperm, eperm, "another's"},
		{"sched_setaffinity", args{0}, allow, allow, "its own"},
		{"sched_setaffinity", args{4}, eperm, eperm, "another's"},
		{"fcntl", args{3, unix.F_SETFL}, allow, allow, ""},
		{"fcntl", args{3, unix.F_SETOWN, 4}, eperm, eperm, ""},
		{"fcntl", args{3, unix.F_SETOWN_EX}, eperm, eperm, ""},
		{"fcntl", args{3, unix.F_SETSIG}, eperm, eperm, ""},
		{"ioctl", args{3, unix.TCGETS}, allow, allow, ""},
		{"ioctl", args{3, unix.TIOCSTI}, eperm, eperm, "types into a terminal"},
		{"ioctl", args{3, fioSetOwn}, eperm, eperm, ""},

		{"io_uring_setup", args{}, eperm, eperm, ""},
		{"ptrace", args{}, eperm, eperm, ""},
		{"bpf", args{}, eperm, eperm, ""},
		{"mount", args{}, eperm, eperm, ""},
		{"kill", args{4, 9}, allow, allow, "Landlock decides"},
		{"tgkill", args{4, 4, 9}, allow, allow, "Landlock decides"},
	} {
		for name, a := range arches {
			n, ok := number(t, a, c.call)
			if !ok {
				continue
			}
			for network, want := range map[bool]uint32{false: c.render, true: c.transport} {
				if got := judge(t, program(a, network, scoped, testToken), call{Number: n, Arch: a.audit, Args: c.args}); got != want {
					t.Errorf("%s %s%x, network %v: %#x, want %#x (%s)", name, c.call, c.args, network, got, want, c.why)
				}
			}
		}
	}
}

// allowedCalls are those of the table that have no rule, and so no number.
var allowedCalls = map[string][2]int{"read": {0, 63}, "openat": {257, 56}, "execve": {59, 221}, "bind": {49, 200}, "accept4": {288, 242}}

func number(t *testing.T, a *arch, name string) (uint32, bool) {
	t.Helper()
	if n, ok := allowedCalls[name]; ok {
		return uint32(n[a.index]), true
	}
	return a.number(name)
}

// TestFilterSignals is about kernels that do not keep signals in.
func TestFilterSignals(t *testing.T) {
	for _, c := range []struct {
		call string
		sig  [6]uint64
		want uint32
		why  string
	}{
		{"kill", [6]uint64{4, 0}, refuse(unix.EPERM), ""},
		{"tkill", [6]uint64{4, uint64(unix.SIGURG)}, refuse(unix.EPERM), ""},
		{"rt_sigqueueinfo", [6]uint64{4}, refuse(unix.EPERM), ""},
		{"rt_tgsigqueueinfo", [6]uint64{4}, refuse(unix.EPERM), ""},
		{"pidfd_send_signal", [6]uint64{4}, refuse(unix.EPERM), ""},
		{"tgkill", [6]uint64{4, 4, 9}, refuse(unix.EPERM), ""},
		{"tgkill", [6]uint64{4, 4, uint64(unix.SIGURG)}, allow, "Go's own threads"},
	} {
		for name, a := range arches {
			n, _ := a.number(c.call)
			if got := judge(t, program(a, false, unscoped, testToken), call{Number: n, Arch: a.audit, Args: c.sig}); got != c.want {
				t.Errorf("%s %s: %#x, want %#x (%s)", name, c.call, got, c.want, c.why)
			}
		}
	}
}

// TestFilterEveryNumber walks all numbers: what has no rule is allowed, what is
// refused is so in every role, and what is not known is not there.
func TestFilterEveryNumber(t *testing.T) {
	for name, a := range arches {
		ruled := map[uint32]string{}
		for call := range numbers {
			if n, ok := a.number(call); ok {
				ruled[n] = call
			}
		}
		for _, network := range []bool{false, true} {
			for _, with := range []Level{scoped, unscoped} {
				p := program(a, network, with, testToken)
				if len(p) > unix.BPF_MAXINSNS || p[len(p)-1] != answer(allow) {
					t.Errorf("%s: %d instructions, the last is %v", name, len(p), p[len(p)-1])
				}
				for n := range uint32(1024) {
					got := judge(t, p, call{Number: n, Arch: a.audit})
					rule, has := ruled[n]
					switch {
					case n > newest && got != refuse(unix.ENOSYS):
						t.Errorf("%s %d: %#x", name, n, got)
					case n <= newest && !has && got != allow:
						t.Errorf("%s %d: %#x", name, n, got)
					case has && slices.Contains(refused, rule) && got != refuse(unix.EPERM):
						t.Errorf("%s %s: %#x", name, rule, got)
					}
				}
				for _, n := range []uint32{0x4000_0000, 0x4000_0000 | 59, 0x8000_0000, 0xffff_ffff} {
					if got := judge(t, p, call{Number: n, Arch: a.audit}); got != refuse(unix.ENOSYS) {
						t.Errorf("%s %#x: %#x", name, n, got)
					}
				}
				for _, foreign := range []uint32{0, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, amd64.audit ^ arm64.audit ^ a.audit} {
					if got := judge(t, p, call{Number: 1, Arch: foreign}); got != kill {
						t.Errorf("%s as %#x: %#x", name, foreign, got)
					}
				}
			}
		}
	}
}

// FuzzFilter holds every filter to what it must never do.
func FuzzFilter(f *testing.F) {
	f.Add(false, false, false, uint32(56), amd64.audit, uint64(0x11), uint64(0), uint64(0))
	f.Add(true, true, true, uint32(198), arm64.audit, uint64(1), uint64(1), uint64(0))
	f.Fuzz(func(t *testing.T, arm, network, signals bool, number, audit uint32, a0, a1, a2 uint64) {
		a, with := amd64, unscoped
		if arm {
			a = arm64
		}
		if signals {
			with = scoped
		}
		got := judge(t, program(a, network, with, testToken), call{Number: number, Arch: audit, Args: [6]uint64{a0, a1, a2}})
		if !slices.Contains([]uint32{allow, kill, refuse(unix.EPERM), refuse(unix.ENOSYS), refuse(markAnswer)}, got) {
			t.Fatalf("answers %#x", got)
		}
		if audit != a.audit {
			if got != kill {
				t.Fatalf("another architecture: %#x", got)
			}
			return
		}
		if got != allow {
			return
		}
		is := func(call string) bool { n, ok := a.number(call); return ok && n == number }
		switch {
		case number > newest:
			t.Fatal("allows a call that nobody knows")
		case is("clone") && a0>>32 != uint64(testToken) && (a0>>32 != 0 || a0&unix.CLONE_THREAD == 0 || a0&unix.CLONE_NEWUSER != 0):
			t.Fatalf("allows clone %#x", a0)
		case is("connect") && !network:
			t.Fatal("allows connect")
		case (is("socket") || is("socketpair")) && uint32(a0) != unix.AF_UNIX && !(network && is("socket") && (uint32(a0) == unix.AF_INET || uint32(a0) == unix.AF_INET6)):
			t.Fatalf("allows a socket of family %d", uint32(a0))
		case is("socket") && uint32(a1)&0xf != unix.SOCK_STREAM && !(uint32(a0) != unix.AF_UNIX && uint32(a1)&0xf == unix.SOCK_DGRAM):
			t.Fatalf("allows a socket of type %d", uint32(a1))
		case slices.ContainsFunc(refused, is):
			t.Fatalf("allows %d", number)
		}
	})
}

func TestToken(t *testing.T) {
	for range 1000 {
		tok := newToken()
		if tok == 0 || tok&3 != 0 {
			t.Fatalf("%#x", tok)
		}
		if f := uint64(tok.flags()); f != uint64(tok)<<32 {
			t.Fatalf("%#x", f)
		}
	}
}

// TestNumbers compares the numbers with those of package unix, for both
// architectures, and makes sure that the newest is the newest it knows.
func TestNumbers(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range arches {
		file := filepath.Join(strings.TrimSpace(string(dir)), "unix", fmt.Sprintf("zsysnum_linux_%s.go", name))
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]int{}
		most := 0
		for _, d := range parsed.Decls {
			for _, s := range d.(*ast.GenDecl).Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				n, err := strconv.Atoi(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				known[strings.ToLower(strings.TrimPrefix(v.Names[0].Name, "SYS_"))] = n
				most = max(most, n)
			}
		}
		for call, n := range numbers {
			want, ok := known[call]
			if !ok {
				want = -1
			}
			if n[a.index] != want {
				t.Errorf("%s on %s is %d, not %d", call, name, want, n[a.index])
			}
		}
		for call, n := range allowedCalls {
			if n[a.index] != known[call] {
				t.Errorf("%s on %s is %d, not %d", call, name, known[call], n[a.index])
			}
		}
		if most != newest {
			t.Errorf("%s has calls up to %d; look at what is new, then raise newest from %d", name, most, newest)
		}
	}
	for call, n := range numbers {
		if n[0] < 0 && n[1] < 0 {
			t.Errorf("%s is nowhere", call)
		}
	}
}
