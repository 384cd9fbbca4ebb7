package crash

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-1ae66336/vak/core"
)

// prepare is what a child does once it is open: a write beyond its limit is an
// error for it and not its end.
func prepare() { signal.Ignore(syscall.SIGXFSZ) }

// cannot skips a test of faults that this machine does not let us make, or fails
// it where VAK_REQUIRE says that it does.
func cannot(t *testing.T, why string) {
	t.Helper()
	if strings.Contains(os.Getenv("VAK_REQUIRE"), "faults") {
		t.Fatal("VAK_REQUIRE asks for faults: " + why)
	}
	t.Skip(why)
}

// begin starts a host that ends with the test, or after a minute.
func begin(t *testing.T, home, url string, within ...string) *child {
	t.Helper()
	c, err := start(home, url, within...)
	if err != nil {
		t.Fatal(err)
	}
	bound(t, c)
	return c
}

func bound(t *testing.T, c *child) {
	timer := time.AfterFunc(time.Minute, func() { c.cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop(); c.kill() })
}

// end has a host end by itself.
func (c *child) end(t *testing.T) {
	t.Helper()
	c.in.Close()
	for c.out.Scan() {
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the host ended with %v: %s", err, c.stderr.String())
	}
}

// acceptSoon has a host accept a job where there is room again. What was on its way
// to the disk before that may still have it refused.
func (c *child) acceptSoon(t *testing.T, o order) {
	t.Helper()
	said := c.ask(o)
	for until := time.Now().Add(20 * time.Second); strings.HasPrefix(said, "!full ") && time.Now().Before(until); said = c.ask(o) {
		time.Sleep(time.Millisecond)
	}
	if said != o.ID {
		t.Fatalf("with room the host says %q: %s", said, c.stderr.String())
	}
}

// kept opens a home, without delivering, and checks that all that was accepted is
// in it and readable, and nothing that was refused. The others may be there.
func kept(t *testing.T, home string, accepted, refused []order) {
	t.Helper()
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, NoDelivery: true, InProcess: plugins("http://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, o := range accepted {
		j, err := c.Job(t.Context(), o.ID)
		if err != nil {
			t.Errorf("job %s was accepted: %v", o.ID, err)
			continue
		}
		if _, err := c.JobHistory(t.Context(), o.ID); err != nil {
			t.Errorf("job %s (%s): its history: %v", o.ID, j.State, err)
		}
		if _, err := c.Packet(t.Context(), o.ID); err != nil {
			t.Errorf("job %s (%s): its content: %v", o.ID, j.State, err)
		}
	}
	for j, err := range c.Jobs(t.Context(), core.JobFilter{States: core.JobStates}) {
		if err != nil {
			t.Error(err)
		}
		if slices.ContainsFunc(refused, func(o order) bool { return o.ID == j.ID }) {
			t.Errorf("job %s was refused and is %s", j.ID, j.State)
		}
	}
	s, err := c.Session(t.Context(), core.Notices)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Lines(t.Context(), 1) {
		if err != nil {
			t.Errorf("the ledger: %v", err)
		}
	}
	h, err := c.Health(t.Context())
	if err != nil || h.ReadOnly != nil || h.NewWork != nil {
		t.Errorf("health: %+v, %v", h, err)
	}
}

// takeAll is a platform that takes everything.
func takeAll(t *testing.T) (*platform, string) {
	p := newPlatform()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL
}

// TestShortWrites has the kernel write half of what a host keeps, by a limit on
// the size of its files.
func TestShortWrites(t *testing.T) {
	p, url := takeAll(t)
	home := t.TempDir()
	c := begin(t, home, url)
	pid := c.cmd.Process.Pid
	var accepted, refused []order
	next := func(size int) order {
		id := fmt.Sprintf("r0-%d", len(accepted)+len(refused))
		return order{ID: id, Target: "chat:" + id, Text: text(id, size)}
	}
	for round := range 8 {
		o := next(2)
		c.acceptSoon(t, o)
		accepted = append(accepted, o)
		st, err := os.Stat(segment(t, home))
		if err != nil {
			t.Fatal(err)
		}
		limit := unix.Rlimit{Cur: uint64(st.Size()) + 100 + 37*uint64(round), Max: unix.RLIM_INFINITY}
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
			cannot(t, "the limits of a process cannot be set: "+err.Error())
		}
		for range 3 { // what delivers meanwhile may have it refused sooner
			o := next(40)
			switch said := c.ask(o); {
			case strings.HasPrefix(said, "!full "):
				if !strings.Contains(said, "make room") {
					t.Errorf("it does not say what to do: %s", said)
				}
				refused = append(refused, o)
			default:
				t.Fatalf("beyond the limit it says %q", said)
			}
		}
		limit.Cur = unix.RLIM_INFINITY
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
			t.Fatal(err)
		}
	}
	c.kill()
	kept(t, home, accepted, refused)
	l := settle(t, home, url, accepted)
	report(t, p, l, accepted, nil, 0)
}

// TestFull fills the disk under a host: nothing new is accepted, what was accepted
// goes on, and with room again so does everything.
func TestFull(t *testing.T) {
	if os.Getuid() != 0 {
		cannot(t, "only root can mount a small disk")
	}
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=12m"); err != nil {
		cannot(t, "a small disk cannot be mounted: "+err.Error())
	}
	t.Cleanup(func() { unmount(t, dir) })
	home, ballast := filepath.Join(dir, "home"), filepath.Join(dir, "ballast")
	p, url := takeAll(t)
	gate := make(chan struct{})
	p.gate = gate
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	c := begin(t, home, url)
	var accepted, refused []order
	next := func() order {
		id := fmt.Sprintf("r0-%d", len(accepted)+len(refused))
		return order{ID: id, Target: "chat:" + id, Text: text(id, 6)}
	}
	for range 20 {
		o := next()
		if said := c.ask(o); said != o.ID {
			t.Fatalf("with room the host says %q", said)
		}
		accepted = append(accepted, o)
	}
	fill(t, ballast)
	for len(refused) < 3 { // there may be room left in what was begun
		o := next()
		switch said := c.ask(o); {
		case said == o.ID && len(refused) == 0 && len(accepted) < 100:
			accepted = append(accepted, o)
		case strings.HasPrefix(said, "!full ") && strings.Contains(said, "make room"):
			refused = append(refused, o)
		default:
			t.Fatalf("on a full disk the host says %q behind %d refusals", said, len(refused))
		}
	}
	if said := c.ask(order{Do: "doctor"}); !strings.Contains(said, "nothing new is accepted") || !strings.Contains(said, "make room") {
		t.Errorf("a doctor says %s", said)
	}
	open()
	p.waitFor(t, accepted)
	o := next()
	if said := c.ask(o); !strings.HasPrefix(said, "!full ") {
		t.Errorf("with the reserve in use it says %q", said)
	}
	refused = append(refused, o)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	o = next()
	c.acceptSoon(t, o)
	accepted = append(accepted, o)
	p.waitFor(t, accepted)
	if said := c.ask(order{Do: "doctor"}); strings.Contains(said, "nothing new is accepted") || strings.Contains(said, "is used") {
		t.Errorf("with room a doctor says %s", said)
	}
	c.end(t)
	kept(t, home, accepted, refused)
	l := settle(t, home, url, accepted)
	report(t, p, l, accepted, nil, 0)
}

// fill leaves no room on a disk.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// unmount unmounts a disk, whoever still uses it.
func unmount(t *testing.T, dir string) {
	if err := unix.Unmount(dir, 0); err == nil {
		return
	}
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil && err != unix.EINVAL {
		t.Errorf("%s stays mounted: %v", dir, err)
	}
}
