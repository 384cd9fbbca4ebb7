package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core"
)

// project makes a project whose file sets the log's limit to max.
func project(t *testing.T, max int) (dir, file string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, ".vak", "output.toml")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, file, fmt.Sprintf("[surfaces.log]\nmax = %d\n", max))
	return dir, file
}

func limit(t *testing.T, c *core.Core) int {
	t.Helper()
	s, err := c.Surface("log")
	if err != nil {
		t.Fatal(err)
	}
	return s.Profile.Limit.Max
}

// TestProjectTrust reads the file of a project only where the user trusts it, and
// nobody else may write it; and says why where it does not.
func TestProjectTrust(t *testing.T) {
	for _, k := range []struct {
		do   func(t *testing.T, home, dir, file string)
		max  int
		want string
		why  string
	}{
		{func(*testing.T, string, string, string) {}, 0, `its project is not trusted, so it is not read; if you know what is in it: "vak trust `, "nobody trusts it"},
		{func(t *testing.T, home, dir, _ string) { trust(t, home, dir) }, 700, "", "it is trusted"},
		{func(t *testing.T, home, dir, _ string) { trust(t, home, filepath.Join(dir, ".vak")) }, 0, "is not trusted", "a directory below is"},
		{func(t *testing.T, home, dir, _ string) { trust(t, home, filepath.Dir(dir)) }, 0, "is not trusted", "one above is"},
		{func(t *testing.T, home, dir, _ string) {
			trust(t, home, dir)
			if _, err := core.Untrust(home, dir); err != nil {
				t.Fatal(err)
			}
		}, 0, "is not trusted", "it was"},
		{func(t *testing.T, home, dir, file string) {
			trust(t, home, dir)
			chmod(t, file, 0o664)
		}, 0, "though its project is trusted, it can be written to by others", "a group may write to it"},
		{func(t *testing.T, home, dir, file string) {
			trust(t, home, dir)
			chmod(t, filepath.Dir(file), 0o777)
		}, 0, ".vak: it can be written to by others", "everybody may put another file there"},
		{func(t *testing.T, home, dir, file string) {
			trust(t, home, dir)
			if os.Geteuid() != 0 {
				t.Skip("only root may give files away")
			}
			if err := os.Chown(file, 4711, -1); err != nil {
				t.Fatal(err)
			}
		}, 0, "though its project is trusted, it belongs to another user", "somebody else's"},
		{func(t *testing.T, home, dir, file string) {
			trust(t, home, dir)
			chmod(t, filepath.Join(home, "trusted.json"), 0o666)
		}, 0, "the list of trusted projects cannot be used", "everybody may write the list"},
		{func(t *testing.T, home, dir, file string) {
			write(t, filepath.Join(home, "trusted.json"), `{"version":2,"projects":[{"path":"`+dir+`"}]}`)
		}, 0, "the list of trusted projects cannot be used", "a later version's list"},
		{func(t *testing.T, home, dir, file string) {
			trust(t, home, dir)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, 0, "", "there is no file"},
	} {
		t.Run(k.why, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(k.want, "others") {
				t.Skip("there are no such modes")
			}
			home := t.TempDir()
			dir, file := project(t, 700)
			k.do(t, home, dir, file)
			var log strings.Builder
			c, err := core.Open(t.Context(), core.Config{Home: home, ReadOnly: true, Project: dir, Log: hclog.New(&hclog.LoggerOptions{Output: &log})})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if got := limit(t, c); got != k.max {
				t.Errorf("the limit is %d", got)
			}
			now := c.Configuration(t.Context())
			if (k.want == "") != (c.Ignored() == "") || !strings.Contains(c.Ignored(), k.want) || now.Ignored != c.Ignored() {
				t.Errorf("it says %q", c.Ignored())
			}
			if k.want == "" {
				return
			}
			if !slices.Contains(now.Warnings, now.Ignored) || len(now.Files) != 0 {
				t.Errorf("warnings %q, files %q", now.Warnings, now.Files)
			}
			if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), file) {
				t.Errorf("the log has %q", log.String())
			}
		})
	}
}

func trust(t *testing.T, home, dir string) {
	t.Helper()
	if _, err := core.Trust(home, dir); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// TestTrustedList keeps what it does not know, and one entry for each project, by
// whatever path it is named.
func TestTrustedList(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	dir, _ := project(t, 700)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if all, err := core.Trusted(home); err != nil || len(all) != 0 {
		t.Errorf("before: %v, %v", all, err)
	}
	if path, err := core.Trust(home, link); err != nil || path != dir {
		t.Errorf("%q, %v", path, err)
	}
	file := filepath.Join(home, "trusted.json")
	if st, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
	write(t, file, `{"version":1,"later":{"a":[1]},"projects":[{"path":"`+dir+`","since":"2026-01-02T03:04:05Z","note":"kept"}]}`)
	other, _ := project(t, 70)
	trust(t, home, other)
	trust(t, home, dir)
	all, err := core.Trusted(home)
	if err != nil || len(all) != 2 || all[0].Path != dir || all[1].Path != other || !all[0].Since.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("%+v, %v", all, err)
	}
	var now map[string]json.RawMessage
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &now) != nil || !strings.Contains(string(b), `"kept"`) || now["later"] == nil {
		t.Errorf("%v, %s", err, b)
	}
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	if _, err := core.Untrust(home, other); err != nil {
		t.Errorf("a directory that is no more: %v", err)
	}
	for _, err := range []error{second(core.Untrust(home, other)), second(core.Trust(home, other)), second(core.Trust(home, file))} {
		if !errors.Is(err, core.ErrTrust) {
			t.Error(err)
		}
	}
	write(t, file, `{"version":1,"projects":7}`)
	if _, err := core.Trust(home, dir); !errors.Is(err, core.ErrHome) {
		t.Errorf("a damaged list: %v", err)
	}
	if b, _ := os.ReadFile(file); string(b) != `{"version":1,"projects":7}` {
		t.Errorf("it was changed: %s", b)
	}
}

func second(_ string, err error) error { return err }

// TestTrustAtOnce loses no change where many are made at the same time.
func TestTrustAtOnce(t *testing.T) {
	home := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		dir := t.TempDir()
		all.Go(func() {
			if _, err := core.Trust(home, dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := core.Trusted(home); err != nil || len(list) != 8 {
		t.Errorf("%d are trusted, %v", len(list), err)
	}
}

// TestReload takes over every file that changes, appears or goes, and the list of
// projects.
func TestReload(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir, file := project(t, 700)
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, Project: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	user := filepath.Join(home, "output.toml")
	main := filepath.Join(home, "vak.toml")
	for _, k := range []struct {
		do  func()
		max int
		why string
	}{
		{func() { trust(t, home, dir) }, 700, "the project is trusted"},
		{func() { write(t, user, "[channels.log]\nmax_chars = 600\n") }, 600, "the user's file appears"},
		{func() { write(t, main, "[surfaces.log]\nmax = 500 # over it\n") }, 500, "vak.toml appears"},
		{func() { write(t, main, "[surfaces.log]\nmax = 5 # too little, so what was goes on\n") }, 500, "a fault"},
		{func() { os.Remove(main) }, 600, "vak.toml goes"},
		{func() { os.Remove(user) }, 700, "the user's file goes"},
		{func() { write(t, file, "[surfaces.log]\nmax = 7000\n") }, 7000, "the project's file changes"},
	} {
		k.do()
		for until := time.Now().Add(20 * time.Second); limit(t, c) != k.max; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: the limit is %d", k.why, limit(t, c))
			}
		}
	}
}
