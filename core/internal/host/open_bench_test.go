package host

import "testing"

// BenchmarkOpen reads four manifests.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for _, n := range []string{"a", "b", "c", "d"} {
		install(b, dir, built.fixture, n)
	}
	runtime := shortDir(b)
	for b.Loop() {
		h, err := Open(Config{Places: Places{Dirs: []string{dir}}, RuntimeDir: runtime})
		if err != nil {
			b.Fatal(err)
		}
		h.Close()
	}
}
