package load

import (
	"context"
	"encoding/json"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

// A summary is what a home says of all that it has delivered.
type summary struct {
	Delivered int
	Dead      map[string]string // reason by job
	Moved     map[string]bool   // jobs that others were allowed to pass: held, or late
	Failed    map[string]int    // attempts by class and code
	Unknown   int               // attempts with no known outcome
	Marked    int               // attempts that said that they may be repeats
	Wrong     []string          // sessions whose chain does not hold, parts that were sent behind their receipt
}

// sum reads the histories of all jobs, and holds the sessions to their chains.
func sum(ctx context.Context, c *core.Core) (summary, error) {
	s := summary{Dead: map[string]string{}, Moved: map[string]bool{}, Failed: map[string]int{}}
	done := core.JobFilter{States: []core.JobState{core.JobDelivered, core.JobDeadLetter, core.JobDiscarded}}
	for j, err := range c.Jobs(ctx, done) {
		if err != nil {
			return s, err
		}
		if j.State == core.JobDelivered {
			s.Delivered++
		} else {
			s.Dead[j.ID] = j.Reason
		}
		history, err := c.JobHistory(ctx, j.ID)
		if err != nil {
			return s, err
		}
		s.add(j.ID, history)
	}
	sessions, err := control.Local(c.Handler()).Verify(ctx, "")
	for _, v := range sessions {
		if !v.OK {
			s.Wrong = append(s.Wrong, "session "+v.Session+": "+v.What)
		}
	}
	return s, err
}

func (s *summary) add(id string, history []core.JobEvent) {
	sent := map[string]bool{}
	for _, e := range history {
		var b struct {
			Part, Class, Code string
			Duplicate, Late   bool
		}
		if len(e.Body) > 0 && json.Unmarshal(e.Body, &b) != nil {
			s.Wrong = append(s.Wrong, "job "+id+": an entry of kind "+e.Kind+" cannot be read")
		}
		switch e.Kind {
		case "attempt":
			if sent[b.Part] {
				s.Wrong = append(s.Wrong, "job "+id+": part "+b.Part+" was tried again behind its receipt")
			}
			if b.Duplicate {
				s.Marked++
			}
			s.Moved[id] = s.Moved[id] || b.Late
		case "sent":
			sent[b.Part] = true
		case "held":
			s.Moved[id] = true
		case "failed":
			s.Failed[b.Class+" "+b.Code]++
			if b.Class == "unknown" {
				s.Unknown++
			}
		}
	}
	if !s.Moved[id] {
		delete(s.Moved, id)
	}
}
