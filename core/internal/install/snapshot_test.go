package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

func (s *Store) snapshot(t testing.TB) *Snapshot {
	t.Helper()
	now, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// Folders are those of [Snapshot.Folders] now. Its error is of kind ErrStore.
func (s *Store) Folders() ([]string, error) {
	now, err := s.Snapshot()
	return now.Folders(), err
}

// Admit is [Snapshot.Admit] now.
func (s *Store) Admit(folder, binary string) error {
	now, _ := s.Snapshot() // with an error it refuses what it has to
	return now.Admit(folder, binary)
}

// TestSnapshot has one stay as it was made, and judge what lies in the store and
// elsewhere.
func TestSnapshot(t *testing.T) {
	s := New(t.TempDir())
	agreed := Consent{AllowUnverified: true}
	asks := map[string]any{"grants": map[string]any{"env": []string{"A"}}}
	r := s.must(t, made{id: "a", version: "1.0.0", more: asks}.folder(t), agreed)
	in, binary := s.folder(r.Digest), binaryHash(r.Plugin)
	outside := filepath.Join(t.TempDir(), r.Digest) // a name that means nothing there
	before := s.snapshot(t)
	if g := before.Grants(in); len(g.Env) != 1 || !g.Network {
		t.Errorf("grants %+v", g)
	}
	if g := before.Grants(outside); len(g.Env) != 0 || g.Network {
		t.Errorf("grants outside the store %+v", g)
	}

	if _, err := s.Revoke("a", "", false); err != nil {
		t.Fatal(err)
	}
	now := s.snapshot(t)
	refused(t, now.Admit(in, binary), ErrRevoked, "a 1.0.0 is revoked since")
	if err := now.Admit(in, binary); !errors.Is(err, fault.Revoked) { // as a host asks
		t.Errorf("%v is not %v", err, fault.Revoked)
	}
	refused(t, now.Revoked(in, binary), ErrRevoked, "a 1.0.0 is revoked since")
	for why, err := range map[string]error{
		"to stop at once":             now.Banned(in, binary),
		"the folder's name elsewhere": now.Admit(outside, binary),
		"what was read before":        before.Admit(in, binary),
		"revoked before":              before.Revoked(in, binary),
	} {
		if err != nil {
			t.Errorf("%s: %v", why, err)
		}
	}
	// What is removed is still revoked where something goes by it.
	if _, err := s.Remove("a"); err != nil {
		t.Fatal(err)
	}
	refused(t, s.snapshot(t).Revoked(in, binary), ErrRevoked, "a 1.0.0 is revoked since")

	// A binary is refused wherever it lies.
	dev := filepath.Join(DevDir(s.home), "b")
	for _, folder := range []string{outside, dev} {
		other := strings.Repeat("3", 64)
		if err := now.Admit(folder, other); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
		if _, err := s.Revoke(other, "", true); err != nil {
			t.Fatal(err)
		}
		now := s.snapshot(t)
		for _, err := range []error{now.Admit(folder, other), now.Revoked(folder, other), now.Banned(folder, other)} {
			refused(t, err, ErrRevoked, "the plugin in "+folder+" is revoked since")
		}
		if err := now.Admit(folder, strings.Repeat("4", 64)); err != nil {
			t.Errorf("%s: another binary: %v", folder, err)
		}
		if _, err := s.Restore(other); err != nil {
			t.Fatal(err)
		}
	}
	if folders := before.Folders(); len(folders) != 1 || folders[0] != in || len(s.snapshot(t).Folders()) != 0 {
		t.Errorf("folders %q", folders)
	}
}

// TestBannedLooksNothingUp has a host that asks about a thousand plugins, again and
// again, not wait for the disk.
func TestBannedLooksNothingUp(t *testing.T) {
	s := New(t.TempDir())
	r := s.must(t, made{id: "a", version: "1.0.0"}.folder(t), Consent{AllowUnverified: true})
	if _, err := s.Revoke(strings.Repeat("3", 64), "", true); err != nil {
		t.Fatal(err)
	}
	now, outside := s.snapshot(t), t.TempDir()
	for why, folder := range map[string]string{"in the store": s.folder(r.Digest), "elsewhere": outside} {
		if n := testing.AllocsPerRun(10, func() { now.Banned(folder, binaryHash(r.Plugin)) }); n > 0 {
			t.Errorf("%s: %.0f allocations: it looks at folders", why, n)
		}
	}
}

// TestSnapshotDamaged has one of the files be none: nothing of the store is used,
// and what the other one revokes is refused.
func TestSnapshotDamaged(t *testing.T) {
	for _, name := range []string{lock.Name, lock.RevokedName} {
		s := New(t.TempDir())
		r := s.must(t, made{id: "a", version: "1.0.0"}.folder(t), Consent{AllowUnverified: true})
		other := strings.Repeat("3", 64)
		if _, err := s.Revoke(other, "", true); err != nil {
			t.Fatal(err)
		}
		put(t, s.home, name, "{")
		now, err := s.Snapshot()
		if !errors.Is(err, ErrStore) || now == nil || len(now.Folders()) != 0 {
			t.Fatalf("%s: %v, %v", name, now, err)
		}
		refused(t, now.Admit(s.folder(r.Digest), binaryHash(r.Plugin)), ErrStore, name)
		if err := now.Admit(t.TempDir(), strings.Repeat("4", 64)); err != nil {
			t.Errorf("%s: a plugin elsewhere: %v", name, err)
		}
		if err := now.Banned(t.TempDir(), other); (err != nil) != (name == lock.Name) {
			t.Errorf("%s: what is revoked: %v", name, err)
		}
	}
}

// TestStamp has every change of one of the files be seen.
func TestStamp(t *testing.T) {
	s := New(t.TempDir())
	seen := map[string]string{}
	look := func(why string) {
		t.Helper()
		now := s.Stamp()
		if now != s.Stamp() {
			t.Errorf("%s: it changes by itself", why)
		}
		if before, twice := seen[now]; twice {
			t.Errorf("%s and %s: %q", before, why, now)
		}
		seen[now] = why
	}
	look("nothing is there")
	s.must(t, made{id: "a", version: "1.0.0"}.folder(t), Consent{AllowUnverified: true})
	look("installed")
	if _, err := s.Revoke("a", "x", false); err != nil {
		t.Fatal(err)
	}
	look("revoked")
	if runtime.GOOS == "windows" {
		return
	}
	path := filepath.Join(s.home, lock.RevokedName)
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Another file of the same size and time.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s.home, "other", string(b))
	if err := errors.Join(os.Chtimes(filepath.Join(s.home, "other"), st.ModTime(), st.ModTime()), os.Rename(filepath.Join(s.home, "other"), path)); err != nil {
		t.Fatal(err)
	}
	look("replaced by one that looks the same")
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	look("others may write to it")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if now := s.Stamp(); now == "\n" || !strings.HasSuffix(now, "\n") {
		t.Errorf("%s is gone: %q", lock.RevokedName, now)
	}
}
