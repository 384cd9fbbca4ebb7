package endtoend

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
)

// A refusal is an answer of plugins/*/testdata/refusals.json, and what must come
// of it.
type refusal struct {
	Status  int    `json:"status"`
	Code    int    `json:"code"`
	Says    string `json:"says"`
	Outcome string `json:"outcome"`
}

func refusals(t *testing.T, id string) []refusal {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "plugins", id, "testdata", "refusals.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []refusal
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// text is what is delivered to a chat: long enough to be parted in two, with a word
// that only the text form makes bold.
func text(chat string) string {
	return "**" + strings.Trim(chat, "-") + "** has been asked to say something that is long enough for two messages"
}

// asked is how long a platform that is asked too much wants to be left alone.
const asked = 90 * time.Second

// TestRefusals plays every refusal of every platform through a whole delivery. Each
// has a chat of its own, so that none waits for another.
func TestRefusals(t *testing.T) {
	for id := range platforms {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			all := refusals(t, id)
			var waiting []int
			for n, r := range all {
				if r.Outcome == "waits" {
					waiting = append(waiting, n)
				}
			}
			more, alone := lone(id, waiting)
			v := begin(t, id, more)
			v.alone = alone
			for n, r := range all {
				chat := v.platform.chat(n)
				a := v.platform.refuse(r.Status, r.Code, r.Says)
				if r.Outcome == "waits" { // where it says nothing of a time is tried elsewhere
					if a.Header == nil {
						a.Header = http.Header{}
					}
					a.Header["Retry-After"] = []string{fmt.Sprint(int(asked.Seconds()))}
				}
				v.script(chat, reply{Answer: a})
				v.deliver(chat, v.target(chat), text(chat))
			}
			for n, r := range all {
				t.Run(strings.ReplaceAll(fmt.Sprint(r.Status, " ", r.Code, " ", r.Says), "/", "-"), func(t *testing.T) {
					check, ok := outcomes[r.Outcome]
					if !ok {
						t.Fatalf("there is no outcome %q", r.Outcome)
					}
					check(t, v, v.platform.chat(n))
				})
			}
			settled := map[string]int{}
			for n := range all {
				settled[v.platform.chat(n)] = len(v.to(v.platform.chat(n)))
			}
			for n, r := range all { // nothing is left that would be tried again
				j, err := v.Job(t.Context(), v.platform.chat(n))
				if err != nil || j.State.Live() != (r.Outcome == "waits") || len(v.to(j.ID)) != settled[j.ID] {
					t.Errorf("%+v, %v: %d requests, and before that %d", j, err, len(v.to(j.ID)), settled[j.ID])
				}
			}
			if _, notified := v.platform.took(); len(notified) > 0 {
				t.Errorf("notified %q", notified)
			}
		})
	}
}

// outcomes check what became of a chat's job, which is called as the chat is.
var outcomes = map[string]func(t *testing.T, v *vak, chat string){
	// It is said again in plain text, at once, and arrives.
	"plain": func(t *testing.T, v *vak, chat string) {
		delivered(t, v, chat, 0)
		v.said(t, chat, "text", "plain")
		whole(t, v, chat)
	},

	// It is parted into halves, which are plain, at once, and arrives. A rest of some
	// words may be left over, as words stay whole.
	"halves": func(t *testing.T, v *vak, chat string) {
		delivered(t, v, chat, 0)
		forms := []string{"text", "plain", "plain"}
		if len(v.to(chat)) == 4 {
			forms = append(forms, "plain")
		}
		for _, s := range v.said(t, chat, forms...)[1:] {
			if n := len(words(s.text)); n > len(words(text(chat)))/2+1 {
				t.Errorf("a half has %d characters", n)
			}
		}
		whole(t, v, chat)
	},

	// This one will never be taken, and nothing else is the matter.
	"refused": func(t *testing.T, v *vak, chat string) {
		if j := v.until(t, chat, over); j.State != core.JobDeadLetter || j.Reason != "refused" || !j.Due.IsZero() {
			t.Errorf("it is %+v", j)
		}
		v.said(t, chat, "text")
		if v.closed(t, v.target(chat)) {
			t.Error("its target is closed")
		}
	},

	// Nothing will be taken there: the next is given up without a request, until
	// somebody opens the target by retrying.
	"closes": func(t *testing.T, v *vak, chat string) {
		gone := func(id string) {
			t.Helper()
			if j := v.until(t, id, over); j.State != core.JobDeadLetter || j.Reason != "target_gone" {
				t.Errorf("it is %+v", j)
			}
		}
		gone(chat)
		if !v.closed(t, v.target(chat)) {
			t.Error("its target is open")
		}
		v.deliver(chat+"-next", v.target(chat), text(chat))
		gone(chat + "-next")
		v.said(t, chat, "text")
		v.retry(t, chat)
		delivered(t, v, chat, 0)
		v.said(t, chat, "text", "text")
		if v.closed(t, v.target(chat)) {
			t.Error("its target is closed after all went well")
		}
	},

	// It is to come later, and nothing counts against it.
	"waits": func(t *testing.T, v *vak, chat string) {
		f := v.failed(t, chat)
		if f.body.Counted || !f.body.Waits {
			t.Errorf("%v", f)
		}
		if wait := f.body.Next.Sub(f.at); wait < asked-time.Second || wait > asked+time.Second {
			t.Errorf("it goes on after %v, asked for were %v", wait, asked)
		}
		if j := v.until(t, chat, func(j core.Job) bool { return j.State == core.JobPending }); j.Attempts != 0 || !j.Due.Equal(f.body.Next) {
			t.Errorf("it is %+v", j)
		}
		v.retry(t, chat) // the platform's word counts more than an operator's
		all, err := v.Targets(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			if x.Target == v.target(chat) && (x.Why != "rate_limited" || x.Until.Before(f.body.Next)) {
				t.Errorf("the target is %+v", x)
			}
		}
		v.said(t, chat, "text")
	},

	// It is tried again by and by, unmarked, as nothing can have arrived.
	"retries": func(t *testing.T, v *vak, chat string) {
		counted(t, v.failed(t, chat), "transient")
		again(t, v, chat, false)
	},

	// It may have arrived: another attempt says so.
	"doubt": func(t *testing.T, v *vak, chat string) {
		counted(t, v.failed(t, chat), "unknown")
		again(t, v, chat, true)
	},
}

// counted checks a failure that the schedule's first delay follows.
func counted(t *testing.T, f happening, class string) {
	t.Helper()
	if wait := f.body.Next.Sub(f.at); !f.body.Counted || f.body.Waits || f.body.Class != class || wait < 3900*time.Millisecond || wait > 6100*time.Millisecond {
		t.Errorf("%v, after %v", f, wait)
	}
}

// again has a job tried once more, which goes well: not before it is due, unless
// somebody asks for it.
func again(t *testing.T, v *vak, chat string, marked bool) {
	t.Helper()
	v.retry(t, chat)
	delivered(t, v, chat, 0)
	all := v.said(t, chat, "text", "text")
	if all[0].marked() || all[1].marked() != marked {
		t.Errorf("said %q and %q", all[0].text, all[1].text)
	}
	if recognised := v.platform.id == "webhook" || v.platform.id == "discord"; recognised && all[0].key != all[1].key {
		t.Error("the second attempt has another key")
	}
	due, asked := time.Time{}, false
	for _, h := range v.history(t, chat) {
		switch {
		case h.kind == "failed":
			due = h.body.Next
		case h.kind == "retried":
			asked = true
		case h.kind == "attempt" && !asked && h.at.Before(due.Add(-time.Millisecond)): // histories count milliseconds
			t.Errorf("an attempt at %v, due was %v", h.at, due)
		}
	}
}

// delivered waits for a job to arrive.
func delivered(t *testing.T, v *vak, id string, attempts int) {
	t.Helper()
	if j := v.until(t, id, over); j.State != core.JobDelivered || j.Attempts != attempts || j.Sent != j.Parts {
		t.Fatalf("it is %+v; %v", j, v.history(t, id))
	}
}

// whole checks that every word arrived, in order.
func whole(t *testing.T, v *vak, chat string) {
	t.Helper()
	texts, _ := v.platform.took()
	if got, want := words(strings.Join(texts[chat], " ")), words(text(chat)); got != want {
		t.Errorf("arrived %q, want %q", got, want)
	}
}
