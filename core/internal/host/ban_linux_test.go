package host

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// bans is p in which the plugins in these folders are banned.
func bans(p Places, folders ...string) Places {
	p.Banned = func(folder, _ string) error {
		for _, f := range folders {
			if f == folder {
				return errors.New("it was revoked")
			}
		}
		return nil
	}
	return p
}

// TestBan has no process of a plugin run when Sync returns, old builds and those
// included that only finish a send. It is nobody's failure, and ends when the ban does.
func TestBan(t *testing.T) {
	leavesNothing(t)
	o := openOffice(t)
	one, two := builds(t, built.courier, "courier")
	bystander := install(t, t.TempDir(), built.fixture, "good")
	p := Places{Folders: []string{one, bystander}}
	h := open(t, Config{Places: p, StopTimeout: time.Minute, SendTimeout: time.Hour})
	other := say(t, h, "good", "pid")
	old := h.named("courier")
	release := hold(t, h, old)
	defer release()
	if _, err := tryBy(h, old, "x"); err != nil {
		t.Fatal(err)
	}
	slow := slowSend(t, h, o)
	p.Folders[0] = two
	syncs(t, h, p) // its transport drains, its renderer is held
	now := h.named("courier")
	o.answers(nil)
	sends(t, h, "courier", o.account("", ""), "x")
	if _, err := tryBy(h, now, "x"); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, s := range h.Status() {
		if s.ID == "courier" && s.PID != 0 {
			pids = append(pids, s.PID)
		}
	}
	groups := h.PluginGroups()
	if len(pids) != 3 || len(groups) != 5 {
		t.Fatalf("processes %v in %v, want a renderer and a transport of both", pids, groups)
	}

	began := time.Now()
	if !syncs(t, h, bans(p, one, two)) || syncs(t, h, bans(p, one, two)) {
		t.Error("want a change, and then none")
	}
	if got := h.PluginGroups(); len(got) != 1 || strconv.Itoa(got[0]) != other {
		t.Errorf("groups %v, want %s alone", got, other)
	}
	for _, g := range groups {
		if strconv.Itoa(g) != other && alive(g) {
			t.Errorf("process %d lives", g)
		}
	}
	if took := time.Since(began); took > banTime {
		t.Errorf("it took %v: they were asked to end", took)
	}
	if _, e := fails(t, slow(), surface.Unknown, "transport_died"); !strings.Contains(e.Message, "revoked while it sent") {
		t.Errorf("what it was that killed it is not told: %v", e)
	}
	for _, k := range []Key{old, now} {
		if _, err := tryBy(h, k, "x"); !errors.Is(err, Revoked) {
			t.Errorf("a call by %v: %v", k, err)
		}
	}
	_, err := h.Send(t.Context(), "courier", o.account("", ""), part("x"))
	if _, e := fails(t, err, surface.Transient, CodeNoTransport); !errors.Is(e, Revoked) {
		t.Errorf("a send: %v", e)
	}
	if h.CanSend("courier", "") {
		t.Error("it can send")
	}
	if _, missing := h.Hold([]Key{now}); !errors.Is(missing[now], Revoked) {
		t.Errorf("missing %v", missing)
	}
	if got := say(t, h, "good", "pid"); got != other {
		t.Errorf("another plugin has process %s, want %s", got, other)
	}

	if !syncs(t, h, p) {
		t.Error("the end of the ban changed nothing")
	}
	sends(t, h, "courier", o.account("", ""), "again")
	for _, k := range []Key{old, now} {
		if _, err := tryBy(h, k, "x"); err != nil {
			t.Errorf("a call by %v: %v", k, err)
		}
	}
	for _, s := range h.Status() {
		if s.Failures != 0 || s.State == StateQuarantined || s.State == StateBackingOff {
			t.Errorf("counted: %+v", s)
		}
	}
}

// TestBanOfWhatIsNotThere has a plugin not be held that was banned while it was no part
// of what is used, though its folder still has it.
func TestBanOfWhatIsNotThere(t *testing.T) {
	one, two := builds(t, built.fixture, "good")
	h := open(t, Config{Places: Places{Folders: []string{one}}})
	old := h.named("good")
	p := Places{Folders: []string{two}}
	syncs(t, h, p)
	hold(t, h, old)()
	syncs(t, h, bans(p, one))
	release, missing := h.Hold([]Key{old, h.named("good")})
	defer release()
	if len(missing) != 1 || !errors.Is(missing[old], Revoked) {
		t.Errorf("missing %v", missing)
	}
	if _, err := tryBy(h, old, "pid"); err == nil {
		t.Error("it was started")
	}
}

// TestDiesWhileRevoked tells of a process that dies by itself how it ended, though its
// plugin was revoked for those who begin later.
func TestDiesWhileRevoked(t *testing.T) {
	leavesNothing(t)
	o := openOffice(t)
	p := Places{Folders: []string{install(t, t.TempDir(), built.courier, "courier")}}
	h := open(t, Config{Places: p})
	slow := slowSend(t, h, o)
	pid := transports(h)[0].PID
	p.Admit = func(string, string) error { return fmt.Errorf("it was taken back: %w", Revoked) }
	syncs(t, h, p)
	syscall.Kill(pid, syscall.SIGKILL)
	until(t, "its process is gone", func() bool { return !alive(pid) })
	if _, e := fails(t, slow(), surface.Unknown, "transport_died"); !strings.Contains(e.Message, "killed") || strings.Contains(e.Message, "revoked") {
		t.Errorf("what killed it is not told: %v", e)
	}
}

// TestBanUnderACall fails a call that is under way, and does not try it again.
func TestBanUnderACall(t *testing.T) {
	leavesNothing(t)
	folder := install(t, t.TempDir(), built.fixture, "good")
	p := Places{Folders: []string{folder}}
	h := open(t, Config{Places: p, RenderTimeout: time.Hour, StopTimeout: time.Minute})
	k := h.named("good")
	pid := pidOf(t, sayBy(t, h, k, "pid"))
	failed := make(chan error, 1)
	go func() {
		_, err := tryBy(h, k, "hang")
		failed <- err
	}()
	until(t, "the call is under way", func() bool { return of(h, k)[0].Calls == 1 })
	syncs(t, h, bans(p, folder))
	if alive(pid) {
		t.Error("its process lives")
	}
	if err := <-failed; !errors.Is(err, Revoked) {
		t.Errorf("err = %v", err)
	}
}

// TestBanWhileCalled bans and restores again and again under those who call.
func TestBanWhileCalled(t *testing.T) {
	leavesNothing(t)
	folder := install(t, t.TempDir(), built.fixture, "good")
	p := Places{Folders: []string{folder}}
	h := open(t, Config{Places: p, RenderTimeout: time.Minute, StartTimeout: time.Minute})
	k := h.named("good")
	stop := busy(3, func() {
		// Unavailable: what a ban has cut was asked about when that was over.
		if _, err := tryBy(h, k, "pid"); err != nil && !errors.Is(err, Revoked) && !errors.Is(err, Unavailable) {
			t.Errorf("err = %v", err)
		}
	})
	for range 15 {
		syncs(t, h, bans(p, folder))
		if got := h.PluginGroups(); len(got) != 0 {
			t.Errorf("groups %v while it is banned", got)
		}
		syncs(t, h, p)
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	if _, err := tryBy(h, k, "pid"); err != nil || of(h, k)[0].Failures != 0 {
		t.Errorf("in the end: %v, %+v", err, of(h, k))
	}
}
