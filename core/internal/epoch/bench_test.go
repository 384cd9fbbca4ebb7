package epoch

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// thousand is an epoch with 1,000 skills, each with a manifest of about 4 KiB.
func thousand(changed int) *Epoch {
	e := sample(1)
	for i := range 1000 {
		n := i
		if i == 500 {
			n += 1000 * changed
		}
		manifest := fmt.Appendf(nil, `{"id":"pack%04d","n":%d,"schema":%q}`, i, n, strings.Repeat("x", 4000))
		e.Plugins = append(e.Plugins, Plugin{ID: fmt.Sprintf("pack%04d", i), Kind: "skill", Version: "1.0.0", SHA256: name(manifest), Dir: fmt.Sprintf("/p/pack%04d", i), File: name(manifest), Manifest: manifest})
	}
	return e
}

// BenchmarkPublish is an epoch of 1,000 skills on the disk of the machine.
func BenchmarkPublish(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		e, dir, n := thousand(0), b.TempDir(), 0
		b.ReportAllocs()
		for b.Loop() {
			n++
			if _, err := opened(b, filepath.Join(dir, fmt.Sprint(n)), fsys.OS).Publish(e, start); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one_changed", func(b *testing.B) {
		s, n := opened(b, b.TempDir(), fsys.OS), 0
		published(b, s, thousand(0), 1)
		var epochs [2]*Epoch
		epochs[1] = thousand(0)
		b.ReportAllocs()
		for b.Loop() {
			n++
			e := *epochs[1]
			e.Plugins = append([]Plugin(nil), e.Plugins...)
			e.Plugins[500].Manifest = fmt.Appendf(nil, "changed %d", n)
			if _, err := s.Publish(&e, start); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("same_after_start", func(b *testing.B) {
		dir, e := b.TempDir(), thousand(0)
		published(b, opened(b, dir, fsys.OS), e, 1)
		b.ReportAllocs()
		for b.Loop() {
			published(b, opened(b, dir, fsys.OS), e, 1)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	s := opened(b, b.TempDir(), fsys.OS)
	entry := published(b, s, thousand(0), 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Load(entry.Digest); err != nil {
			b.Fatal(err)
		}
	}
}
