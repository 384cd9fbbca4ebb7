package operations

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// PRT-02: a message whose second part is never taken. Its first part came again
// with every attempt, for days.
func TestSecondPartNeverTaken(t *testing.T) {
	o := newOffice(t, func(p post) int {
		if p.Part > 0 {
			return http.StatusRequestEntityTooLarge
		}
		return http.StatusOK
	})
	v := begin(t, o)
	v.send("j", "courier:a", parts(2))
	for range 10 {
		v.restart()
	}
	j := v.until("j", state(core.JobDeadLetter))
	if j.Reason != "too_long" || j.Sent != 1 {
		t.Errorf("it is %+v", j)
	}
	if came := o.came("j"); came[0] != 1 || len(o.all()) > 3 {
		t.Errorf("the parts came %v times", came)
	}
	if said := v.api("GET", "/v1/doctor"); !strings.Contains(said, "too_long") {
		t.Errorf("a doctor does not say so: %s", said)
	}
	if n := strings.Count(v.log.String(), "dead_letter"); n != 1 {
		t.Errorf("it was told %d times", n)
	}
}

// PRT-04: the platform refuses all markup. The plain texts had tags in them and
// fewer pieces.
func TestPlainFallback(t *testing.T) {
	script := sdktest.NewTransportScript()
	v := begin(t, newOffice(t, nil))
	v.config.InProcess = []surface.Plugin{{
		Info: surface.Info{
			ID: "html", Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(), Transport: true,
			Profiles: []surface.Profile{{
				Surface: "html", Dialect: dialect.TelegramHTML.Name(), Limit: surface.Limit{Max: 4096, Unit: surface.UTF16, Of: surface.Visible},
				Can: surface.Capabilities{AccessiblePlain: true},
			}},
		},
		Renderer:     layout.Renderer(dialect.TelegramHTML),
		NewTransport: script.Plugin("html", 4096).NewTransport,
	}}
	v.restart()
	var source, want strings.Builder
	for range 200 {
		source.WriteString("some **bold** and *italic* words, `a < b && c` and more of them for a while, to have a long text.\n\n")
		want.WriteString("some bold and italic words, a < b && c and more of them for a while, to have a long text. ")
	}
	to := surface.Target{Surface: "html", Address: "a"}
	for part := range 20 {
		script.On(to, part, sdktest.Step{Err: &surface.DeliveryError{Class: surface.Payload, Code: "400"}}, sdktest.Step{})
	}
	v.send("j", "html:a", source.String())
	v.until("j", state(core.JobDelivered))
	var got []string
	for _, r := range script.Accepted(to) {
		if r.Form != surface.FormPlain {
			t.Errorf("part %d was taken in form %s", r.Part, r.Form)
		}
		if n := len(r.Chunk.Plain); n > 4096 {
			t.Errorf("part %d has %d bytes", r.Part, n)
		}
		got = append(got, strings.Fields(r.Chunk.Plain)...)
	}
	if !slices.Equal(got, strings.Fields(want.String())) {
		t.Errorf("the reader sees %q", strings.Join(got, " "))
	}
}

// PRT-06: the second part fails for a while, in one process. The job was taken for
// a new one.
func TestGoesOnWhereItWas(t *testing.T) {
	o := newOffice(t, func(p post) int {
		if p.Part == 1 && p.times <= 5 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	v := begin(t, o)
	o.look = func(p post) string { return v.history(p.Job) }
	v.send("j", "courier:a", parts(3))
	for range 5 {
		v.until("j", waits(1))
		v.hurry("j")
	}
	v.until("j", state(core.JobDelivered))
	if came := o.came("j"); !slices.Equal(came, []int{1, 6, 1}) {
		t.Errorf("the parts came %v times", came)
	}
	for _, p := range o.all() {
		if n := strings.Count(p.settledBefore, "sent {"); n != p.Part {
			t.Errorf("part %d came with %d receipts on disk", p.Part, n)
		}
	}
}
