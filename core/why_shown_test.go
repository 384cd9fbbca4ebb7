package core

import "testing"

// TestWhyAsksNoPack: a pack that checks its cards is not asked about one that was
// shown, in a process that compiled nothing of it.
func TestWhyAsksNoPack(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	s.open(Config{})
	done, err := s.begin("chat").Complete(t.Context(), Draft{Markdown: note}, Delivery{Target: "log:chat"})
	if err != nil {
		t.Fatal(err)
	}
	s.delivered(done.Jobs[0])
	s.open(Config{})
	why, err := s.WhyEntry(t.Context(), done.Entry, "log")
	if err != nil || len(why) != 1 || why[0].Job != done.Jobs[0] {
		t.Errorf("why = %+v, %v", why, err)
	}
	if got := s.processes(); len(got) > 0 {
		t.Errorf("history started %v", got)
	}
}
