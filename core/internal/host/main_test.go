package host

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// built holds the binaries that the tests run, built once.
var built struct{ dir, fixture, telegram, courier, pack string }

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if os.Getenv("VAK_TEST_HOST") != "" || os.Getenv("VAK_TEST_DIAL") != "" || os.Getenv("VAK_TEST_ECHO") != "" { // a test runs itself in another process
		return m.Run()
	}
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" { // its workers are processes, too
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "vakhost")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.dir = dir
	built.fixture = filepath.Join(dir, "fixture"+exe)
	built.telegram = filepath.Join(dir, "telegram"+exe)
	built.courier = filepath.Join(dir, "courier"+exe)
	built.pack = filepath.Join(dir, "pack"+exe)
	for out, pkg := range map[string]string{built.fixture: "./testdata/fixture", built.pack: "./testdata/pack", built.telegram: "../../../plugins/telegram", built.courier: "./testdata/courier"} {
		if err := build(out, pkg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	before := runtime.NumGoroutine()
	filesBefore := openFiles()
	code := m.Run()
	if code != 0 {
		return code
	}
	if n := settles(func() int { return runtime.NumGoroutine() }, before); n > before {
		buf := make([]byte, 1<<20)
		fmt.Fprintf(os.Stderr, "%d goroutines before, %d after:\n%s\n", before, n, buf[:runtime.Stack(buf, true)])
		return 1
	}
	if n := settles(openFiles, filesBefore); n > filesBefore {
		fmt.Fprintf(os.Stderr, "%d open files before, %d after\n", filesBefore, n)
		return 1
	}
	if left := children(); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "processes left: %v\n", left)
		return 1
	}
	return 0
}

// build builds a plugin as it ships.
func build(out, pkg string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, b)
	}
	return nil
}

// settles waits a little for count to come down to want: a goroutine that has
// said that it is done is not gone at once.
func settles(count func() int, want int) int {
	n := count()
	for range 100 {
		if n <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
		n = count()
	}
	return n
}

var exe = func() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}()

// install makes a plugin's folder in dir from a binary, under a name.
func install(t testing.TB, dir, binary, name string) string {
	t.Helper()
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name+exe)
	if err := os.Link(binary, path); err != nil {
		copyFile(t, path, binary)
	}
	manifest, err := exec.Command(path, "manifest").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, hostapi.ManifestName), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

func copyFile(t testing.TB, to, from string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
}

// open opens a host over fixtures of the given names. Closing it at the end of
// the test has to leave nothing.
func open(t testing.TB, c Config, names ...string) *Host {
	t.Helper()
	if len(names) > 0 {
		dir := t.TempDir()
		for _, n := range names {
			install(t, dir, built.fixture, n)
		}
		c.Places.Dirs = append(c.Places.Dirs, dir)
	}
	if c.RuntimeDir == "" && runtime.GOOS != "windows" {
		c.RuntimeDir = shortDir(t)
	}
	h, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if c.RuntimeDir == "" {
			return
		}
		left, err := os.ReadDir(c.RuntimeDir)
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		for _, l := range left {
			t.Errorf("left behind: %s", l.Name())
		}
	})
	return h
}

// shortDir is a private directory whose path is short enough for sockets.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "v")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func request(profile, text string) surface.RenderRequest {
	return surface.RenderRequest{
		Doc: &doc.Document{
			Version: doc.SchemaVersion, Source: text,
			Blocks: []doc.Block{&doc.Paragraph{ID: "1", Inlines: []doc.Inline{&doc.Text{Text: text}}}},
		},
		Profile: surface.Profile{Surface: profile, Dialect: "plain"},
		Kind:    surface.Assistant,
	}
}

// say renders text on a fixture and returns what it answers.
func say(t testing.TB, h *Host, name, text string) string {
	t.Helper()
	out, err := try(h, name, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func try(h *Host, name, text string) (string, error) {
	r, _, err := h.Render(context.Background(), h.named(name), request(name, text))
	if err != nil {
		return "", err
	}
	var texts []string
	for _, c := range r.Chunks {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n---\n"), nil
}

// testLog collects what is logged.
type testLog struct {
	hclog.Logger
	lines *lockedBuffer
}

func newTestLog() testLog {
	b := &lockedBuffer{}
	return testLog{hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: b, JSONFormat: true}), b}
}

// named is the key of what an id stands for; of what there is not, one of the id.
func (h *Host) named(id string) Key {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.byID[id]; ok {
		return s.key
	}
	return Key{ID: id}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
