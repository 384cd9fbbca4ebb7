package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestRenderThroughARealPlugin(t *testing.T) {
	dir := t.TempDir()
	install(t, dir, built.telegram, "telegram")
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	s := h.Surfaces()
	if len(s) != 1 || s[0].Info.ID != "telegram" || s[0].State != StateStopped || s[0].Err != nil {
		t.Fatalf("Surfaces = %+v", s)
	}
	req := request("telegram", "a < b")
	req.Profile = s[0].Info.Profiles[0]
	r, by, err := h.Render(context.Background(), h.named("telegram"), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Chunks) != 1 || r.Chunks[0].Text != "a &lt; b" || r.Chunks[0].Plain != "a < b" {
		t.Errorf("Render = %+v", r)
	}
	if want := (RendererInfo{"telegram", s[0].Info.Version}); by != want {
		t.Errorf("by = %v, want %v", by, want)
	}
	if got := h.Surfaces()[0].State; got != StateReady {
		t.Errorf("state = %s, want ready", got)
	}
}

func TestBuiltin(t *testing.T) {
	info := surface.Info{ID: "log", Version: "1.0.0", DocVersion: 1, Blocks: layout.Blocks(), Profiles: []surface.Profile{{Surface: "log", Dialect: "plain"}}}
	h := open(t, Config{Builtin: []surface.Plugin{{Info: info, Renderer: layout.Renderer(dialect.PlainText)}}}, "good")
	if got := say(t, h, "log", "hello"); got != "hello" {
		t.Errorf("got %q", got)
	}
	if s := h.Surfaces(); len(s) != 2 || s[0].Info.ID != "good" || s[1].State != StateBuiltin || s[1].Path != "" {
		t.Errorf("Surfaces = %+v", s)
	}
	panics := surface.RendererFunc(func(context.Context, surface.RenderRequest) (surface.Rendering, error) { panic("text of the message") })
	h = open(t, Config{Builtin: []surface.Plugin{{Info: info, Renderer: panics}}})
	if _, err := try(h, "log", "x"); !errors.Is(err, Panic) || strings.Contains(err.Error(), "message") {
		t.Errorf("err = %v, want a panic without its value", err)
	}
}

func TestProcessIsReused(t *testing.T) {
	h := open(t, Config{}, "good")
	var wg sync.WaitGroup
	pids := make([]string, 16)
	for i := range pids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			pids[i] = say(t, h, "good", "pid")
		}()
	}
	wg.Wait()
	for _, p := range pids {
		if p != pids[0] {
			t.Fatalf("pids = %v, want one process", pids)
		}
	}
}

func TestRequestCrosses(t *testing.T) {
	h := open(t, Config{}, "good")
	if got := say(t, h, "good", "source"); got != "source:" {
		t.Errorf("the renderer got the source: %q", got)
	}
	if got := say(t, h, "good", "deadline"); got != "true 5s" {
		t.Errorf("deadline = %q, want 5 s", got)
	}
	if got := say(t, h, "good", "print"); got != "ok" {
		t.Errorf("got %q after printing", got)
	}
}

func TestRenderFailures(t *testing.T) {
	once := filepath.Join(t.TempDir(), "once")
	for _, c := range []struct {
		text   string
		kind   Kind // empty: it succeeds
		source Source
		why    string
	}{
		{"panic x", Panic, FromPlugin, "a panic is an error of its call"},
		{"nil", Panic, FromPlugin, "so is one of the runtime"},
		{"error", Failed, FromPlugin, "the renderer's own error"},
		{"crash", Unavailable, FromPlugin, "the process dies twice"},
		{"crash_once " + once + "1", "", "", "a fresh process does better"},
		{"hang", Deadline, FromPlugin, "it ignores its context, twice"},
		{"hang_once " + once + "2", "", "", "a fresh process answers"},
		{"freeze", Deadline, FromPlugin, "the whole process is stopped"},
		{"invalid", Failed, FromPlugin, "text that is no UTF-8 does not leave the plugin"},
		{"control", Contract, FromPlugin, "control characters are not sent"},
		{"empty", Contract, FromPlugin, "no chunk is empty"},
		{"huge", TooLarge, FromPlugin, "17 MiB"},
	} {
		t.Run(strings.Fields(c.text)[0], func(t *testing.T) {
			config := Config{StopTimeout: 100 * time.Millisecond}
			config.noSandbox = strings.Contains(c.text, "_once") // it remembers in a file
			if c.kind == Deadline || strings.HasPrefix(c.text, "hang") {
				config.RenderTimeout = 700 * time.Millisecond
			}
			h := open(t, config, "fixture")
			before := say(t, h, "fixture", "pid")
			began := time.Now()
			got, err := try(h, "fixture", c.text)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v (%s)", took, c.why)
			}
			if c.kind == "" {
				if err != nil || got != "second try" {
					t.Fatalf("got %q, %v, want a second try: %s", got, err, c.why)
				}
				return
			}
			if !errors.Is(err, c.kind) {
				t.Fatalf("err = %v, want %s: %s", err, c.kind, c.why)
			}
			e, _ := errors.AsType[*Error](err)
			if e.Source != c.source || e.Plugin != "fixture" || e.Version != "1.0.0" || e.Op != "render" {
				t.Errorf("err = %#v, want source %s", e, c.source)
			}
			if strings.Contains(err.Error(), "secret") || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("err = %q", err)
			}
			want := 0 // two attempts, but one answer
			if outOfOrder(e) {
				want = 1
			}
			if n := h.Status()[0].Failures; n != want {
				t.Errorf("%d failures count, want %d", n, want)
			}
			after := say(t, h, "fixture", "pid") // it serves again
			if again := e.Fresh(); (after != before) != again {
				t.Errorf("process %s before, %s after; want a fresh one: %v", before, after, again)
			}
		})
	}
}

func TestCrashTellsItsLastWords(t *testing.T) {
	h := open(t, Config{}, "good")
	_, err := try(h, "good", "crash")
	e, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(e.Tail, "crashed on purpose") || !strings.Contains(e.Message, "exit status 2") {
		t.Errorf("err = %#v", e)
	}
}

// TestOthersAreServed has one call hang while another one is under way in the
// same process, which goes out of service before it answers.
func TestOthersAreServed(t *testing.T) {
	log := newTestLog()
	h := open(t, Config{Log: log, RenderTimeout: 2 * time.Second, StopTimeout: 100 * time.Millisecond}, "good")
	pid := say(t, h, "good", "pid")
	hung := make(chan error, 1)
	go func() {
		_, err := try(h, "good", "hang")
		hung <- err
	}()
	time.Sleep(time.Second) // the other one has half of its time left when the first gives up
	file := filepath.Join(t.TempDir(), "now")
	served := make(chan string, 1)
	go func() {
		got, err := try(h, "good", "after "+file)
		served <- fmt.Sprint(got, err)
	}()
	for !strings.Contains(log.lines.String(), "render failed") {
		time.Sleep(time.Millisecond)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-served; got != pid+"<nil>" {
		t.Errorf("the other call got %q, want an answer from process %s", got, pid)
	}
	if err := <-hung; !errors.Is(err, Deadline) {
		t.Errorf("err = %v", err)
	}
	if got := say(t, h, "good", "pid"); got == pid {
		t.Error("the process that hung serves on")
	}
}

func TestMutualTLS(t *testing.T) {
	h := open(t, Config{MutualTLS: true}, "good")
	if got := say(t, h, "good", "x"); got != "ok" {
		t.Errorf("got %q", got)
	}
}

func TestLogHoldsNoMessageText(t *testing.T) {
	log := newTestLog()
	h := open(t, Config{Log: log, StopTimeout: 100 * time.Millisecond}, "confused")
	for _, text := range []string{"ok TEXT-OF-A-MESSAGE", "panic TEXT-OF-A-MESSAGE", "crash TEXT-OF-A-MESSAGE"} {
		try(h, "confused", text)
	}
	h.Close()
	all := log.lines.String()
	if strings.Contains(all, "TEXT-OF-A-MESSAGE") {
		t.Errorf("the log holds %s", all)
	}
	for _, want := range []string{"hi", "colour", "render failed", "ended by itself"} {
		if !strings.Contains(all, want) {
			t.Errorf("the log does not hold %q:\n%s", want, all)
		}
	}
}

func TestCallerGivesUp(t *testing.T) {
	h := open(t, Config{StopTimeout: 100 * time.Millisecond}, "good")
	pid := say(t, h, "good", "pid")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, _, err := h.Render(ctx, h.named("good"), request("good", "wait"))
	if !errors.Is(err, Deadline) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want the caller's deadline", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, _, err = h.Render(ctx, h.named("good"), request("good", "wait"))
	if !errors.Is(err, Canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want canceled", err)
	}
	if got := say(t, h, "good", "pid"); got != pid {
		t.Errorf("process %s, want %s still: the caller's haste is not the plugin's fault", got, pid)
	}
}

func TestBinaryIsNotWhatTheManifestNames(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "good")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(folder, "good"+exe), built.fixture)
	install(t, dir, built.fixture, "good2")
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	_ = h
	manifest, err := os.ReadFile(filepath.Join(dir, "good2", "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	manifest = bytes.ReplaceAll(manifest, []byte("good2"), []byte("good"))
	if err := os.WriteFile(filepath.Join(folder, "plugin.json"), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(folder, "good"+exe), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("x")
	f.Close()
	h = open(t, Config{Places: Places{Dirs: []string{dir}}})
	if _, err := try(h, "good", "x"); !errors.Is(err, Untrusted) {
		t.Errorf("err = %v, want untrusted", err)
	}
	if got := say(t, h, "good2", "x"); got != "ok" {
		t.Errorf("the other plugin says %q", got)
	}
}

func TestUnknownSurfaceAndClosedHost(t *testing.T) {
	h := open(t, Config{}, "good")
	if _, err := try(h, "nope", "x"); !errors.Is(err, NotFound) || !strings.Contains(err.Error(), "known are good") {
		t.Errorf("err = %v", err)
	}
	h.Close()
	if _, err := try(h, "good", "x"); !errors.Is(err, Closed) {
		t.Errorf("err = %v, want closed", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestCloseWhileRendering(t *testing.T) {
	h := open(t, Config{StopTimeout: 100 * time.Millisecond}, "good")
	say(t, h, "good", "pid")
	failed := make(chan error, 1)
	go func() {
		_, err := try(h, "good", "hang")
		failed <- err
	}()
	for h.Status()[0].Calls == 0 { // until the call is on its way
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	h.Close()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("Close took %v", took)
	}
	if err := <-failed; err == nil {
		t.Error("the call succeeded")
	}
}

func TestInvalidRequest(t *testing.T) {
	h := open(t, Config{}, "good")
	r := request("good", "x")
	r.Doc.Blocks = append(r.Doc.Blocks, &doc.Paragraph{ID: "1"})
	if _, _, err := h.Render(context.Background(), h.named("good"), r); !errors.Is(err, Invalid) {
		t.Errorf("err = %v, want invalid: two blocks with one id", err)
	}
	if _, _, err := h.Render(context.Background(), h.named("good"), surface.RenderRequest{}); !errors.Is(err, Invalid) {
		t.Errorf("err = %v, want invalid: no document", err)
	}
}
