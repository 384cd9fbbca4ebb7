package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A failure is what is read of an attempt that failed.
type failure struct {
	Part  string    `json:"part"`
	Class string    `json:"class"`
	Code  string    `json:"code"`
	Hint  string    `json:"hint"`
	Next  time.Time `json:"next"`
}

func (f failure) String() string {
	s := strings.TrimSpace(strings.ReplaceAll(f.Class, "_", " ") + " " + f.Code)
	if f.Hint != "" {
		s += ": " + f.Hint
	}
	return s
}

// happening is what is read of the body of an event; each kind has some of it.
type happening struct {
	failure
	N         int           `json:"n"`
	Form      string        `json:"form"`
	Why       string        `json:"why"`
	Refs      []surface.Ref `json:"refs"`
	Reason    string        `json:"reason"`
	Until     time.Time     `json:"until"`
	Empty     bool          `json:"empty"`
	Duplicate bool          `json:"duplicate"`
	Late      bool          `json:"late"`
	From      string        `json:"from"`
	Source    string        `json:"source"`
	Turn      string        `json:"turn"`
	Expires   time.Time     `json:"expires_at"`
	Renderer  struct {
		ID      string `json:"id"`
		Version string `json:"version"`
	} `json:"renderer"`
	Posture struct {
		Cadence string `json:"cadence"`
		Urgency string `json:"urgency"`
	} `json:"posture"`
	Parts []json.RawMessage `json:"parts"`
	Into  []json.RawMessage `json:"into"`
}

// maxEvents is how much of a long history is told.
const maxEvents = 60

// story is all about a job, for a person.
func story(j control.Job, events []control.JobEvent, now time.Time) string {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, oneLine(value))
		}
	}
	told := make([]happening, len(events))
	for i, e := range events {
		_ = json.Unmarshal(e.Body, &told[i]) // what is not read so is not told
	}
	var sub happening
	if len(events) > 0 && events[0].Kind == "submitted" {
		sub = told[0]
	}
	b.WriteString(visible(j.ID) + "\n")
	row("target", j.Target)
	row("kind", j.Kind)
	state := stateOf(j)
	means, mend := "", ""
	if j.Reason != "" {
		means, mend = control.Reason(j.Reason)
		state += ": " + means
	}
	row("state", state)
	row("to do", mend)
	row("messages", partsOf(j))
	if j.Attempts > 0 {
		row("failed", count(j.Attempts, "attempt")+" since something got through")
	}
	if j.State.Live() && !j.Due.IsZero() && j.Due.After(now) {
		row("next", stamp(j.Due)+", in "+control.Age(j.Due.Sub(now)))
	}
	row("accepted", stamp(j.Created)+", "+control.Age(now.Sub(j.Created))+" ago")
	if !sub.Expires.IsZero() {
		row("expires", stamp(sub.Expires))
	}
	row("posture", strings.TrimSpace(sub.Posture.Cadence+" "+sub.Posture.Urgency))
	if session, seq, ok := strings.Cut(sub.Source, "/"); ok {
		row("answer", fmt.Sprintf("%s (\"vak ledger show %s --from %s --to %s\")", sub.Source, session, seq, seq))
	}

	b.WriteString("\nWhat happened\n")
	from := max(0, len(events)-maxEvents)
	if from > 0 {
		fmt.Fprintf(&b, "  %d earlier events; \"vak outbox history\" has them\n", from)
	}
	var receipts []string
	for i, e := range events {
		if e.Kind == "sent" {
			for _, r := range told[i].Refs {
				receipts = append(receipts, fmt.Sprintf("message %s: %s", partName(told[i].Part), r.ID))
			}
		}
		if i >= from {
			fmt.Fprintf(&b, "  %s  %s\n", stamp(e.Time), oneLine(told[i].tell(e.Kind)))
		}
	}
	if receipts != nil {
		b.WriteString("\nReceipts\n")
		for _, r := range receipts {
			b.WriteString("  " + oneLine(r) + "\n")
		}
	}
	return b.String()
}

func partsOf(j control.Job) string {
	switch {
	case j.Parts == 0 && j.State == control.Delivered:
		return "none: there was nothing to show"
	case j.Parts == 0:
		return "not rendered yet"
	}
	return fmt.Sprintf("%d of %d arrived", j.Sent, j.Parts)
}

// stamp is a time for a person.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// partName is the number of a part as people count: parts are named "0", "1", and
// "1a" where one was parted.
func partName(id string) string {
	n := 0
	digits := len(id) - len(strings.TrimLeft(id, "0123456789"))
	if _, err := fmt.Sscanf(id[:digits], "%d", &n); err != nil {
		return id
	}
	return fmt.Sprint(n+1) + id[digits:]
}

// tell says what one event was.
func (h happening) tell(kind string) string {
	part := "message " + partName(h.Part)
	switch kind {
	case "submitted":
		if h.Turn != "" {
			return "accepted, of turn " + h.Turn
		}
		return "accepted"
	case "rendered":
		by := strings.TrimSpace(h.Renderer.ID + " " + h.Renderer.Version)
		return "rendered by " + by + ": " + count(len(h.Parts), "message")
	case "attempt":
		s := fmt.Sprintf("%s: attempt %d", part, h.N)
		if h.Form == string(surface.FormPlain) {
			s += ", as plain text"
		}
		if h.Duplicate {
			s += ", says that it may be a duplicate"
		}
		if h.Late {
			s += ", says that it comes late"
		}
		return s
	case "sent":
		return part + " arrived"
	case "failed":
		s := part + " failed: " + h.failure.String()
		if !h.Next.IsZero() {
			s += "; next try " + stamp(h.Next)
		}
		return s
	case "form":
		return part + " goes on as " + h.Form
	case "split":
		return fmt.Sprintf("%s was parted into %d", part, len(h.Into))
	case "moved":
		return "its target has moved from " + h.From
	case "held":
		means, _ := control.Reason(h.Reason)
		s := "held (" + h.Reason + "): " + means
		if !h.Until.IsZero() {
			s += ", until " + stamp(h.Until)
		}
		return s
	case "released":
		if h.Why != "" {
			return "released: " + h.Why
		}
		return "released"
	case "delivered":
		if h.Empty {
			return "delivered: it shows nothing, so nothing was sent"
		}
		return "delivered"
	case "dead":
		means, _ := control.Reason(h.Reason)
		s := "given up (" + h.Reason + "): " + means
		if rest := (failure{Code: h.Code, Hint: h.Hint}).String(); rest != "" {
			s += "; " + rest
		}
		return s
	case "retried":
		return "to be sent again, by hand"
	case "discarded":
		return "thrown away, by hand"
	}
	return kind + " (this vak does not know it)"
}
