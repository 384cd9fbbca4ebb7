package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/supervise"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// look has the host look at its places again.
func look(t testing.TB, h *Host) (changed bool) {
	t.Helper()
	h.mu.Lock()
	p := h.places
	h.mu.Unlock()
	return syncs(t, h, p)
}

func syncs(t testing.TB, h *Host, p Places) (changed bool) {
	t.Helper()
	changed, err := h.Sync(p)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// upgrade puts another build of a plugin into its folder: the same program with a mark
// behind it.
func upgrade(t testing.TB, folder, binary, mark string) {
	t.Helper()
	path := filepath.Join(folder, filepath.Base(folder)+exe)
	os.Remove(path)
	copyFile(t, path, binary)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(mark)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	manifest, err := exec.Command(path, "manifest").Output()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "other")
	if err := os.WriteFile(other, manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, filepath.Join(folder, hostapi.ManifestName)); err != nil {
		t.Fatal(err)
	}
}

// builds makes two folders with builds of one plugin, and the keys of both.
func builds(t testing.TB, binary, name string) (one, two string) {
	t.Helper()
	one = install(t, t.TempDir(), binary, name)
	two = install(t, t.TempDir(), binary, name)
	upgrade(t, two, binary, "the second build")
	return one, two
}

// hold holds keys that are all there.
func hold(t testing.TB, h *Host, keys ...Key) (release func()) {
	t.Helper()
	release, missing := h.Hold(keys)
	for k, err := range missing {
		t.Fatalf("%+v: %v", k, err)
	}
	return release
}

// tryBy renders text on the fixture with a key.
func tryBy(h *Host, k Key, text string) (string, error) {
	r, _, err := h.Render(context.Background(), k, request(k.ID, text))
	if err != nil || len(r.Chunks) == 0 {
		return "", err
	}
	return r.Chunks[0].Text, nil
}

func sayBy(t testing.TB, h *Host, k Key, text string) string {
	t.Helper()
	out, err := tryBy(h, k, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func lowerBy(h *Host, k Key, do, with string) (string, error) {
	tree, err := h.Lower(context.Background(), k, wish(k.ID, do, with))
	if err != nil {
		return "", err
	}
	text, ok := tree.Root.Props.(card.Text)
	if !ok {
		return "", fmt.Errorf("the tree is a %T", tree.Root.Props)
	}
	return text.Text, nil
}

// until waits for something that comes by itself.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 30 s: %s", what)
		}
	}
}

// of are the entries of a plugin in the status, in the role that has no credential.
func of(h *Host, k Key) (out []Status) {
	for _, s := range h.Status() {
		if s.Key == k && s.Role != hostapi.RoleTransport {
			out = append(out, s)
		}
	}
	return out
}

// TestSyncTellsWhatChanged goes by what is on disk, and tells when that is other.
func TestSyncTellsWhatChanged(t *testing.T) {
	dir := t.TempDir()
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	for _, step := range []struct {
		what    string
		do      func()
		changed bool
	}{
		{"nothing", func() {}, false},
		{"a plugin", func() { install(t, dir, built.fixture, "good") }, true},
		{"no other", func() {}, false},
		{"another build", func() { upgrade(t, filepath.Join(dir, "good"), built.fixture, "x") }, true},
		{"the same, written anew", func() {
			path := filepath.Join(dir, "good", hostapi.ManifestName)
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, false},
		{"no binary", func() { os.Remove(filepath.Join(dir, "good", "good"+exe)) }, true},
		{"the binary again", func() { copyFile(t, filepath.Join(dir, "good", "good"+exe), built.fixture) }, true},
		{"no plugin", func() { os.RemoveAll(filepath.Join(dir, "good")) }, true},
	} {
		step.do()
		if changed := look(t, h); changed != step.changed {
			t.Errorf("%s: changed = %v, want %v", step.what, changed, step.changed)
		}
	}
	until(t, "nothing is left", func() bool { return len(h.Status()) == 0 })
}

// TestSyncNeedsItsDirectories changes nothing where a directory cannot be read.
func TestSyncNeedsItsDirectories(t *testing.T) {
	h := open(t, Config{}, "good")
	before := say(t, h, "good", "pid")
	h.mu.Lock()
	p := h.places
	h.mu.Unlock()
	p.Dirs = append(p.Dirs, filepath.Join(t.TempDir(), "none"))
	if changed, err := h.Sync(p); changed || !errors.Is(err, NotFound) {
		t.Errorf("changed = %v, err = %v", changed, err)
	}
	if got := say(t, h, "good", "pid"); got != before {
		t.Errorf("process %s, want %s", got, before)
	}
}

// TestHeldComesBack is the plugin that it was, with its process.
func TestHeldComesBack(t *testing.T) {
	one, two := builds(t, built.fixture, "good")
	first := Places{Folders: []string{one}}
	h := open(t, Config{Places: first})
	k := h.named("good")
	defer hold(t, h, k)()
	pid := sayBy(t, h, k, "pid")
	syncs(t, h, Places{Folders: []string{two}})
	syncs(t, h, first)
	if got := sayBy(t, h, k, "pid"); got != pid || h.named("good") != k || !of(h, k)[0].Current {
		t.Errorf("process %s, want %s: %+v", got, pid, of(h, k))
	}
}

// TestMendedBinary is tried at once when it is again what its manifest names, whatever
// went wrong before.
func TestMendedBinary(t *testing.T) {
	folder := install(t, t.TempDir(), built.fixture, "good")
	before := time.Now().Add(-time.Minute) // of what is younger nobody can tell whether it is other
	if err := os.Chtimes(filepath.Join(folder, hostapi.ManifestName), before, before); err != nil {
		t.Fatal(err)
	}
	h := open(t, Config{Places: Places{Folders: []string{folder}}, Policy: supervise.Policy{Failures: 2}})
	k := h.named("good")
	binary := filepath.Join(folder, "good"+exe)
	os.Remove(binary) // it may be a link
	if err := os.WriteFile(binary, []byte("another"), 0o755); err != nil {
		t.Fatal(err)
	}
	look(t, h)
	for of(h, k)[0].State != StateQuarantined {
		if _, err := tryBy(h, k, "x"); err == nil {
			t.Fatal("it was started")
		}
	}
	os.Remove(binary)
	copyFile(t, binary, built.fixture)
	if look(t, h) {
		t.Error("another plugin")
	}
	if got := sayBy(t, h, k, "x"); got != "ok" {
		t.Errorf("it says %q", got)
	}
}

// TestAdmitIsAskedOnce for each stamp, as long as the plugin is the same.
func TestAdmitIsAskedOnce(t *testing.T) {
	folder := install(t, t.TempDir(), built.fixture, "good")
	asked := 0
	p := Places{Folders: []string{folder}, Stamp: "1", Admit: func(string, string) error {
		asked++
		return errors.New("not now")
	}}
	h := open(t, Config{Places: p})
	for range 2 {
		syncs(t, h, p)
	}
	if s := h.Surfaces(); asked != 1 || s[0].Err == nil {
		t.Errorf("asked %d times: %v", asked, s[0].Err)
	}
	p.Stamp = "2"
	if syncs(t, h, p); asked != 2 {
		t.Errorf("asked %d times, though what is said may be other", asked)
	}
	upgrade(t, folder, built.fixture, "x")
	if syncs(t, h, p); asked != 3 {
		t.Errorf("asked %d times, though the plugin is another", asked)
	}
}

// TestFolderNamedTwice is one plugin, wherever it is named again.
func TestFolderNamedTwice(t *testing.T) {
	dir := t.TempDir()
	folder := install(t, dir, built.fixture, "good")
	h := open(t, Config{Places: Places{First: []string{folder}, Dirs: []string{dir, dir}, Folders: []string{folder + "/", filepath.Join(dir, "none")}}})
	s := h.Surfaces()
	if len(s) != 2 || s[0].Err != nil || !errors.Is(s[1].Err, BadManifest) {
		t.Fatalf("Surfaces = %+v", s)
	}
	if got := say(t, h, "good", "x"); got != "ok" {
		t.Errorf("got %q", got)
	}
}

// TestManifestIsTold gives the bytes that the key names.
func TestManifestIsTold(t *testing.T) {
	h := open(t, Config{}, "good")
	s := h.Surfaces()[0]
	text, err := os.ReadFile(filepath.Join(s.Dir, hostapi.ManifestName))
	if err != nil || string(s.Manifest) != string(text) {
		t.Errorf("the manifest is %q, want %q (%v)", s.Manifest, text, err)
	}
	if s.Key.ID != "good" || s.Key.Dir != s.Dir || s.Key.SHA256 != s.SHA256 || len(s.Key.Manifest) != 64 {
		t.Errorf("key %+v of %+v", s.Key, s)
	}
}

// TestGrantsAreAskedWhenAProcessStarts gives what is granted by then.
func TestGrantsAreAskedWhenAProcessStarts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("what is in it"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := install(t, t.TempDir(), built.pack, "good")
	p := Places{Folders: []string{folder}}
	h := open(t, Config{Places: p})
	if got := told(t, h, "good", "read", file); Sandbox().Whole && !strings.HasPrefix(got, "refused") {
		t.Errorf("without a grant: %q", got)
	}
	t.Setenv("VAK_TEST_GRANTED", "value")
	p.Grants = func(folder string) Grants {
		return Grants{Read: []string{file}, Env: []string{"VAK_TEST_GRANTED"}}
	}
	syncs(t, h, p)
	if err := h.Restart(t.Context(), "good"); err != nil {
		t.Fatal(err)
	}
	if got := told(t, h, "good", "read", file); got != "what is in it" {
		t.Errorf("with a grant: %q", got)
	}
	if got := told(t, h, "good", "env", ""); strings.Contains(got, "VAK_TEST_GRANTED") {
		t.Errorf("a pack has a variable that only those get who send:\n%s", got)
	}
}

// TestDirectoryGone has one of two directories be gone for a while: what was in it
// stays, and what is new in the other is used.
func TestDirectoryGone(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one"), t.TempDir()
	if err := os.Mkdir(one, 0o755); err != nil {
		t.Fatal(err)
	}
	install(t, one, built.fixture, "good")
	p := Places{Dirs: []string{one, two}}
	h := open(t, Config{Places: p})
	was := h.named("good")
	pid := say(t, h, "good", "pid")
	if err := os.Rename(one, one+"-away"); err != nil {
		t.Fatal(err)
	}
	install(t, two, built.fixture, "other")
	for _, want := range []bool{true, false} { // the other one came
		if changed, err := h.Sync(p); changed != want || !errors.Is(err, NotFound) {
			t.Errorf("changed = %v, err = %v", changed, err)
		}
	}
	if h.named("good") != was || h.named("other").Dir == "" {
		t.Errorf("%+v, %+v", h.named("good"), h.named("other"))
	}
	if got := say(t, h, "good", "pid"); got != pid {
		t.Errorf("process %s, want %s", got, pid)
	}
	if err := os.Rename(one+"-away", one); err != nil {
		t.Fatal(err)
	}
	syncs(t, h, p)
	if got := h.named("good"); got != was {
		t.Errorf("it came back as %+v, and was %+v", got, was)
	}
	if got := say(t, h, "good", "x"); got != "ok" {
		t.Errorf("it says %q", got)
	}
}
