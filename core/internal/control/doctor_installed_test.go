package control

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

// TestInstalledChecks has a doctor look at homes with plugins in which something is
// wrong, or nothing.
func TestInstalledChecks(t *testing.T) {
	one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
	here := runtime.GOOS + "/" + runtime.GOARCH
	entry := func(digest, platform string, enabled bool) string {
		return fmt.Sprintf(`{"version":"1.0.0","enabled":%v,"digest":%q,"binary":"a","files":{%q:{"a":%q}}}`, enabled, digest, platform, two)
	}
	plugin := func(entry string) string { return `{"version":1,"plugins":{"a":` + entry + `}}` }
	revoked := `{"version":1,"revoked":{"` + two + `":{"at":"2026-01-01T00:00:00Z"}}}`
	for _, c := range []struct {
		why, lock, revoked string
		change             func(dir string) error
		name               string
		result             Verdict
		says, mend         string
	}{
		{"all is well", plugin(entry(one, here, true)), "", nil, "installed a", Fine, "1.0.0, enabled", ""},
		{"how many there are", plugin(entry(one, here, false)), revoked, nil, lock.Name, Fine, "1 plugin installed, 0 enabled, 1 revoked", ""},
		{"the lock is none", "[]", "", nil, lock.Name, Fail, "plugins.lock: it is not what vak writes there", "no installed plugin is used"},
		{"the revocations are none", "", "{", nil, lock.RevokedName, Fail, "revoked.json: it is not what vak writes there", "revoke again"},
		{"of a later version", `{"version":9}`, "", nil, lock.Name, Fail, "a later version of vak wrote it", "run that version"},
		{"others may write the lock", plugin(entry(one, here, true)), "", mode(lock.Name, 0o666), lock.Name, Fail, "written to by others", ""},
		{"others may write to the store", plugin(entry(one, here, true)), "", mode("plugins/store", 0o777), lock.Name, Fail, "plugins/store can be written to by others", "chmod go-w"},
		{"revoked and enabled", plugin(entry(one, here, true)), revoked, nil, "installed a", Warn, "enabled and revoked", "vak plugin restore " + two},
		{"revoked and disabled", plugin(entry(one, here, false)), revoked, nil, "installed a", Fine, "1.0.0, disabled", ""},
		{"for another platform", plugin(entry(one, "plan9/mips", true)), "", nil, "installed a", Fail, "was installed for plan9/mips", "for " + here},
		{"no folder", plugin(entry(two, here, true)), "", nil, "installed a", Fail, "is missing", "install it again"},
		{"no folder, and disabled", plugin(entry(two, here, false)), "", nil, "installed a", Warn, "is missing", "install it again"},
		{"put there by hand", plugin(entry(one, here, true)), "", func(dir string) error {
			return os.Mkdir(filepath.Join(home.PluginStore(dir), "byhand"), 0o700)
		}, lock.Name, Warn, `"byhand" lies in the store`, "vak plugin install"},
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(c.why, "others") {
			continue
		}
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home.PluginStore(dir), one), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{lock.Name: c.lock, lock.RevokedName: c.revoked} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.change != nil {
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
		}
		var r Report
		r.installed(dir)
		found := false
		for _, k := range r.Checks {
			found = found || k.Name == c.name && k.Result == c.result && strings.Contains(filepath.ToSlash(k.What), c.says) && strings.Contains(k.Mend, c.mend)
		}
		if !found {
			t.Errorf("%s: no %s %s %q → %q in %+v", c.why, c.result, c.name, c.says, c.mend, r.Checks)
		}
	}
	var r Report
	r.installed(t.TempDir())
	if len(r.Checks) != 0 {
		t.Errorf("nothing is installed: %+v", r.Checks)
	}
}

// mode changes the permissions of what lies in a home.
func mode(name string, to os.FileMode) func(string) error {
	return func(dir string) error { return os.Chmod(filepath.Join(dir, name), to) }
}
