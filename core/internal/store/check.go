package store

import (
	"fmt"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// Check says what is wrong with a commit that no engine could make right: Invalid
// or TooLarge.
func (c *Commit) Check() error {
	invalid := func(job, what string) error { return &Error{Kind: Invalid, Job: job, What: what} }
	for _, s := range []string{c.ID, c.Release, c.Begin, c.End} {
		if len(s) > MaxID {
			return &Error{Kind: TooLarge, What: fmt.Sprintf("a commit's id, hold or turn is longer than %d bytes", MaxID)}
		}
		if !utf8.ValidString(s) {
			return invalid("", "a commit's id, hold or turn is not UTF-8")
		}
	}
	if c.Session != "" || len(c.Records) > 0 || c.Expect != nil {
		if err := ledger.CheckSession(c.Session); err != nil {
			return &Error{Kind: Invalid, What: "the session cannot be named so", Err: err}
		}
	}
	for i := range c.Records {
		if c.Records[i].Body == nil {
			return invalid("", "a record has no body")
		}
	}
	seen := make(map[string]bool, len(c.Jobs))
	for i := range c.Jobs {
		p := &c.Jobs[i]
		r := &p.Row
		if err := r.check(); err != nil {
			return err
		}
		for _, s := range []string{r.Job, r.Target, r.Reason, r.Hold, r.Digest} {
			if !utf8.ValidString(s) {
				return invalid("", "a job's row is not UTF-8")
			}
		}
		switch {
		case seen[r.Job]:
			return invalid(r.Job, "it is changed twice in one commit")
		case len(p.Entries) == 0:
			return invalid(r.Job, "a change of it says nothing of what happened")
		case c.Release != "" && r.Hold == c.Release:
			return invalid(r.Job, "it is held for what the same commit releases")
		}
		seen[r.Job] = true
	}
	for i := range c.Targets {
		t := &c.Targets[i]
		if t.Target == "" || len(t.Target) > MaxID || !utf8.ValidString(t.Target) {
			return invalid("", "a target has no name that can be kept")
		}
	}
	return nil
}
