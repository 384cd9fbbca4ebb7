package host

import (
	"strings"
	"testing"
	"time"
)

// TestDevoursMemory has a plugin allocate without end, bit by bit and at one go.
func TestDevoursMemory(t *testing.T) {
	for _, c := range []string{"devour", "reserve"} {
		t.Run(c, func(t *testing.T) {
			leavesNothing(t)
			log := newTestLog()
			h := open(t, Config{Log: log, RenderTimeout: time.Minute}, "hungry", "good")
			pid := say(t, h, "good", "pid")
			_, err := try(h, "hungry", c)
			named(t, err, Unavailable, FromPlugin, "MiB of memory and can have 1024")
			unharmed(t, h, pid)
			if got := say(t, h, "hungry", "x"); got != "ok" {
				t.Errorf("afterwards got %q", got)
			}
			h.Close()
			if all := log.lines.String(); !strings.Contains(all, "out of memory") || !strings.Contains(all, "ended by itself") {
				t.Errorf("the log does not tell of it:\n%.2000s", all)
			}
		})
	}
}

// TestPackDevoursMemory has a pack have no more than a renderer: it is no less foreign.
func TestPackDevoursMemory(t *testing.T) {
	leavesNothing(t)
	h := open(t, Config{Places: Places{Folders: []string{install(t, t.TempDir(), built.pack, "hungry")}}, RenderTimeout: time.Minute})
	k := h.named("hungry")
	_, err := lowerBy(h, k, "reserve", "")
	named(t, err, Unavailable, FromPlugin, "MiB of memory and can have 1024")
	if got, err := lowerBy(h, k, "", ""); got != "ok" {
		t.Errorf("afterwards got %q, %v", got, err)
	}
}
