package host

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestSandboxIsOnByDefault has a plugin, started as every other, reach for what
// is not its own. Without the sandbox it gets all of it, or this tests nothing.
func TestSandboxIsOnByDefault(t *testing.T) {
	if !Sandbox().Whole {
		if strings.Contains(os.Getenv("VAK_REQUIRE"), "sandbox") {
			t.Fatal("VAK_REQUIRE asks for a sandbox and there is none")
		}
		t.Skip("no sandbox on this system")
	}
	leavesNothing(t)
	dir := shortDir(t)
	victim := exec.Command(built.fixture, "linger")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { victim.Process.Kill(); victim.Wait() }) // when nothing traces it any more: what is traced cannot be waited for
	listen := func(network, address string) string {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return network + " " + l.Addr().String()
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	host, other := strconv.Itoa(os.Getpid()), strconv.Itoa(victim.Process.Pid)
	probes := []struct{ do, want string }{
		{"read /etc/passwd", "permission denied"},
		{"write " + filepath.Join(dir, "was-here"), "permission denied"},
		{"write " + filepath.Join(built.dir, "was-here"), "permission denied"},
		{"exec /bin/true", "operation not permitted"},
		{"dial " + listen("tcp", "127.0.0.1:0"), "operation not permitted"},
		{"dial udp " + udp.LocalAddr().String(), "operation not permitted"},
		{"dial " + listen("unix", filepath.Join(dir, "s")), "operation not permitted"},
		{"dial " + listen("unix", "@vak-test-"+host), "operation not permitted"},
		{"signal " + host, "not permitted"},
		{"signal " + other, "not permitted"},
		{"trace " + other, "not permitted"},
		{"read /proc/" + host + "/environ", "permission denied"},
		{"read /proc/" + other + "/environ", "permission denied"},
	}
	h := open(t, Config{}, "good")
	for _, p := range probes {
		if got := say(t, h, "good", p.do); got == "done" || !strings.Contains(got, p.want) {
			t.Errorf("%s: %s, want %s", p.do, got, p.want)
		}
	}
	if got := say(t, h, "good", "trace "+host); !strings.Contains(got, "not permitted") {
		t.Errorf("tracing the host: %s", got)
	}
	if s := h.Status()[0]; s.Sandbox != Sandbox().Level || s.FirstParty {
		t.Errorf("status %+v", s)
	}
	h = open(t, Config{noSandbox: true}, "good")
	for _, p := range probes {
		got := say(t, h, "good", p.do)
		if strings.HasPrefix(p.do, "trace ") && strings.Contains(got, "not permitted") {
			continue // where the system lets nobody trace what he has not started
		}
		if got != "done" {
			t.Errorf("without the sandbox: %s: %s", p.do, got)
		}
	}
}
