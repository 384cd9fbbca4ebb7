package ledger

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// heading is what a transcript calls a role.
func heading(r Role) string {
	switch r {
	case System:
		return "System"
	case User:
		return "User"
	case Assistant:
		return "Assistant"
	case Tool:
		return "Tool"
	case Worker:
		return "Worker"
	}
	return "Unknown"
}

// Transcript writes what [Messages] gives of one session as markdown: a heading
// with the role for each message, its entry id in a comment, and its exact text.
// A message without a text shows its payload, as code. It returns the first
// error of records or of w.
func Transcript(w io.Writer, records iter.Seq2[Record, error]) error {
	between := ""
	for e, err := range Messages(records) {
		if err != nil {
			return err
		}
		text := e.Message.Markdown
		if text == "" && len(e.Message.Payload) > 0 {
			text = fenced(string(e.Message.Payload))
		}
		end := "\n"
		if text == "" || strings.HasSuffix(text, "\n") {
			end = ""
		}
		if text != "" {
			text = "\n" + text
		}
		if _, err := fmt.Fprintf(w, "%s## %s <!-- %s -->\n%s%s", between, heading(e.Message.Role), e.ID, text, end); err != nil {
			return err
		}
		between = "\n"
	}
	return nil
}

// fenced is JSON in a fence that is longer than any within it.
func fenced(json string) string {
	longest, run := 2, 0
	for i := range len(json) {
		if run++; json[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "json\n" + json + "\n" + fence
}
