package host

import (
	"context"
	"testing"
	"time"
)

// BenchmarkFirstRender is a start with all that belongs to it (hash, handshake,
// description) up to the first answer. Stopping is not counted.
func BenchmarkFirstRender(b *testing.B) {
	dir := b.TempDir()
	install(b, dir, built.telegram, "telegram")
	runtime := shortDir(b)
	for b.Loop() {
		b.StopTimer()
		h, err := Open(Config{Places: Places{Dirs: []string{dir}}, RuntimeDir: runtime})
		if err != nil {
			b.Fatal(err)
		}
		req := request("telegram", "hello")
		req.Profile = h.Surfaces()[0].Info.Profiles[0]
		b.StartTimer()
		if _, _, err := h.Render(context.Background(), h.named("telegram"), req); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		h.Close()
		b.StartTimer()
	}
}

// BenchmarkStop is a polite end.
func BenchmarkStop(b *testing.B) {
	dir := b.TempDir()
	install(b, dir, built.telegram, "telegram")
	runtime := shortDir(b)
	var took time.Duration
	n := 0
	for b.Loop() {
		h, err := Open(Config{Places: Places{Dirs: []string{dir}}, RuntimeDir: runtime})
		if err != nil {
			b.Fatal(err)
		}
		req := request("telegram", "hello")
		req.Profile = h.Surfaces()[0].Info.Profiles[0]
		if _, _, err := h.Render(context.Background(), h.named("telegram"), req); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		h.Close()
		took += time.Since(began)
		n++
	}
	b.ReportMetric(float64(took.Microseconds())/float64(n), "µs/stop")
}

// BenchmarkWarmRender is a short paragraph through a process that runs.
func BenchmarkWarmRender(b *testing.B) {
	dir := b.TempDir()
	install(b, dir, built.telegram, "telegram")
	h := open(b, Config{Places: Places{Dirs: []string{dir}}})
	req := request("telegram", "hello")
	req.Profile = h.Surfaces()[0].Info.Profiles[0]
	if _, _, err := h.Render(context.Background(), h.named("telegram"), req); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := h.Render(context.Background(), h.named("telegram"), req); err != nil {
			b.Fatal(err)
		}
	}
}
