package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// manyFolders makes n plugins that nobody starts.
func manyFolders(t testing.TB, n int) (dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(install(t, t.TempDir(), built.fixture, "good"), hostapi.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	before := time.Now().Add(-time.Minute)
	for i := range n {
		name := fmt.Sprintf("p%d", i)
		folder := filepath.Join(dir, name)
		manifest := filepath.Join(folder, hostapi.ManifestName)
		err := os.Mkdir(folder, 0o755)
		if err == nil {
			err = os.WriteFile(manifest, []byte(strings.ReplaceAll(string(text), `"good`, `"`+name)), 0o644)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name+exe), nil, 0o755)
		}
		if err == nil {
			err = os.Chtimes(manifest, before, before)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSyncReadsNothingThatIsUntouched holds a look at a thousand folders to what their
// stamps cost. To read and check a manifest takes a hundred times as much.
func TestSyncReadsNothingThatIsUntouched(t *testing.T) {
	const n = 1000
	p := Places{Dirs: []string{manyFolders(t, n)}}
	h := open(t, Config{Places: p})
	if s := h.Surfaces(); len(s) != n || s[0].Err != nil || s[n-1].Err != nil {
		t.Fatalf("%d surfaces, the first %+v", len(s), s[0])
	}
	each := testing.AllocsPerRun(3, func() {
		if syncs(t, h, p) {
			t.Error("something changed")
		}
	}) / n
	t.Logf("%.0f allocations for each folder", each)
	if each > 60 {
		t.Errorf("%.0f allocations for each folder: it is read again", each)
	}
}

// BenchmarkSyncUnchanged looks at a thousand folders of which none was touched.
func BenchmarkSyncUnchanged(b *testing.B) {
	p := Places{Dirs: []string{manyFolders(b, 1000)}}
	h := open(b, Config{Places: p})
	b.ReportAllocs()
	for b.Loop() {
		syncs(b, h, p)
	}
}
