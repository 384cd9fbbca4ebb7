package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func pidOf(t testing.TB, s string) int {
	t.Helper()
	pid, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestUpgradeInPlace serves those who hold the old build with it for as long as it
// runs, and never starts the new one in its place.
func TestUpgradeInPlace(t *testing.T) {
	leavesNothing(t)
	dir := t.TempDir()
	folder := install(t, dir, built.fixture, "good")
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	old := h.named("good")
	release := hold(t, h, old)
	before := sayBy(t, h, old, "pid")
	upgrade(t, folder, built.fixture, "x")
	if !look(t, h) {
		t.Error("nothing changed")
	}
	now := h.named("good")
	if now == old {
		t.Fatal("the key is the same")
	}
	after := sayBy(t, h, now, "pid")
	if got := sayBy(t, h, old, "pid"); got != before || after == before {
		t.Errorf("process %s for the old one and %s for the new one, want %s for the old", got, after, before)
	}
	if s := of(h, old); len(s) != 1 || s[0].Current || strconv.Itoa(s[0].PID) != before {
		t.Errorf("status of the old one: %+v", s)
	}
	if s := of(h, now); len(s) != 1 || !s[0].Current || strconv.Itoa(s[0].PID) != after {
		t.Errorf("status of the new one: %+v", s)
	}
	groups := h.PluginGroups()
	if len(groups) != 2 {
		t.Errorf("groups %v, want both", groups)
	}

	syscall.Kill(pidOf(t, before), syscall.SIGKILL)
	until(t, "the old process is gone", func() bool { return !alive(pidOf(t, before)) })
	_, err := tryBy(h, old, "pid")
	named(t, err, NotFound, FromHost, "does not hold the plugin any more that it did; it was replaced or removed; the next turn uses")
	release()
	until(t, "the old one is gone", func() bool { return len(h.Status()) == 1 })
	if _, missing := h.Hold([]Key{old}); !errors.Is(missing[old], NotFound) {
		t.Errorf("missing %v", missing)
	}
	if got := sayBy(t, h, now, "pid"); got != after || of(h, now)[0].Failures != 0 {
		t.Errorf("process %s, want %s: %+v", got, after, of(h, now))
	}
}

// TestTwoBuildsOfAPack calls each by its key, and has each answer for itself.
func TestTwoBuildsOfAPack(t *testing.T) {
	leavesNothing(t)
	one, two := builds(t, built.pack, "good")
	h := open(t, Config{Places: Places{Folders: []string{one}}})
	old := h.named("good")
	defer hold(t, h, old)()
	syncs(t, h, Places{Folders: []string{two}})
	now := h.named("good")
	pids := map[Key]string{}
	for range 3 {
		for _, k := range []Key{old, now} {
			pid, err := lowerBy(h, k, "pid", "")
			if err != nil {
				t.Fatal(err)
			}
			if was, ok := pids[k]; ok && was != pid {
				t.Errorf("process %s, then %s", was, pid)
			}
			pids[k] = pid
		}
	}
	if pids[old] == pids[now] || old.SHA256 == now.SHA256 {
		t.Fatalf("both are the same: %v", pids)
	}
	for k, folder := range map[Key]string{old: one, now: two} {
		to, err := os.Readlink("/proc/" + pids[k] + "/exe")
		if err != nil || to != filepath.Join(folder, "good") {
			t.Errorf("process %s runs %q (%v), want that in %s", pids[k], to, err, folder)
		}
	}
	for of(h, old)[0].State != StateQuarantined { // it fails by itself
		lowerBy(h, old, "crash", "")
	}
	if pid, err := lowerBy(h, now, "pid", ""); err != nil || pid != pids[now] || of(h, now)[0].Failures != 0 {
		t.Errorf("the new one: process %s, %v, %+v", pid, err, of(h, now))
	}
	if _, err := lowerBy(h, old, "pid", ""); !errors.Is(err, Quarantined) {
		t.Errorf("the old one: %v", err)
	}
}

// TestLastReleaseDrains ends an old process with its calls when nobody holds it, and
// starts another for who holds it again.
func TestLastReleaseDrains(t *testing.T) {
	leavesNothing(t)
	one, two := builds(t, built.fixture, "good")
	h := open(t, Config{Places: Places{Folders: []string{one}}, noSandbox: true})
	old := h.named("good")
	first, second := hold(t, h, old), hold(t, h, old)
	pid := pidOf(t, sayBy(t, h, old, "pid"))
	syncs(t, h, Places{Folders: []string{two}})
	file := filepath.Join(t.TempDir(), "now")
	answer := make(chan string, 1)
	go func() {
		got, err := tryBy(h, old, "after "+file)
		if err != nil {
			got = err.Error()
		}
		answer <- got
	}()
	until(t, "the call is under way", func() bool { return of(h, old)[0].Calls == 1 })
	first()
	first() // is as if it were called once
	if got := sayBy(t, h, old, "pid"); got != strconv.Itoa(pid) {
		t.Errorf("process %s with a hold left, want %d", got, pid)
	}
	second()
	if _, err := tryBy(h, old, "pid"); !errors.Is(err, NotFound) {
		t.Errorf("a call that nobody holds it for: %v", err)
	}
	if s := of(h, old); len(s) != 1 || s[0].State != StateDraining || s[0].Calls != 1 || !alive(pid) {
		t.Errorf("while it drains: %+v", s)
	}
	third := hold(t, h, old)
	if got := sayBy(t, h, old, "pid"); got == strconv.Itoa(pid) {
		t.Error("it took a call while it drained")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got != strconv.Itoa(pid) {
		t.Errorf("the call that was under way: %q, want an answer of process %d", got, pid)
	}
	until(t, "the first process is gone", func() bool { return !alive(pid) })
	third()
	until(t, "the slot is gone", func() bool { return len(of(h, old)) == 0 && len(h.PluginGroups()) == 0 })
	if s := h.Status(); len(s) != 1 || s[0].Key != h.named("good") {
		t.Errorf("left: %+v", s)
	}
}

// TestNotAdmittedAnyMore shows a plugin as broken, ends it when nobody holds it, and
// serves those who do.
func TestNotAdmittedAnyMore(t *testing.T) {
	leavesNothing(t)
	p := Places{Folders: []string{install(t, t.TempDir(), built.fixture, "good")}}
	h := open(t, Config{Places: p})
	k := h.named("good")
	pid := pidOf(t, sayBy(t, h, k, "pid"))
	release := hold(t, h, k)
	refuses := p
	refuses.Admit = func(string, string) error { return errors.New("nobody vouches for it") }
	if !syncs(t, h, refuses) || syncs(t, h, refuses) {
		t.Error("want a change, and then none")
	}
	s := h.Surfaces()
	if len(s) != 1 || !errors.Is(s[0].Err, Untrusted) || !strings.Contains(s[0].Err.Error(), "nobody vouches") || of(h, k)[0].Current {
		t.Errorf("Surfaces = %+v", s)
	}
	if got := sayBy(t, h, k, "pid"); got != strconv.Itoa(pid) {
		t.Errorf("process %s, want %d for who holds it", got, pid)
	}
	release()
	until(t, "its process is gone", func() bool { return !alive(pid) })
	if _, err := tryBy(h, k, "pid"); !errors.Is(err, Untrusted) {
		t.Errorf("a call without a hold: %v", err)
	}
	refuses.Admit = func(string, string) error { return fmt.Errorf("somebody took it back: %w", Revoked) }
	if syncs(t, h, refuses); !errors.Is(h.Surfaces()[0].Err, Revoked) || errors.Is(h.Surfaces()[0].Err, Untrusted) {
		t.Errorf("of what is revoked: %v", h.Surfaces()[0].Err)
	}
	if !syncs(t, h, p) {
		t.Error("nothing changed")
	}
	if got := sayBy(t, h, k, "pid"); got == strconv.Itoa(pid) || of(h, k)[0].State != StateReady {
		t.Errorf("process %s again, %+v", got, of(h, k))
	}
}

// TestReplacedTransport finishes what it sends and takes nothing more, though the
// surface be held, whose renderer goes on.
func TestReplacedTransport(t *testing.T) {
	leavesNothing(t)
	o := openOffice(t)
	one, two := builds(t, built.courier, "courier")
	h := open(t, Config{Places: Places{Folders: []string{one}}})
	old := h.named("courier")
	defer hold(t, h, old)()
	if _, err := tryBy(h, old, "x"); err != nil {
		t.Fatal(err)
	}
	renderer := of(h, old)[0].PID
	slow := slowSend(t, h, o)
	before := transports(h)[0].PID
	syncs(t, h, Places{Folders: []string{two}})
	o.answers(nil)
	sends(t, h, "courier", o.account("", ""), "fast")
	all := transports(h)
	if len(all) != 2 || all[0].Key != h.named("courier") || all[0].State != StateReady || all[0].PID == before || all[1].Key != old || all[1].State != StateDraining {
		t.Errorf("transports %+v", all)
	}
	if !alive(before) {
		t.Error("the old one ended under its send")
	}
	if err := slow(); err != nil {
		t.Errorf("what was on its way: %v", err)
	}
	until(t, "the old transport is gone", func() bool { return !alive(before) && len(transports(h)) == 1 })
	if s := of(h, old); len(s) != 1 || s[0].PID != renderer {
		t.Errorf("the renderer that is held: %+v", s)
	}
}

// slowSend begins a send that ends when finish is called, at the latest with the test.
func slowSend(t *testing.T, h *Host, o *office) (finish func() error) {
	t.Helper()
	arrived, released := make(chan struct{}, 1), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	o.answers(func(w http.ResponseWriter, _ posted) {
		arrived <- struct{}{}
		<-released
		w.Write([]byte(`{"id":"slow"}`))
	})
	sent := make(chan error, 1)
	go func() {
		_, err := h.Send(context.Background(), "courier", o.account("", ""), part("slow"))
		sent <- err
	}()
	<-arrived
	return func() error { release(); return <-sent }
}

// TestCloseEndsWhatDrains does not wait for the send of a transport that was replaced,
// whether its surface is held or not.
func TestCloseEndsWhatDrains(t *testing.T) {
	for _, held := range []bool{true, false} {
		leavesNothing(t)
		o := openOffice(t)
		one, two := builds(t, built.courier, "courier")
		h := open(t, Config{Places: Places{Folders: []string{one}}, SendTimeout: time.Hour, StopTimeout: 100 * time.Millisecond})
		if held {
			defer hold(t, h, h.named("courier"))()
		}
		slow := slowSend(t, h, o)
		pid := transports(h)[0].PID
		syncs(t, h, Places{Folders: []string{two}})
		closed := make(chan struct{})
		go func() { h.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Fatal("Close waits for the send")
		}
		if alive(pid) {
			t.Error("its process lives")
		}
		if slow() == nil {
			t.Error("the send succeeded")
		}
	}
}

// TestSendWhileReplaced has no message meet that what sends is replaced.
func TestSendWhileReplaced(t *testing.T) {
	leavesNothing(t)
	o := openOffice(t)
	one, two := builds(t, built.courier, "courier")
	h := open(t, Config{Places: Places{Folders: []string{one}}})
	stop := busy(3, func() {
		if _, err := h.Send(context.Background(), "courier", o.account("", ""), part("x")); err != nil {
			t.Errorf("it was not sent: %v", err)
		}
	})
	for i := range 20 {
		syncs(t, h, Places{Folders: []string{[]string{two, one}[i%2]}})
		time.Sleep(20 * time.Millisecond)
	}
	stop()
}

// busy has n goroutines do something again and again, until stop is called and they
// have ended.
func busy(n int, do func()) (stop func()) {
	done := make(chan struct{})
	var work sync.WaitGroup
	for range n {
		work.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					do()
				}
			}
		})
	}
	return func() { close(done); work.Wait() }
}

// TestHoldSyncRenderAtOnce changes what is current under those who hold and call it.
func TestHoldSyncRenderAtOnce(t *testing.T) {
	leavesNothing(t)
	one, two := builds(t, built.fixture, "good")
	h := open(t, Config{Places: Places{Folders: []string{one}}, RenderTimeout: time.Minute, StartTimeout: time.Minute})
	callers := busy(3, func() {
		k := h.named("good")
		release, missing := h.Hold([]Key{k})
		if missing != nil {
			t.Errorf("missing: %v", missing)
		} else if _, err := tryBy(h, k, "pid"); err != nil {
			t.Errorf("held and called: %v", err)
		}
		release()
	})
	lookers := busy(1, func() {
		h.Status()
		h.Surfaces()
		h.PluginGroups()
		time.Sleep(time.Millisecond)
	})
	for i := range 30 {
		syncs(t, h, Places{Folders: []string{[]string{two, one}[i%2]}})
		time.Sleep(20 * time.Millisecond)
	}
	callers()
	lookers()
	until(t, "one process is left at most", func() bool { return len(h.PluginGroups()) <= 1 && len(h.Status()) == 1 })
}
