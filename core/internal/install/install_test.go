package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/install/key"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A made plugin: what a test says of it. Nothing runs it.
type made struct {
	id, version, binary string
	more                map[string]any // members of its manifest
	key                 *key.Private
}

func (m made) folder(t testing.TB) string {
	t.Helper()
	if m.binary == "" {
		m.binary = "#!/bin/sh\n"
	}
	h := sha256.Sum256([]byte(m.binary))
	manifest := map[string]any{
		"schema_version": 1, "id": m.id, "kind": "surface", "version": m.version, "protocol": []int{1},
		"binary": m.id, "sha256": hex.EncodeToString(h[:]),
		"info": map[string]any{
			"id": m.id, "version": m.version, "doc_version": 1, "blocks": []string{"paragraph"}, "transport": true,
			"profiles": []any{map[string]any{"surface": m.id, "dialect": "plain", "limit": map[string]any{"max": 2000}}},
			"account":  map[string]any{"type": "object"},
		},
	}
	for k, v := range m.more {
		manifest[k] = v
	}
	text, err := json.MarshalIndent(manifest, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, hostapi.ManifestName, string(text))
	put(t, dir, m.id, m.binary)
	put(t, dir, "README.md", "Read me.")
	if m.key != nil {
		canonical, err := Canonical(text)
		if err != nil {
			t.Fatal(err)
		}
		c := Contents{hostapi.ManifestName: sum(canonical), m.id: sum([]byte(m.binary)), "README.md": sum([]byte("Read me."))}
		put(t, dir, SignatureName, m.key.Sign(c.Statement()).String())
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newKey(t testing.TB) *key.Private {
	t.Helper()
	k, err := key.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return &k
}

func (s *Store) try(t testing.TB, src string, agreed Consent) (Result, error) {
	t.Helper()
	c, err := s.Prepare(src)
	if err != nil {
		return Result{}, err
	}
	defer c.Close()
	return s.Install(c, agreed)
}

func (s *Store) must(t testing.TB, src string, agreed Consent) Result {
	t.Helper()
	r, err := s.try(t, src, agreed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inStore are the names in the store.
func inStore(t testing.TB, s *Store) []string {
	t.Helper()
	found, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range found {
		names = append(names, d.Name())
	}
	return names
}

func refused(t testing.TB, err error, kind Kind, says string) {
	t.Helper()
	own, ok := errors.AsType[*Error](err)
	if !ok || own.Kind != kind || !strings.Contains(err.Error(), says) {
		t.Errorf("err = %v, want %q of the kind %q", err, says, kind)
	}
}

func TestInstall(t *testing.T) {
	s := New(t.TempDir())
	src := made{id: "a", version: "1.0.0"}.folder(t)
	_, err := s.try(t, src, Consent{})
	refused(t, err, ErrConsent, "--allow-unverified")
	if names := inStore(t, s); len(names) != 0 {
		t.Errorf("left in the store: %q", names)
	}
	r := s.must(t, src, Consent{AllowUnverified: true})
	if r.Already || !r.Enabled || r.Verified || !r.Grants.Network || r.Files[platform]["a"] == "" || len(r.Files[platform]) != 3 {
		t.Errorf("installed %+v", r)
	}
	if names := inStore(t, s); len(names) != 1 || names[0] != r.Digest || Contents(r.Files[platform]).Digest() != r.Digest {
		t.Errorf("in the store: %q", names)
	}
	if again := s.must(t, src, Consent{AllowUnverified: true}); !again.Already {
		t.Error("installed twice")
	}
	folders, err := s.Folders()
	if err != nil || len(folders) != 1 || folders[0] != s.folder(r.Digest) {
		t.Fatalf("folders %q, %v", folders, err)
	}
	if err := s.Admit(folders[0], binaryHash(r.Plugin)); err != nil {
		t.Error(err)
	}
	if err := s.Admit(src, "whatever"); err != nil {
		t.Errorf("outside the store: %v", err)
	}
	refused(t, s.Admit(s.folder(strings.Repeat("0", 64)), ""), ErrNotInstalled, "by hand")
	refused(t, s.Admit(folders[0], strings.Repeat("0", 64)), ErrConflict, "not as it was installed")

	// A changed file is told, and mended by installing it again.
	if err := os.Chmod(filepath.Join(folders[0], hostapi.ManifestName), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, folders[0], hostapi.ManifestName, "{}")
	put(t, folders[0], "new", "")
	states, _, err := s.States(true)
	if err != nil || len(states) != 1 || !strings.Contains(states[0].Changed, `"plugin.json" was changed`) {
		t.Errorf("states %+v, %v", states, err)
	}
	refused(t, s.Admit(folders[0], binaryHash(r.Plugin)), ErrConflict, "not as it was installed")
	s.must(t, src, Consent{AllowUnverified: true})
	if states, _, err := s.States(true); err != nil || states[0].Changed != "" {
		t.Errorf("states %+v, %v", states, err)
	}

	if _, err := s.Enable("a", false); err != nil {
		t.Fatal(err)
	}
	if folders, err := s.Folders(); err != nil || len(folders) != 0 {
		t.Errorf("folders %q, %v", folders, err)
	}
	refused(t, s.Admit(s.folder(r.Digest), binaryHash(r.Plugin)), ErrNotInstalled, "is not installed")
	if _, err := s.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if names := inStore(t, s); len(names) != 1 {
		t.Errorf("a job may still go by it; in the store: %q", names)
	}
	s.sweep(t)
	if names := inStore(t, s); len(names) != 0 {
		t.Errorf("left in the store: %q", names)
	}
	_, err = s.Remove("a")
	refused(t, err, ErrNotInstalled, "nothing is installed")
}

func TestKeys(t *testing.T) {
	s := New(t.TempDir())
	first, second := newKey(t), newKey(t)
	r := s.must(t, made{id: "a", version: "1.0.0", key: first}.folder(t), Consent{})
	if !r.Verified || r.Key != first.Public().String() {
		t.Fatalf("installed %+v", r)
	}
	up := Consent{Upgrade: true}
	_, err := s.try(t, made{id: "a", version: "1.1.0", key: second}.folder(t), up)
	refused(t, err, ErrConsent, "--accept-key "+second.Public().Fingerprint())
	_, err = s.try(t, made{id: "a", version: "1.1.0"}.folder(t), up)
	refused(t, err, ErrConsent, "signed with "+first.Public().Fingerprint())
	_, err = s.try(t, made{id: "a", version: "1.1.0", key: second}.folder(t), Consent{Upgrade: true, AcceptKey: first.Public().Fingerprint()})
	refused(t, err, ErrConsent, "is not signed with the key")
	// The pin outlives the plugin.
	if _, err := s.Remove("a"); err != nil {
		t.Fatal(err)
	}
	_, err = s.try(t, made{id: "a", version: "1.1.0", key: second}.folder(t), Consent{})
	refused(t, err, ErrConsent, "another key than before")
	accepted := Consent{AcceptKey: second.Public().Fingerprint()}
	s.must(t, made{id: "a", version: "1.1.0", key: second}.folder(t), accepted)
	s.must(t, made{id: "a", version: "1.2.0", key: second}.folder(t), up)
	_, err = s.try(t, made{id: "a", version: "1.3.0", key: first}.folder(t), up)
	refused(t, err, ErrConsent, "another key than before")

	// Each file is signed, and the manifest whatever space it has.
	for _, name := range []string{"a", "README.md", hostapi.ManifestName, "added"} {
		src := made{id: "a", version: "2.0.0", key: second}.folder(t)
		b, _ := os.ReadFile(filepath.Join(src, name))
		text := string(b) + "x"
		if name == hostapi.ManifestName {
			text = strings.Replace(string(b), "2000", "1000", 1)
		}
		put(t, src, name, text)
		_, err := s.Prepare(src)
		refused(t, err, ErrBundle, map[bool]string{true: "sha256 differs", false: "changed after it was signed"}[name == "a"])
	}
	src := made{id: "a", version: "2.0.0", key: second}.folder(t)
	b, _ := os.ReadFile(filepath.Join(src, hostapi.ManifestName))
	put(t, src, hostapi.ManifestName, strings.ReplaceAll(string(b), "\t", "  "))
	s.must(t, src, up)
}

func TestUpgrade(t *testing.T) {
	s := New(t.TempDir())
	agreed := Consent{AllowUnverified: true}
	_, err := s.try(t, made{id: "a", version: "1.0.0"}.folder(t), Consent{AllowUnverified: true, Upgrade: true})
	refused(t, err, ErrNotInstalled, "vak plugin install")
	first := s.must(t, made{id: "a", version: "1.0.0"}.folder(t), agreed)
	if _, err := s.Enable("a", false); err != nil {
		t.Fatal(err)
	}
	_, err = s.try(t, made{id: "a", version: "1.1.0"}.folder(t), agreed)
	refused(t, err, ErrConflict, "vak plugin upgrade")
	agreed.Upgrade = true
	r := s.must(t, made{id: "a", version: "1.1.0"}.folder(t), agreed)
	if r.Enabled {
		t.Error("an upgrade enables")
	}
	s.sweep(t)
	if names := inStore(t, s); len(names) != 1 || names[0] == first.Digest {
		t.Errorf("in the store: %q", names)
	}
	for _, c := range []struct{ version, binary, to, says string }{
		{"1.0.0", "", "", "--to 1.0.0"},
		{"1.1.0-rc.1", "", "", "is older than 1.1.0"},
		{"1.1.0", "#!/bin/other\n", "", "with other contents"},
		{"1.2.0", "", "1.3.0", "is not version 1.3.0"},
	} {
		_, err := s.try(t, made{id: "a", version: c.version, binary: c.binary}.folder(t), Consent{AllowUnverified: true, Upgrade: true, To: c.to})
		refused(t, err, ErrConflict, c.says)
	}
	agreed.To = "1.0.0"
	s.must(t, made{id: "a", version: "1.0.0"}.folder(t), agreed)
}

// sweep removes what nothing needs, where each of needed is.
func (s *Store) sweep(t testing.TB, needed ...string) {
	t.Helper()
	if err := s.Sweep(func(digest string) bool { return slices.Contains(needed, digest) }); err != nil {
		t.Fatal(err)
	}
}

// TestSweep has what something still goes by stay, with what was agreed to, until
// nothing does.
func TestSweep(t *testing.T) {
	s := New(t.TempDir())
	if err := s.Sweep(func(string) bool { t.Error("asked though nothing waits"); return true }); err != nil {
		t.Error(err)
	}
	agreed := Consent{AllowUnverified: true, Upgrade: true}
	asks := map[string]any{"grants": map[string]any{"read": []string{"/x"}}}
	first := s.must(t, made{id: "a", version: "1.0.0", more: asks}.folder(t), Consent{AllowUnverified: true})
	second := s.must(t, made{id: "a", version: "1.1.0"}.folder(t), agreed)
	third := s.must(t, made{id: "a", version: "1.2.0"}.folder(t), agreed)
	s.sweep(t, first.Digest)
	names := inStore(t, s)
	if len(names) != 2 || !slices.Contains(names, first.Digest) || slices.Contains(names, second.Digest) {
		t.Errorf("in the store: %q", names)
	}
	if _, strays, err := s.States(false); err != nil || len(strays) != 0 {
		t.Errorf("strays %q, %v", strays, err)
	}
	if g := s.snapshot(t).Grants(s.folder(first.Digest)); len(g.Read) != 1 {
		t.Errorf("what it was given counts no more: %+v", g)
	}
	// It is installed again before it goes.
	agreed.To = "1.0.0"
	s.must(t, made{id: "a", version: "1.0.0", more: asks}.folder(t), agreed)
	s.sweep(t, third.Digest)
	s.sweep(t)
	if names := inStore(t, s); len(names) != 1 || names[0] != first.Digest {
		t.Errorf("in the store: %q", names)
	}
	if g := s.snapshot(t).Grants(s.folder(third.Digest)); g.Network {
		t.Errorf("what is gone has grants: %+v", g)
	}
}

func TestRevoke(t *testing.T) {
	s := New(t.TempDir())
	agreed := Consent{AllowUnverified: true}
	src := made{id: "a", version: "1.0.0"}.folder(t)
	r := s.must(t, src, agreed)
	for _, name := range []string{"a", r.Digest, r.Digest[:8], binaryHash(r.Plugin)} {
		v, err := s.Revoke(name, "because", false)
		if err != nil || v.ID != "a" || v.Version != "1.0.0" {
			t.Fatalf("%s: %+v, %v", name, v, err)
		}
		refused(t, s.Admit(s.folder(r.Digest), binaryHash(r.Plugin)), ErrRevoked, `"because"`)
		_, err = s.Enable("a", true)
		refused(t, err, ErrRevoked, "restore "+v.Hash)
		_, err = s.Prepare(src)
		refused(t, err, ErrRevoked, "restore "+v.Hash)
		if states, _, err := s.States(false); err != nil || states[0].Revoked == nil {
			t.Errorf("%s: %+v, %v", name, states, err)
		}
		if _, err := s.Restore(v.Hash[:8]); err != nil {
			t.Error(err)
		}
		if err := s.Admit(s.folder(r.Digest), binaryHash(r.Plugin)); err != nil {
			t.Error(err)
		}
	}
	// A hash may be revoked before anybody installs it.
	other := strings.Repeat("0", 64)
	if v, err := s.Revoke(other, "", false); err != nil || v.ID != "" {
		t.Errorf("%+v, %v", v, err)
	}
	for _, name := range []string{"b", "", r.Digest[:7], other[:63], strings.ToUpper(r.Digest)} {
		_, err := s.Revoke(name, "", false)
		refused(t, err, ErrNotInstalled, "installed are a")
	}
	_, err := s.Restore(r.Digest)
	refused(t, err, ErrNotInstalled, "revoked are "+other)
}

// TestRevokeAgain has a revocation get a reason and become one of at once, and lose
// neither.
func TestRevokeAgain(t *testing.T) {
	s := New(t.TempDir())
	s.now = func() time.Time { return time.Unix(1_000, 0) }
	r := s.must(t, made{id: "a", version: "1.0.0"}.folder(t), Consent{AllowUnverified: true})
	banned := func() error { return s.snapshot(t).Banned(s.folder(r.Digest), binaryHash(r.Plugin)) }
	if _, err := s.Revoke("a", "because", false); err != nil || banned() != nil {
		t.Errorf("%v, %v", err, banned())
	}
	s.now = func() time.Time { return time.Unix(2_000, 0) }
	if v, err := s.Revoke("a", "", true); err != nil || !v.Now || v.Reason != "because" || v.At.Unix() != 1_000 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := s.Revoke(r.Digest, "else", false); err != nil || !v.Now || v.Reason != "else" || v.ID != "a" {
		t.Errorf("%+v, %v", v, err)
	}
	refused(t, banned(), ErrRevoked, `a 1.0.0 is revoked since`)
	if _, err := s.Restore("a"); err != nil || banned() != nil {
		t.Errorf("%v, %v", err, banned())
	}
	if all, err := s.Revoked(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestRestoreByName has the id of a plugin name the one hash that was revoked of it,
// and none where there are several.
func TestRestoreByName(t *testing.T) {
	s := New(t.TempDir())
	found := Found{ID: "b", Version: "1.0.0", Binary: strings.Repeat("1", 64)}
	again := Found{ID: "b", Version: "2.0.0", Binary: strings.Repeat("2", 64)}
	for _, f := range []Found{found, again} {
		if v, err := s.RevokeFound(f, "", false); err != nil || v.Hash != f.Binary || v.ID != "b" || v.Version != f.Version {
			t.Errorf("%+v, %v", v, err)
		}
	}
	_, err := s.Restore("b")
	refused(t, err, ErrConflict, found.Binary+" (b 1.0.0), "+again.Binary+" (b 2.0.0)")
	if _, err := s.Restore(again.Binary[:8]); err != nil {
		t.Error(err)
	}
	if v, err := s.Restore("b"); err != nil || v.Hash != found.Binary {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = s.RevokeFound(Found{ID: "log"}, "", false)
	refused(t, err, ErrNotInstalled, "cannot be revoked")
}

func TestPrepareRefuses(t *testing.T) {
	s := New(t.TempDir())
	elf := make([]byte, 64+56)
	copy(elf, "\x7fELF\x02\x01\x01")
	elf[32], elf[54], elf[56] = 64, 56, 1 // where the one segment is, its size, their number
	elf[64] = 3                           // PT_INTERP
	for _, c := range []struct {
		m    made
		says string
	}{
		{made{id: "a", version: "1.0.0", binary: string(elf)}, "build it with CGO_ENABLED=0"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"sha256": strings.Repeat("0", 64)}}, "sha256 differs"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"binary": "none"}}, "cannot find the binary"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"version": 1}}, "plugin.json is not valid: /version"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"grants": 1}}, "/grants: it cannot be a number"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"grants": map[string]any{"read": []string{"etc"}}}}, "/grants/read: want absolute paths"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"grants": map[string]any{"env": []string{"A=B"}}}}, "/grants/env: want names"},
		{made{id: "a", version: "1.0.0", more: map[string]any{"grants": map[string]any{"interpreter": "python3"}}}, "/grants/interpreter"},
	} {
		src := c.m.folder(t)
		_, err := s.Prepare(src)
		refused(t, err, ErrBundle, c.says)
		if err != nil && !strings.Contains(err.Error(), src) {
			t.Errorf("it does not name the folder: %v", err)
		}
	}
	_, err := s.Prepare(t.TempDir())
	refused(t, err, ErrBundle, "has no plugin.json")
	if names := inStore(t, s); len(names) != 0 {
		t.Errorf("left in the store: %q", names)
	}
	c, err := s.Prepare(made{id: "a", version: "1.0.0", more: map[string]any{"grants": map[string]any{"env": []string{"B", "A", "B"}, "read": []string{"/x"}, "interpreter": "/bin/sh"}}}.folder(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if fmt.Sprint(c.Asks) != fmt.Sprint(lock.Grants{Network: true, Env: []string{"A", "B"}, Read: []string{"/x"}, Interpreter: "/bin/sh"}) {
		t.Errorf("asks %+v", c.Asks)
	}
}

// TestInterrupted has what was left by installations that were cut off count for
// nothing, and go one day.
func TestInterrupted(t *testing.T) {
	s := New(t.TempDir())
	src := made{id: "a", version: "1.0.0"}.folder(t)
	c, err := s.Prepare(src) // and nothing more
	if err != nil {
		t.Fatal(err)
	}
	if folders, err := s.Folders(); err != nil || len(folders) != 0 {
		t.Errorf("folders %q, %v", folders, err)
	}
	if states, strays, err := s.States(true); err != nil || len(states)+len(strays) != 0 {
		t.Errorf("states %v, %q, %v", states, strays, err)
	}
	// It was moved into the store, and the lock was not written.
	if err := s.place(c); err != nil {
		t.Fatal(err)
	}
	if folders, err := s.Folders(); err != nil || len(folders) != 0 {
		t.Errorf("folders %q, %v", folders, err)
	}
	if _, err := s.Prepare(src); err != nil {
		t.Fatal(err)
	}
	s.must(t, src, Consent{AllowUnverified: true})
	if n := len(inStore(t, s)); n != 2 {
		t.Errorf("%d in the store", n)
	}
	s.now = func() time.Time { return time.Now().Add(2 * leftover) }
	if _, err := s.Enable("a", true); err != nil {
		t.Fatal(err)
	}
	if names := inStore(t, s); len(names) != 1 || names[0] != c.Digest {
		t.Errorf("in the store: %q", names)
	}
}

func TestCompareVersions(t *testing.T) {
	ascending := []string{"0.9.9", "1.0.0-1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := compareVersions(a, b); got != max(-1, min(1, i-j)) {
				t.Errorf("%s, %s: %d", a, b, got)
			}
		}
	}
	if compareVersions("1.0.0+a", "1.0.0+b") != 0 {
		t.Error("what follows a + counts")
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		" { \"b\" : 1.0 , \"a\":[ ] ,\"A\":{\"y\":null,\"x\":\"<\\u0041\\/\"}} \n": `{"A":{"x":"<A/","y":null},"a":[],"b":1.0}`,
		"{}": "{}",
	} {
		if got, err := Canonical([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", in, got, err)
		}
	}
	for in, says := range map[string]string{
		"":                            "line 1: it is not valid JSON",
		"[]":                          "no JSON object",
		"{}{}":                        "something follows",
		"{\n\"a\":1,\n\"a\":2}":       "line 3: the member \"a\" is there twice",
		"{\n\"a\":{\"b\":1,\"b\":1}}": "line 2",
		"\xff":                        "not UTF-8",
		strings.Repeat(`{"a":`, 100):  "deep",
	} {
		if got, err := Canonical([]byte(in)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %s, %v, want %q", in, got, err, says)
		}
	}
}

// FuzzCanonical holds that a canonical form is its own, and says the same.
func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"b":[1,2.50,1e9,true,null,"\u00e9\ud800"],"a":{"":{}}}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		once, err := Canonical(b)
		if err != nil {
			return
		}
		if twice, err := Canonical(once); err != nil || string(twice) != string(once) {
			t.Errorf("%s becomes %s, %v", once, twice, err)
		}
		var x, y any
		if json.Unmarshal(b, &x) == nil && (json.Unmarshal(once, &y) != nil || fmt.Sprint(x) != fmt.Sprint(y)) {
			t.Errorf("%s is not %s", once, b)
		}
	})
}
