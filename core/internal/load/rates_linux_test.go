package load

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// TestRates sends to two chats of each platform as fast as vak does, at the rates
// as they are, with interrupts among the answers and a platform that has no time
// now and then: the platforms, which count by themselves, see none that is too
// fast, and what presses does not wait for what does not.
func TestRates(t *testing.T) {
	dir := filepath.Join(filepath.Dir(binaries.Build(t)), "plugins")
	p := begin(t, 1, 1)
	for _, w := range p.weather {
		w.onlyBusy = true
	}
	k := &keeper{t: t, setup: setup{Home: t.TempDir(), Plugins: dir, URLs: p.urls()}}
	var orders []order
	accept := func(o order) {
		orders = append(orders, o)
		if r := k.ask(o); r.Err != "" {
			t.Fatal(r.Err)
		}
	}
	const each = 5
	for n := range each {
		for _, lane := range []int{0, 1, 2, 4, 5, 6} { // two chats each of Telegram, one of them a group, of Slack and of Discord
			accept(order{ID: fmt.Sprintf("x%dx%d", lane, n), Target: target(lane), Text: fmt.Sprintf("x%dx%dx0x an answer\n\nx%dx%dx1x of two paragraphs", lane, n, lane, n)})
		}
	}
	presses := time.Now()
	for _, lane := range []int{0, 1, 2} { // a lane of their own, so that they have marks of their own
		accept(order{ID: fmt.Sprintf("x%dx0", 1000+lane), Target: target(lane), Text: fmt.Sprintf("x%dx0x0x it presses", 1000+lane), Alert: true})
	}
	left := -1
	for end := time.Now().Add(time.Minute); left != 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		left = k.ask(order{Do: "left"}).Left
	}
	s := k.ask(order{Do: "sum"})
	k.end()
	if left != 0 || s.Err != "" || s.Sum.Delivered != len(orders) {
		t.Errorf("%d of %d messages arrived, %d are left: %s", s.Sum.Delivered, len(orders), left, s.Err)
	}
	if n := total(p.overruns()); n > 0 {
		t.Errorf("%d requests came faster than the platforms allow: %v", n, p.overruns())
	}
	faults := 0
	for name, lane := range map[string]int{"telegram": 0, "slack": 1, "discord": 2} {
		w := p.weather[name]
		w.mu.Lock()
		faults += w.faults["429"]
		at, last := w.first[fmt.Sprintf("x%dx0x0x", 1000+lane)], w.first[fmt.Sprintf("x%dx%dx0x", lane, each-1)]
		w.mu.Unlock()
		if name != "discord" && !at.Before(last) { // Discord takes five at once
			t.Errorf("%s: what presses came %s behind its acceptance, and the last answer %s", name, at.Sub(presses), last.Sub(presses))
		}
	}
	if faults == 0 {
		t.Error("no platform was busy")
	}
}
