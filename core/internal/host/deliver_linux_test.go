package host

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestKilledWhileItSends kills a transport from outside while its message is on
// its way.
func TestKilledWhileItSends(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	a := o.account("", "")
	release := make(chan struct{})
	defer close(release)
	o.answers(func(_ http.ResponseWriter, p posted) {
		syscall.Kill(p.PID, syscall.SIGKILL)
		<-release
	})
	_, err := h.Send(context.Background(), "courier", a, part("x"))
	_, e := fails(t, err, surface.Unknown, hostapi.CodeDied)
	if e == nil || !strings.Contains(e.Message, "killed") {
		t.Errorf("err = %+v", e)
	}
	o.answers(nil)
	sends(t, h, "courier", a, "again")
	got := o.all()
	if len(got) != 2 || got[0].PID == got[1].PID {
		t.Errorf("posted %+v, want each by a process of its own", got)
	}
}

// TestSecretsStayInMemory looks where a secret must not be.
func TestSecretsStayInMemory(t *testing.T) {
	o := openOffice(t)
	log := newTestLog()
	h := couriers(t, Config{Log: log}, "courier")
	say(t, h, "courier", "x")
	sends(t, h, "courier", o.account("", "chatty"), "x")
	if got := o.all()[0].auth; got != "Bearer "+token {
		t.Fatalf("the platform got %q", got)
	}
	for _, s := range h.Status() {
		for _, name := range []string{"cmdline", "environ"} {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.PID, name))
			if err != nil || len(b) == 0 {
				t.Fatalf("%s: %q, %v", name, b, err)
			}
			if bytes.Contains(b, []byte(token)) || bytes.Contains(b, []byte(o.url)) {
				t.Errorf("%s of the process in role %s: %q", name, s.Role, b)
			}
			if name == "cmdline" && !bytes.HasSuffix(b, []byte("\x00"+s.Role+"\x00")) {
				t.Errorf("cmdline %q, want the role %s", b, s.Role)
			}
		}
	}
	syscall.Kill(transports(h)[0].PID, syscall.SIGKILL)
	settles(func() int { return 1 - transports(h)[0].Failures }, 0)
	settles(func() int { return boolInt(transports(h)[0].lastTail() == "") }, 0)
	if tail := transports(h)[0].lastTail(); !strings.Contains(tail, "my token is "+hidden) || strings.Contains(tail, token) {
		t.Errorf("the last error says %q", tail)
	}
	h.Close() // its log is read to the end
	all := log.lines.String()
	if strings.Contains(all, token) || !strings.Contains(all, "my token is "+hidden) || !strings.Contains(all, `"token":"`+hidden+`"`) {
		t.Errorf("the log holds %s", all)
	}
}

func (s Status) lastTail() string {
	if s.LastError == nil {
		return ""
	}
	return s.LastError.Tail
}

// TestNetworkIsForTransports: the same binary reaches the network in one role
// and not in the other.
func TestNetworkIsForTransports(t *testing.T) {
	if !supported().Sandboxed() {
		t.Skip("there is no sandbox here")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	sends(t, h, "courier", o.account("", ""), "x")
	if got := say(t, h, "courier", "dial "+l.Addr().String()); !strings.Contains(got, "not permitted") && !strings.Contains(got, "denied") {
		t.Errorf("the renderer says %q", got)
	}
	for _, s := range h.Status() {
		if s.Sandbox != Sandbox().Level {
			t.Errorf("%s: %q", s.Role, s.Sandbox)
		}
	}
	// No process comes of a transport either.
	log := newTestLog()
	h = couriers(t, Config{Log: log}, "courier")
	sends(t, h, "courier", o.account("", "grandchild"), "x")
	h.Close()
	if all := log.lines.String(); !strings.Contains(all, ": operation not permitted") {
		t.Errorf("the log holds %s", all)
	}
}

// TestGrandchildOfATransport ends with it, where the sandbox lets there be one.
func TestGrandchildOfATransport(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{noSandbox: true}, "courier")
	sends(t, h, "courier", o.account("", "grandchild"), "x")
	pid := fmt.Sprint(transports(h)[0].PID)
	kids := func() (n int) {
		for _, c := range children() {
			if !strings.HasPrefix(c, pid+" ") {
				n++
			}
		}
		return n
	}
	if n := kids(); n != 1 {
		t.Fatalf("%d grandchildren, want 1", n)
	}
	h.Close()
	if n := settles(kids, 0); n != 0 {
		t.Errorf("left: %v", children())
	}
}
