package endtoend

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// A vak is a core with a shipped plugin and the platform behind it.
type vak struct {
	*core.Core
	*front
	t     *testing.T
	alone map[string]string // chats whose target has an account of its own
}

// begin opens a core that delivers to a platform. more are accounts beside the
// main one, by name, each with what its settings are changed by.
func begin(t *testing.T, id string, more map[string]map[string]any) *vak {
	t.Helper()
	dir := filepath.Join(filepath.Dir(binaries.Build(t)), "plugins")
	return beginWith(t, id, core.Config{Plugins: []string{dir}, FirstParty: []string{dir}}, more)
}

func beginWith(t *testing.T, id string, c core.Config, more map[string]map[string]any) *vak {
	t.Helper()
	p := platforms[id]()
	v := &vak{front: newFront(t, p), t: t}
	account := func(name string, changed map[string]any) {
		settings := p.settings(v.URL)
		for k, s := range changed {
			settings[k] = s
		}
		b, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		c.Accounts = append(c.Accounts, core.Account{Surface: id, Name: name, Settings: b})
	}
	account("", nil)
	for name, changed := range more {
		account(name, changed)
	}
	c.Home, c.NoControl = t.TempDir(), true
	var err error
	if v.Core, err = core.Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Core.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// target is a chat as core names it.
func (v *vak) target(chat string) string {
	t := v.platform.id + ":" + chat
	if account := v.alone[chat]; account != "" {
		t += ":" + account
	}
	return t
}

// lone are accounts for the n-th chats: Slack's limits are those of an account, so
// that a chat that is to wait would have all others wait.
func lone(id string, chats []int) (more map[string]map[string]any, alone map[string]string) {
	more, alone = map[string]map[string]any{}, map[string]string{}
	if id != "slack" {
		return more, alone
	}
	p := platforms[id]()
	defer p.close()
	for _, n := range chats {
		name := fmt.Sprint("lone", n)
		more[name], alone[p.chat(n)] = nil, name
	}
	return more, alone
}

// deliver has a text delivered. The job is called as its chat.
func (v *vak) deliver(id, target, text string, more ...func(*core.Delivery)) {
	v.t.Helper()
	d := core.Delivery{Target: target, ID: id}
	for _, m := range more {
		m(&d)
	}
	if _, err := v.Deliver(v.t.Context(), core.Draft{Markdown: text}, d); err != nil {
		v.t.Fatal(err)
	}
}

// patient is how long anything may take: the machine may have much to do, and the
// outbox looks every 30 s for what no event told it of.
const patient = 90 * time.Second

// until waits for a job to be as it should be.
func (v *vak) until(t *testing.T, id string, is func(core.Job) bool) core.Job {
	t.Helper()
	var j core.Job
	for end := time.Now().Add(patient); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		var err error
		if j, err = v.Job(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if is(j) {
			return j
		}
	}
	t.Fatalf("the job stays %+v; its history: %v", j, v.history(t, id))
	return j
}

// over is a job that nothing more will be done about by itself.
func over(j core.Job) bool { return !j.State.Live() || j.State == core.JobHeld }

// retry asks for an attempt now. Where the job's own came first there is none to
// ask for.
func (v *vak) retry(t *testing.T, id string) {
	t.Helper()
	if _, err := v.Act(t.Context(), core.Retry, id); err != nil {
		if j, _ := v.Job(t.Context(), id); j.State != core.JobDelivered && j.State != core.JobSending {
			t.Fatal(err)
		}
	}
}

// A happening is an entry of a job's history.
type happening struct {
	kind string
	at   time.Time
	body struct {
		Class, Code, Reason, Form string
		Counted, Waits, Duplicate bool
		Next                      time.Time
	}
}

func (h happening) String() string { return fmt.Sprintf("%s %+v", h.kind, h.body) }

func (v *vak) history(t *testing.T, id string) []happening {
	t.Helper()
	all, err := v.JobHistory(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var out []happening
	for _, e := range all {
		h := happening{kind: e.Kind, at: e.Time}
		if len(e.Body) > 0 {
			if err := json.Unmarshal(e.Body, &h.body); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, h)
	}
	return out
}

// failed waits for a job's first failure.
func (v *vak) failed(t *testing.T, id string) happening {
	t.Helper()
	var first happening
	v.until(t, id, func(core.Job) bool {
		all := v.history(t, id)
		i := slices.IndexFunc(all, func(h happening) bool { return h.kind == "failed" })
		if i >= 0 {
			first = all[i]
		}
		return i >= 0
	})
	return first
}

// said checks which requests a chat saw: no more and no fewer, each in its form.
func (v *vak) said(t *testing.T, chat string, forms ...string) []seen {
	t.Helper()
	all := v.to(chat)
	got := make([]string, len(all))
	for i, s := range all {
		got[i] = s.form
	}
	if v.platform.id == "webhook" {
		forms = slices.Repeat([]string{"packet"}, len(forms))
	}
	if !slices.Equal(got, forms) {
		t.Fatalf("requests %q, want %q", got, forms)
	}
	return all
}

// closed reports whether a target is closed.
func (v *vak) closed(t *testing.T, target string) bool {
	t.Helper()
	all, err := v.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all, func(x core.Target) bool { return x.Target == target && x.Closed })
}

// words is a text without its markup, in words.
func words(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("**", "", "<b>", "", "</b>", "", "*", "", "\\", "").Replace(s)), " ")
}
