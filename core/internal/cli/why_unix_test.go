//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestWhyServed has the command ask a vak that serves, and find the same without it.
func TestWhyServed(t *testing.T) {
	t.Parallel()
	s := place(t)
	card := answerFile(t, "```vak\n{\"semantic_type\": \"metric\", \"payload\": {\"label\": \"Build\", \"value\": 41}}\n```\n")
	s.start()
	s.want(0, `^delivered`, "send", card, "--to", "log:a", "--session", "demo", "--id", "one")
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if out, _ := s.vak("ledger", "show", "demo"); strings.Contains(out, "presentation of demo/2") { // a moment after the message
			break
		}
	}
	asked := [][]string{{"why", "--job", "one"}, {"why", "--job", "one", "--json"}, {"why", "--entry", "demo/2", "--surface", "log"}, {"why", "--entry", "demo/2", "--json"}}
	var held []string
	for _, args := range asked {
		held = append(held, s.want(0, `answer\.basic`, args...))
	}
	s.want(4, `there is no job`, "why", "--job", "two")
	s.want(4, `there is no surface "nope"`, "why", "--entry", "demo/2", "--surface", "nope")
	s.want(4, `demo/9|no record`, "why", "--entry", "demo/9")
	s.want(2, `is a turn and no message`, "why", "--entry", "demo/1")
	s.want(2, `write SESSION/NUMBER`, "why", "--entry", "demo")
	s.stop(os.Interrupt)
	for i, args := range asked {
		if free := s.want(0, `answer\.basic`, args...); free != held[i] {
			t.Errorf("vak %v: held\n%s\nfree\n%s", args, held[i], free)
		}
	}
}
