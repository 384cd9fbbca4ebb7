package lock

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	one = strings.Repeat("1", 64)
	two = strings.Repeat("2", 64)
)

func plugin(digest string) Plugin {
	return Plugin{
		Kind: "surface", Version: "1.0.0", Enabled: true, Origin: "/tmp/x", Digest: digest, Binary: "x",
		Files: map[string]map[string]string{"linux/amd64": {"x": two}}, Key: "k", Signature: "s", Verified: true,
		Grants: Grants{Network: true, Env: []string{"A"}}, Installed: time.Unix(1, 0).UTC(),
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	l, err := Read(dir)
	if err != nil || len(l.IDs()) != 0 {
		t.Fatal(l, err)
	}
	want := plugin(one)
	l.Put("a", want)
	l.SetPin("a", "k")
	if err := l.Write(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Name)
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	first, _ := os.ReadFile(path)
	if l, err = Read(dir); err != nil {
		t.Fatal(err)
	}
	if got, ok := l.Get("a"); !ok || !reflect.DeepEqual(got, want) || l.Pin("a") != "k" {
		t.Errorf("got %+v", got)
	}
	if err := l.Write(); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); string(again) != string(first) {
		t.Errorf("written anew it is another:\n%s\n%s", first, again)
	}
	l.Put("a", plugin(two))
	if s := l.Stale(); len(s) != 1 || s[0] != one {
		t.Errorf("stale %v", s)
	}
	l.Put("a", plugin(one)) // back again
	if s := l.Stale(); len(s) != 1 || s[0] != two {
		t.Errorf("stale %v", s)
	}
	l.Remove("a")
	l.Gone(two)
	if s := l.Stale(); len(s) != 1 || s[0] != one || l.Pin("a") != "k" {
		t.Errorf("stale %v, pin %q", s, l.Pin("a"))
	}
}

// TestUnknown has what a later version wrote in the same form survive.
func TestUnknown(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, Name, `{"version":1,"later":[1],"plugins":{"a":{"digest":"`+one+`","key":"old","epoch":7}}}`)
	write(t, dir, RevokedName, `{"version":1,"later":{"x":1},"revoked":{"`+one+`":{"at":"2026-01-01T00:00:00Z","reason":"r","by":"me"}}}`)
	l, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := l.Get("a")
	p.Enabled, p.Key = true, ""
	l.Put("a", p)
	r, err := ReadRevoked(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Add(one, Revocation{At: time.Unix(1, 0).UTC()})
	r.Add(two, Revocation{Reason: "new"})
	if err := l.Write(); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Later   any
		Plugins map[string]map[string]any
		Revoked map[string]map[string]any
	}
	for _, name := range []string{Name, RevokedName} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || json.Unmarshal(b, &all) != nil || all.Later == nil {
			t.Errorf("%s: %s, %v", name, b, err)
		}
		all.Later = nil
	}
	if a := all.Plugins["a"]; a["epoch"] != 7.0 || a["enabled"] != true || a["key"] != nil {
		t.Errorf("a = %v", a)
	}
	if v := all.Revoked[one]; v["by"] != "me" || v["reason"] != nil || all.Revoked[two]["reason"] != "new" {
		t.Errorf("revoked = %v", all.Revoked)
	}
	if r, err = ReadRevoked(dir); err != nil {
		t.Fatal(err)
	}
	r.Remove(one)
	if _, is := r.Get(one); is || len(r.Hashes()) != 1 {
		t.Error("still revoked")
	}
}

func TestDamaged(t *testing.T) {
	for _, name := range []string{Name, RevokedName} {
		read := func(dir string) error {
			if name == Name {
				_, err := Read(dir)
				return err
			}
			_, err := ReadRevoked(dir)
			return err
		}
		for _, text := range []string{
			"", "null", "[]", "{", "{}", `{"version":0}`, `{"version":2}`, `{"version":"1"}`, `{"version":1,"plugins":5,"revoked":5}`,
			`{"version":1,"plugins":{"a":{"digest":"../../x"}},"revoked":{"../x":{}}}`,
			`{"version":1,"plugins":null,"revoked":null}`,
		} {
			dir := t.TempDir()
			write(t, dir, name, text)
			if err := read(dir); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s with %s: err = %v", name, text, err)
			}
		}
		if runtime.GOOS == "windows" {
			continue
		}
		dir := t.TempDir()
		write(t, dir, name, `{"version":1}`)
		if err := read(dir); err != nil {
			t.Error(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), 0o622); err != nil {
			t.Fatal(err)
		}
		if err := read(dir); err == nil || !strings.Contains(err.Error(), "written to by others") {
			t.Errorf("err = %v", err)
		}
	}
	dir := t.TempDir()
	write(t, dir, Name, `{"version":1,"stale":["../x"]}`)
	if _, err := Read(dir); err == nil {
		t.Error("a stale folder outside the store")
	}
}

// FuzzRead holds that what is read of a lock can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":1,"plugins":{"a":{"digest":"` + one + `"}},"pins":{"a":"k"},"stale":["` + two + `"]}`))
	f.Add([]byte(`{"version":1,"plugins":{"a":null},"revoked":{"` + one + `":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		write(t, dir, Name, string(b))
		write(t, dir, RevokedName, string(b))
		if l, err := Read(dir); err == nil {
			l.Put("new", plugin(one))
			if err := l.Write(); err != nil {
				t.Fatal(err)
			}
			if again, err := Read(dir); err != nil || len(again.IDs()) != len(l.IDs()) {
				t.Errorf("%v: %v", again, err)
			}
		}
		if r, err := ReadRevoked(dir); err == nil {
			r.Add(two, Revocation{})
			if err := r.Write(); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadRevoked(dir); err != nil {
				t.Error(err)
			}
		}
	})
}
