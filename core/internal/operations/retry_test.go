package operations

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
)

// RTY-04: the platform takes a message and the connection breaks before it says
// so. Somebody saw it three times.
func TestAmbiguousFailure(t *testing.T) {
	o := newOffice(t, func(p post) int {
		if p.times <= 2 {
			return 0
		}
		return http.StatusOK
	})
	v := begin(t, o)
	v.send("j", "courier:a", "hello")
	for range 2 {
		v.until("j", waits(1))
		if h := v.history("j"); !strings.Contains(h, `"class":"unknown"`) || strings.Contains(h, `"class":"transient"`) {
			t.Errorf("its outcome is recorded as\n%s", h)
		}
		v.hurry("j")
	}
	v.until("j", state(core.JobDelivered))
	for i, p := range o.all() {
		if p.bare != "hello" || p.possibleCopy != (i > 0) {
			t.Errorf("message %d is %q: every copy but the first says that it may be one", i+1, p.Text)
		}
	}
	if n := len(o.all()); n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
}

// RTY-04: who was never reached has no copy.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	o := newOffice(t, nil)
	o.url = "http://" + address
	v := begin(t, o)
	v.send("j", "courier:a", "hello")
	v.until("j", waits(1))
	l, err = net.Listen("tcp", address)
	if err != nil {
		t.Skip("somebody took the port: " + err.Error())
	}
	go http.Serve(l, o)
	defer l.Close()
	v.until("j", state(core.JobDelivered)) // by itself, five seconds later
	if all := o.all(); len(all) != 1 || all[0].possibleCopy {
		t.Errorf("it came as %+v", all)
	}
}

// RTY-05: who got an error sends the same again.
func TestSameKeyAgain(t *testing.T) {
	o := newOffice(t, nil)
	v := begin(t, o)
	v.send("j", "courier:a", "hello")
	v.send("j", "courier:a", "hello")
	v.until("j", state(core.JobDelivered))
	v.restart()
	v.send("j", "courier:a", "hello")
	_, err := v.Deliver(t.Context(), core.Draft{Markdown: "other"}, core.Delivery{Target: "courier:a", ID: "j"})
	if !errors.Is(err, core.ErrConflict) {
		t.Errorf("the same id with other content: %v", err)
	}
	v.send("last", "courier:a", "end")
	v.until("last", state(core.JobDelivered))
	if n := len(o.all()); n != 2 {
		t.Errorf("%d messages, want 2: %+v", n, o.all())
	}
}

// RTY-06: parts that shared one key were taken for copies of the first. The
// platform here refuses a key that it knows.
func TestKeysOfParts(t *testing.T) {
	seen, text := map[string]int{}, []string{}
	down := true
	var o *office
	o = newOffice(t, func(p post) int {
		o.mu.Lock()
		defer o.mu.Unlock()
		if down && p.Part == 2 {
			return http.StatusServiceUnavailable
		}
		if seen[p.Key]++; seen[p.Key] == 1 {
			text = append(text, p.Text)
		}
		return http.StatusOK
	})
	v := begin(t, o)
	v.send("j", "courier:a", parts(4))
	v.until("j", waits(1))
	v.restart()
	o.mu.Lock()
	down = false
	o.mu.Unlock()
	v.hurry("j")
	v.until("j", state(core.JobDelivered))
	keys := map[int]string{}
	for _, p := range o.all() {
		if k, ok := keys[p.Part]; ok && k != p.Key {
			t.Errorf("part %d has the keys %s and %s", p.Part, k, p.Key)
		}
		if keys[p.Part] = p.Key; len(p.Key) > 25 || p.Key == "" {
			t.Errorf("part %d has the key %q", p.Part, p.Key)
		}
	}
	if len(seen) != 4 || strings.Join(text, "\n\n") != parts(4) {
		t.Errorf("%d keys, and the reader sees %q", len(seen), text)
	}
}

// RTY-11: a supervisor runs the agent again, which hands over the same answer.
func TestSameTurnAgain(t *testing.T) {
	o := newOffice(t, nil)
	v := begin(t, o)
	s, err := v.Session(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	complete := func(key, text string) (core.Completed, error) {
		turn, err := s.Begin(context.Background(), core.TurnOptions{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return turn.Complete(context.Background(), core.Draft{Markdown: text}, core.Delivery{Target: "courier:a"})
	}
	var jobs []string
	for _, key := range []string{"1", "1", "2"} {
		done, err := complete(key, "hello")
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, done.Jobs...)
	}
	if _, err := complete("1", "hello\n"); !errors.Is(err, core.ErrTurn) {
		t.Errorf("the same turn with a newline more: %v", err)
	}
	for _, id := range jobs {
		v.until(id, state(core.JobDelivered))
	}
	var got []string
	for _, p := range o.all() {
		got = append(got, p.Text)
	}
	if !slices.Equal(got, []string{"hello", "hello"}) || jobs[0] != jobs[1] || jobs[1] == jobs[2] {
		t.Errorf("two turns with jobs %v sent %q", jobs, got)
	}
}
