package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// An outcome says from which version of Landlock on an attempt is refused; 0 is
// by the filter alone.
type outcome int

const succeeds outcome = -1

// attempts is what the probe tries. "Free" says that an ordinary user can do it
// on any kernel, so that without a sandbox the attempt has to succeed: otherwise
// the row would prove nothing.
var attempts = []struct {
	name, why         string
	render, transport outcome
	free              bool
}{
	{"read /etc/passwd", "files of the system", 1, 1, true},
	{"read /etc/passwd by /proc/self/root", "Landlock goes by the file, not the path", 1, 1, true},
	{"read /etc/resolv.conf", "the read set of transports", 1, succeeds, false},
	{"read a granted file", "Policy.Read of a directory", 1, succeeds, true},
	{"list a granted directory", "the same", 1, succeeds, true},
	{"write in a granted directory", "a right to read is none to write", 1, 1, true},
	{"list /", "directories", 1, 1, true},
	{"read environ of the host", "secrets", 1, 1, true},
	{"open mem of the host", "the whole host", 1, 1, false},
	{"read a file outside", "files of the user", 1, 1, true},
	{"append to a file outside", "", 1, 1, true},
	{"create outside", "", 1, 1, true},
	{"create in /tmp", "", 1, 1, true},
	{"truncate by path", "Landlock knows it from version 3, the filter always", 0, 0, true},
	{"chmod", "Landlock does not know it", 0, 0, true},
	{"chown", "Landlock does not know it", 0, 0, true},
	{"utimes", "Landlock does not know it", 0, 0, true},
	{"setxattr", "Landlock does not know it", 0, 0, false},
	{"watch", "what the user does with files", 0, 0, true},
	{"link in", "a file outside would get a name inside", 1, 1, false},
	{"rename in", "the same", 1, 1, false},
	{"remove outside", "", 1, 1, true},
	{"symlink", "would lead the host astray", 1, 1, true},
	{"mkfifo", "would let the host wait", 1, 1, true},
	{"memfd_create", "a file that Landlock has no say in", 0, 0, true},
	{"create in its directory", "go-plugin makes its socket this way", succeeds, succeeds, true},
	{"read back", "", succeeds, succeeds, true},
	{"mkdir in its directory", "TMPDIR is there", succeeds, succeeds, true},
	{"list its directory", "", succeeds, succeeds, true},
	{"write /dev/null", "", succeeds, succeeds, true},

	{"clone", "one process", 0, 0, true},
	{"clone3", "one process", 0, 0, true},
	{"os/exec", "no shell", 0, 0, true},
	{"os/exec of itself", "one process", 0, 0, true},
	{"threads", "Go needs them", succeeds, succeeds, true},
	{"unshare", "", 0, 0, true},
	{"mount", "", 0, 0, false},
	{"setsid", "", 0, 0, false},
	{"setpgid to the host's", "it would be taken for the host, and not be killed with its own", 0, 0, true},
	{"setpgid to its own", "as Go does when it starts it", succeeds, succeeds, true},
	{"outlive the host", "", 0, 0, true},
	{"die with the host", "as Go does when it starts it", succeeds, succeeds, true},
	{"have capabilities", "a host of root's has them, its plugins have not", 0, 0, false},
	{"setresuid", "to the same user, which everybody may", 0, 0, true},

	{"kill the host", "", 0, 0, true},
	{"kill its group", "", 0, 0, true},
	{"tgkill the host", "", 0, 0, true},
	{"pidfd_send_signal to the host", "", 0, 0, true},
	{"pidfd_getfd of the host", "", 0, 0, false},
	{"ask for a signal to the host", "", 0, 0, true},
	{"ptrace the host", "", 0, 0, false},
	{"process_vm_readv of the host", "", 0, 0, false},
	{"limit the host", "needs no right but the same user", 0, 0, true},
	{"schedule the host", "the same", 0, 0, true},
	{"nice the host", "the same", 0, 0, true},
	{"keyctl", "", 0, 0, false},
	{"shmget", "memory of other processes", 0, 0, false},
	{"io_uring", "does what the filter refuses", 0, 0, false},
	{"bpf", "", 0, 0, false},
	{"perf_event_open", "", 0, 0, false},
	{"userfaultfd", "", 0, 0, false},
	{"a call newer than the filter", "", 0, 0, false},
	{"x32", "the numbers of another table", 0, 0, false},

	{"dial TCP", "", 0, succeeds, true},
	{"dial UDP", "", 0, succeeds, true},
	{"listen on TCP", "transports connect, they do not serve", 0, 4, true},
	{"listen on a TCP port of the kernel's choice", "a gap: there is no right for it", 0, succeeds, true},
	{"socket mptcp", "Landlock does not take it for TCP", 0, 0, false},
	{"socket inet", "", 0, succeeds, true},
	{"socket inet6", "", 0, succeeds, false},
	{"socket udp", "", 0, succeeds, true},
	{"socket sctp", "loads a module of the kernel", 0, 0, false},
	{"socket raw", "", 0, 0, false},
	{"socket packet", "", 0, 0, false},
	{"socket netlink", "", 0, 0, true},
	{"socket vsock", "reaches the host of a virtual machine", 0, 0, false},
	{"socket alg", "", 0, 0, false},
	{"socket unix datagram", "sends to others without connecting", 0, 0, true},
	{"socket unix packet", "", 0, 0, true},
	{"pair of datagram sockets", "one of them can still send to others", 0, 0, true},
	{"pair of stream sockets", "goes nowhere, and Python's asyncio needs it", succeeds, succeeds, true},
	{"connect to a unix socket", "container engines, key agents, session buses", 0, 9, true},
	{"connect to an abstract unix socket", "session buses, X11", 0, 6, true},
	{"listen in its directory", "this is how it serves", succeeds, succeeds, true},
	{"listen on an abstract name", "a gap: there is no right for it", succeeds, succeeds, true},
	{"listen on a unix socket outside", "", 1, 1, true},
}

// TestProbes tries everything in both roles, at every level that the kernel can
// be made to behave like.
func TestProbes(t *testing.T) {
	need(t, whole)
	most := Supported()
	levels := []Level{{Landlock: 0, Seccomp: true}}
	for abi := 1; abi <= most.Landlock; abi++ {
		levels = append(levels, Level{Landlock: abi, Seccomp: true})
	}
	for _, with := range levels {
		for _, network := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/network=%v", with, network), func(t *testing.T) {
				s := setUp(t, os.Getpid())
				p := Policy{Socket: s.Dir, Network: network}
				if network {
					p.Read = append(TransportReadSet(), s.Lib)
				}
				results := launch{policy: p, with: with}.attempts(t, s)
				for _, a := range attempts {
					want, got := a.render, result(t, results, a.name)
					if network {
						want = a.transport
					}
					switch {
					case want == succeeds && got != 0:
						t.Errorf("%s: %v; it should succeed (%s)", a.name, got, a.why)
					case want != succeeds && int(want) <= with.Landlock && got == 0:
						t.Errorf("%s: succeeds; it should be refused (%s)", a.name, a.why)
					case int(want) > with.Landlock && a.free && got != 0 && os.Getuid() != 0: // root is without its capabilities
						t.Errorf("%s: %v; below version %d nothing refuses it (%s)", a.name, got, want, a.why)
					}
				}
				if len(results) != len(attempts) {
					t.Errorf("%d attempts, %d in the table", len(results), len(attempts))
				}
				if b, err := os.ReadFile(s.File); with.Landlock > 0 && (err != nil || string(b) != "precious") {
					t.Errorf("the file outside is %q, %v", b, err)
				}
			})
		}
	}
}

// TestProbesFree makes sure that the attempts succeed without a sandbox.
func TestProbesFree(t *testing.T) {
	victim := exec.Command(probe, "wait")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Wait()
	defer victim.Process.Kill()
	if _, err := out.Read(make([]byte, 1)); err != nil { // it is past execve
		t.Fatal(err)
	}
	s := setUp(t, victim.Process.Pid)
	results := launch{policy: Policy{Socket: s.Dir}, free: true}.attempts(t, s)
	for _, a := range attempts {
		if got := result(t, results, a.name); a.free && got != 0 {
			t.Errorf("%s: %v without a sandbox", a.name, got)
		}
	}
}

func result(t *testing.T, results map[string]int, name string) syscall.Errno {
	t.Helper()
	r, ok := results[name]
	if !ok {
		t.Fatalf("the probe does not try %q", name)
	}
	return syscall.Errno(r)
}

// TestUnprivileged runs the tests that ask the kernel as a user without
// privileges, to whom it refuses different things than to root.
func TestUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		return // as everything else here
	}
	tmp := shortDir(t)
	if err := os.Chmod(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^Test(Probes|ProbesFree|Exec|Guess|ForeignArch|Serves|HostStaysFree|LandlockAlone|Dynamic|Interpreter)$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"VAK_TEST_PROBE=" + probe, "TMPDIR=" + tmp, "PATH=/usr/bin:/bin", "VAK_REQUIRE=" + os.Getenv("VAK_REQUIRE")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}, Pdeathsig: unix.SIGKILL}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
