package outbox

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// never is a wait that nobody has the patience for.
func never(<-chan struct{}) bool { return false }

// patient waits as long as it takes.
func patient(ready <-chan struct{}) bool { <-ready; return true }

// TestBudget sends by rates, and checks when each goes.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		why   string
		rates []Rate
		takes time.Duration // of each message
		n     int
		want  string
	}{
		{"one a second", []Rate{{1, time.Second}}, 0, 4, "0s 1s 2s 3s"},
		{"a burst, and then by its end", []Rate{{3, time.Minute}}, 0, 7, "0s 0s 0s 1m0s 1m0s 1m0s 2m0s"},
		{"the slower of two", []Rate{{1, time.Second}, {3, 10 * time.Second}}, 0, 5, "0s 1s 2s 10s 11s"},
		{"it counts from its answer", []Rate{{1, time.Second}}, 500 * time.Millisecond, 3, "0s 1.5s 3s"},
		{"one that hangs counts from where it cannot be on its way any more", []Rate{{1, time.Second}}, time.Minute, 3, "0s 6s 12s"},
		{"a rate of none is one of one", []Rate{{0, time.Second}}, 0, 2, "0s 1s"},
		{"no rate", nil, time.Minute, 3, "0s 0s 0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var p pacer
			var got []string
			start := time.Now()
			for range c.n {
				s := p.admit("a", c.rates, false, patient)
				got = append(got, time.Since(start).String())
				s.begin()
				go func() {
					time.Sleep(c.takes)
					s.done()
				}()
				synctest.Wait()
			}
			time.Sleep(c.takes)
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("%s: they go at %s, want %s", c.why, text, c.want)
			}
		})
	}
}

// TestBudgetUnused gives slots back, in every way in which they can be.
func TestBudgetUnused(t *testing.T) {
	rate := []Rate{{1, time.Hour}}
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		first := p.admit("a", rate, false, never)
		if first == nil {
			t.Fatal("the first has to wait")
		}
		if p.admit("a", rate, false, never) != nil {
			t.Fatal("two go at once")
		}
		time.Sleep(24 * time.Hour)
		if p.admit("a", rate, false, never) != nil {
			t.Fatal("one that has not gone yet is forgotten")
		}
		first.back()
		second := p.admit("a", rate, false, never)
		if second == nil {
			t.Fatal("a slot that was given back is lost")
		}
		// One that is let go at the moment at which it loses patience gives its slot on.
		got := p.admit("a", rate, false, func(ready <-chan struct{}) bool {
			second.back()
			<-ready
			return false
		})
		if got != nil {
			t.Error("it has a slot and does not want it")
		}
		if p.admit("a", rate, false, never) == nil {
			t.Error("the slot of one that lost patience is lost")
		}
	})
}

// TestBudgetPress has some press: they go first, and end nobody's turn.
func TestBudgetPress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		order := make(chan string, 100)
		ask := func(name string, fast bool) {
			go func() {
				s := p.admit("a", []Rate{{1, time.Second}}, fast, patient)
				order <- name
				s.begin()
				s.done()
			}()
			synctest.Wait()
		}
		ask("x", false)
		for i := range 3 {
			ask(fmt.Sprint("n", i), false)
		}
		for i := range 8 {
			ask(fmt.Sprint("f", i), true)
		}
		time.Sleep(time.Minute)
		var got []string
		for range len(order) {
			got = append(got, <-order)
		}
		if text := strings.Join(got, " "); text != "x f0 f1 f2 n0 f3 f4 f5 n1 f6 f7 n2" {
			t.Errorf("they go in the order %s", text)
		}
	})
}

// TestHush has a platform want nothing for a while.
func TestHush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		start := time.Now()
		p.hush("a", time.Minute)
		p.hush("a", time.Second) // does not shorten it
		p.hush("b", -1)
		if p.hushed("a") != time.Minute || p.hushed("b") != 0 || len(p.budgets) != 1 {
			t.Errorf("a waits %s, b %s; %d budgets", p.hushed("a"), p.hushed("b"), len(p.budgets))
		}
		p.admit("a", nil, false, patient).back()
		if at := time.Since(start); at != time.Minute {
			t.Errorf("it goes after %s", at)
		}
		done := make(chan time.Duration)
		p.admit("c", []Rate{{1, 10 * time.Second}}, false, patient).begin()
		go func() { p.admit("c", []Rate{{1, 10 * time.Second}}, false, patient); done <- time.Since(start) }()
		synctest.Wait()
		p.hush("c", time.Hour) // while somebody waits already
		if at := <-done; at != time.Hour+time.Minute {
			t.Errorf("it goes after %s", at)
		}
	})
}

// TestPacerForgets bounds what a pacer remembers.
func TestPacerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		p.hush("quiet", 24*time.Hour)
		for i := range 5 * mostPaced {
			s := p.admit(fmt.Sprint(i), []Rate{{1, time.Second}, {20, time.Minute}}, false, never)
			s.begin()
			s.done()
			time.Sleep(10 * time.Millisecond)
		}
		if n := len(p.budgets); n > 2*mostPaced {
			t.Errorf("it remembers %d chats", n)
		}
		if p.hushed("quiet") == 0 {
			t.Error("it forgets that one wants nothing")
		}
		for range 1000 {
			s := p.admit("busy", []Rate{{1, time.Second}, {20, time.Minute}}, false, never)
			if s == nil {
				time.Sleep(time.Second)
				continue
			}
			s.begin()
			s.done()
		}
		if n := len(p.budgets["busy"].slots); n > 21 {
			t.Errorf("it remembers %d messages of one chat", n)
		}
	})
}
