package epoch

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var update = flag.Bool("update", false, "write the golden files anew")

var start = time.Date(2026, 3, 1, 9, 0, 0, 5e6, time.UTC)

// sample is an epoch with every member of the form. Two of the same n are equal.
func sample(n int) *Epoch {
	chat := surface.Profile{
		Surface: "chat", Dialect: "html", Limit: surface.Limit{Max: 4096, Unit: surface.UTF16, Of: surface.Visible, MaxEntities: 100},
		Can: surface.Capabilities{Code: true, Links: true}, Grid: 40,
	}
	wide := chat
	wide.Name, wide.Grid = "wide", 80
	return &Epoch{
		Plugins: []Plugin{
			{ID: "broken", Kind: "surface", Dir: "/p/broken", Problem: "bad_manifest"},
			{ID: "chat", Kind: "surface", Version: "1.2.3", SHA256: name([]byte("binary")), Dir: "/p/<chat>", File: name([]byte(" {} ")), Manifest: []byte(" {} ")},
			{ID: "core", Kind: "skill", Version: "1.0.0", Manifest: []byte(`{"id":"core"}`)},
			{ID: "pack", Kind: "skill", Version: fmt.Sprintf("0.0.%d", n), Dir: "/p/pack", SHA256: name([]byte("b")), File: name(fmt.Append(nil, n)), Manifest: fmt.Append(nil, n)},
		},
		Surfaces:  map[string]Look{"": {Profile: surface.Profile{Dialect: "plain"}}, "chat": {Profile: chat, Appendix: "always", Template: "memo"}},
		Targets:   map[string]Look{"chat:-100:7": {Profile: wide}, "chat:-200": {Profile: wide}},
		Templates: map[string]Template{"memo": {Revision: 3, Format: "# {{title}}\n"}, "old": {Problem: "it has no end"}},
	}
}

func opened(t testing.TB, dir string, files fsys.FS) *Store {
	t.Helper()
	s, err := open(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func published(t testing.TB, s *Store, e *Epoch, number uint64) Entry {
	t.Helper()
	got, err := s.Publish(e, start.Add(time.Duration(number)*time.Second))
	if err != nil || got.Number != number {
		t.Fatalf("published as %d, %v, want %d", got.Number, err, number)
	}
	return got
}

func loaded(t testing.TB, s *Store, digest string, want *Epoch) {
	t.Helper()
	got, err := s.Load(digest)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("loaded\n%+v\nwant\n%+v", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "catalog")
	s := opened(t, dir, fsys.OS)
	if _, ok := s.Current(); ok {
		t.Error("there is a current epoch before the first")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("Open made the directory:", err)
	}
	a, b := sample(1), sample(2)
	first := published(t, s, a, 1)
	if want, err := Digest(a); err != nil || first.Digest != want {
		t.Errorf("published as %s, and Digest says %s, %v", first.Digest, want, err)
	}
	published(t, s, b, 2)
	third := published(t, s, sample(1), 3)
	if third.Digest != first.Digest {
		t.Error("the same state has another digest")
	}
	for _, s := range []*Store{s, opened(t, dir, fsys.OS)} {
		if got := s.Entries(); len(got) != 3 || got[0] != first || got[2] != third {
			t.Errorf("entries are %v", got)
		}
		if got, ok := s.Current(); !ok || got != third {
			t.Errorf("current is %v, want %v", got, third)
		}
		if got, ok := s.Entry(2); !ok || got.Number != 2 || got.At != start.Add(2*time.Second) {
			t.Errorf("the second is %v, %v", got, ok)
		}
		if _, ok := s.Entry(4); ok {
			t.Error("there is a fourth")
		}
		loaded(t, s, first.Digest, a)
		look := a.Surfaces["chat"]
		if got, err := s.Blob(look.Digest()); err != nil || !bytes.Equal(got, encode(look)) {
			t.Errorf("the blob of a look is %q, %v", got, err)
		}
		if p := s.Problems(); len(p) > 0 {
			t.Error(p)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, blobsDir): 0o700, filepath.Join(dir, listName): 0o600, s.path(first.Digest): 0o600} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, st.Mode(), err, want)
		}
	}
}

// TestForm pins the form, byte by byte: it changes only with a version.
func TestForm(t *testing.T) {
	const file = "testdata/form.txtar"
	m := memfs.New()
	s := opened(t, "/home/catalog", m)
	entry := published(t, s, sample(1), 1)
	got := &txtar.Archive{Comment: []byte("The form of an epoch: the line, the list, and the blobs that it names.\nMade by go test -update; see TestForm.\n\n")}
	add := func(name string, b []byte) {
		got.Files = append(got.Files, txtar.File{Name: name, Data: append(bytes.Clone(b), '\n')})
	}
	add(listName, bytes.TrimSpace(m.Content("/home/catalog/"+listName)))
	add(entry.Digest, m.Content(s.path(entry.Digest)))
	names, err := m.List("/home/catalog/blobs")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if n != entry.Digest {
			add(n, m.Content(s.path(n)))
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(txtar.Format(got), bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Errorf("the form has changed:\n%s", txtar.Format(got))
	}
}

func TestDigestIsOfTheStateAlone(t *testing.T) {
	want, _ := Digest(sample(1))
	e := sample(1)
	slices.Reverse(e.Plugins)
	if got, err := Digest(e); got != want || err != nil {
		t.Error("the order of plugins counts:", err)
	}
	if e.Plugins[0].ID != "pack" {
		t.Error("Digest changed the epoch")
	}
	changes := map[string]func(e *Epoch){
		"version":  func(e *Epoch) { e.Plugins[1].Version = "9" },
		"manifest": func(e *Epoch) { e.Plugins[1].Manifest = []byte("{}") },
		"profile": func(e *Epoch) {
			l := e.Surfaces["chat"]
			l.Profile.Grid++
			e.Surfaces["chat"] = l
		},
		"target":   func(e *Epoch) { delete(e.Targets, "chat:-200") },
		"template": func(e *Epoch) { e.Templates["memo"] = Template{Revision: 4, Format: "# {{title}}\n"} },
	}
	seen := map[string]string{want: "nothing"}
	for what, change := range changes {
		e := sample(1)
		change(e)
		got, err := Digest(e)
		if err != nil || seen[got] != "" {
			t.Errorf("another %s has the digest of another %s, %v", what, seen[got], err)
		}
		seen[got] = what
	}
}

func TestPublishWritesWhatIsNew(t *testing.T) {
	m := memfs.New()
	s := opened(t, "/home/catalog", m)
	published(t, s, sample(1), 1)
	var made atomic.Int32
	m.Hook(func(op memfs.Op) error {
		if op.Kind == memfs.Create {
			made.Add(1)
		}
		return nil
	})
	before := m.Ops()
	published(t, s, sample(1), 1)
	if n := m.Ops() - before; n > 0 {
		t.Errorf("the same epoch again took %d operations", n)
	}
	published(t, s, sample(2), 2)
	if made.Load() != 2 {
		t.Errorf("one changed pack made %d blobs, want its manifest and the list", made.Load())
	}
	made.Store(0)
	again := opened(t, "/home/catalog", m)
	published(t, again, sample(2), 2)
	published(t, again, sample(3), 3)
	if made.Load() != 2 {
		t.Errorf("one changed pack in another process made %d blobs, want 2", made.Load())
	}
}

// TestDamagedBlob: it is found, told, and written anew where it is still in use.
func TestDamagedBlob(t *testing.T) {
	want := sample(1)
	digest, blobs, err := parts(want)
	if err != nil {
		t.Fatal(err)
	}
	for blob := range blobs {
		for what, damage := range map[string]func(path string) error{
			"gone":    os.Remove,
			"cut":     func(path string) error { return os.Truncate(path, 0) },
			"changed": func(path string) error { return os.WriteFile(path, append(blobs[blob][1:], 'x'), 0o600) },
		} {
			dir := t.TempDir()
			published(t, opened(t, dir, fsys.OS), want, 1)
			blobs[blob] = bytes.Clone(blobs[blob])
			s := opened(t, dir, fsys.OS)
			if err := damage(s.path(blob)); err != nil {
				t.Fatal(err)
			}
			_, err := s.Load(digest)
			e, ok := errors.AsType[*fsys.Error](err)
			if !ok || e.File != s.path(blob) || e.Mend == "" || !strings.Contains(e.Error(), e.Mend) {
				t.Fatalf("%s blob: %v, want an error with its name", what, err)
			}
			published(t, s, want, 1)
			loaded(t, s, digest, want)
		}
	}
}

func TestBounds(t *testing.T) {
	s := opened(t, t.TempDir(), fsys.OS)
	e := sample(1)
	e.Plugins[0].Manifest = make([]byte, maxBlob+1)
	if _, err := s.Publish(e, start); err == nil {
		t.Error("a manifest that cannot be read again was kept")
	}
	if _, err := s.Publish(&Epoch{Plugins: make([]Plugin, maxParts)}, start); err == nil {
		t.Error("an epoch that cannot be read again was kept")
	}
	if _, err := s.Publish(sample(1), start.AddDate(9000, 0, 0)); err == nil {
		t.Error("a time that has no form was kept")
	}
	published(t, s, &Epoch{}, 1)
	if _, err := parse(fmt.Appendf(nil, `{"schema_version":1,"plugins":[%s{}]}`, strings.Repeat("{},", maxParts)), s.Blob); err == nil {
		t.Error("a list of too many plugins was read")
	}
	if _, err := parse(fmt.Appendf(nil, `{"schema_version":1,"targets":{%s"":""}}`, strings.Repeat(`"":"",`, maxQuotes/4)), s.Blob); err == nil {
		t.Error("a list of too many targets was read")
	}
	reads, large := 0, make([]byte, maxBlob)
	list := `{"schema_version":1,"plugins":[%s{}]}`
	same := fmt.Sprintf(list, strings.Repeat(`{"manifest":"m"},`, 1000))
	if _, err := parse([]byte(same), func(string) ([]byte, error) { reads++; return large, nil }); reads != 1 || err != nil {
		t.Errorf("a blob that is named 1,000 times was read %d times, %v", reads, err)
	}
	reads = 0
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `{"manifest":"m%d"},`, i)
	}
	if _, err := parse(fmt.Appendf(nil, list, many.String()), func(string) ([]byte, error) { reads++; return large, nil }); err == nil || reads > maxBlobs/maxBlob+1 {
		t.Errorf("%d large blobs were read, %v", reads, err)
	}
	big := filepath.Join(s.dir, blobsDir, name(nil))
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxList+1); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() error{
		func() error { _, err := s.Blob(name(nil)); return err },
		func() error { _, err := s.Load(name(nil)); return err },
	} {
		if err := read(); !strings.Contains(fmt.Sprint(err), "want at most") {
			t.Error("a file without bound was read:", err)
		}
	}
	for _, bad := range []string{"", "../epochs.jsonl", strings.Repeat("A", 64), strings.Repeat("0", 63)} {
		if _, err := s.Blob(bad); err == nil {
			t.Errorf("%q is taken for a name", bad)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	s := opened(t, t.TempDir(), fsys.OS)
	published(t, s, sample(1), 1)
	for _, tt := range []struct{ list, want string }{
		{`null`, "lists no epoch"},
		{`{"schema_version":2}`, "later version"},
		{`[`, "not what vak writes"},
		{`{"schema_version":1,"plugins":[{"id":"b"},{"id":"a"}]}`, "not in order"},
		{`{"schema_version":1,"surfaces":{"a":"` + name([]byte("1")) + `"}}`, "not what vak writes"},
		{`{"schema_version":1,"surfaces":{"a":"../x"}}`, "is the name of nothing"},
	} {
		if err := fsys.Put(s.files, s.path(name([]byte(tt.list))), []byte(tt.list)); err != nil {
			t.Fatal(err)
		}
		_, err := s.Load(name([]byte(tt.list)))
		if e, ok := errors.AsType[*fsys.Error](err); !ok || e.Mend == "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an Error with %q", tt.list, err, tt.want)
		}
	}
}

func jsonLine(t testing.TB, number uint64, digest string) string {
	t.Helper()
	b, err := json.Marshal(line{version, number, digest, start})
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}
