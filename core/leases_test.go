package core

import (
	"testing"
	"time"
)

// TestRepeatedDeliveryHasNoLease: what was accepted before is rendered by the epoch of
// then. A second request under its key must keep nothing callable, and leave no lease
// to a job that gets the id later.
func TestRepeatedDeliveryHasNoLease(t *testing.T) {
	s := newShelf(t)
	s.open(Config{})
	var ids []string
	for n := range 2 {
		got, again, err := s.deliverOnce(t.Context(), "key", Draft{Markdown: "hello"}, []Delivery{{Target: "log:a"}})
		if err != nil || again != (n == 1) {
			t.Fatalf("again = %v, %v", again, err)
		}
		if ids == nil {
			ids = got
		}
		s.delivered(ids[0])
	}
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	if len(s.leases.jobs) > 0 {
		t.Errorf("%d jobs have a lease though all were delivered", len(s.leases.jobs))
	}
}

// TestGivenUpJobsHaveNoLease: a progress whose place a later one takes, and a job that
// somebody gives up, are never rendered, and must not keep an old plugin for a day.
func TestGivenUpJobsHaveNoLease(t *testing.T) {
	s := newShelf(t)
	s.open(Config{NoDelivery: true})
	turn := s.begin("chat")
	var last string
	for n := range 3 {
		ids, err := turn.Deliver(t.Context(), Draft{Progress: &Progress{Done: n}}, Delivery{Target: "log:a"})
		if err != nil {
			t.Fatal(err)
		}
		last = ids[0]
	}
	if len(s.leases.jobs) != 1 || s.leases.job(last) == nil {
		t.Errorf("leases of %d jobs, want that of the last progress", len(s.leases.jobs))
	}
	if _, err := s.Act(t.Context(), Dead, last); err != nil {
		t.Fatal(err)
	}
	if len(s.leases.jobs) != 0 {
		t.Error("a job that was given up has a lease")
	}
}

// TestExpiredJobsHaveNoLease: a question whose time is over before it goes out is
// never rendered.
func TestExpiredJobsHaveNoLease(t *testing.T) {
	s := newShelf(t)
	s.open(Config{})
	question := &Approval{Options: []Option{{ID: "y", Verb: "Yes"}}, Expires: time.Now().Add(-time.Second)}
	ids, err := s.Deliver(t.Context(), Draft{Markdown: "Go on?", Approval: question}, Delivery{Target: "log:a"})
	if err != nil {
		t.Fatal(err)
	}
	s.reaches(ids[0], JobDeadLetter)
	s.letGo(t.Context())
	if n := len(s.leases.waiting()); n > 0 {
		t.Errorf("%d jobs have a lease though they are over", n)
	}
}
