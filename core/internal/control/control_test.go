package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A fake is a backend with one plugin that can be restarted and others that
// cannot.
type fake struct {
	mu       sync.Mutex
	restarts int
	reloads  int
	broken   bool // what is to be taken over
	kept
}

func (f *fake) Status(context.Context) Status {
	return Status{Version: "1.2.3", PID: 7, Home: "/h", Held: true}
}

func (f *fake) Plugins() []Plugin {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []Plugin{
		{ID: "a b/c", State: Stopped},
		{ID: "good", Version: "1.0.0", State: Ready, PID: 42, Restarts: f.restarts, Profiles: []surface.Profile{{Surface: "good", Limit: surface.Limit{Max: 100}}}},
		{ID: "panics", State: Broken, Error: &Fault{Kind: "bad_manifest", Message: "no", Hint: "mend it"}},
	}
}

func (f *fake) Restart(_ context.Context, id string) error {
	switch id {
	case "good":
		f.mu.Lock()
		defer f.mu.Unlock()
		f.restarts++
		return nil
	case "panics":
		panic("secret")
	}
	return fmt.Errorf("a cause for the log")
}

// Reload brings a plugin, and says what it found.
func (f *fake) Reload(context.Context) (Epoch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return Epoch{}, &Error{Kind: Failed, What: "vak.toml:3: no", Mend: "mend it"}
	}
	f.reloads++
	return Epoch{Number: 7, Digest: "d", At: time.Unix(1, 0).UTC()}, nil
}

func (f *fake) Doctor(context.Context, bool) Report {
	var r Report
	r.Add("one", Fine, "all is well", "not needed")
	r.Add("two", Fail, "it is ill", "mend it")
	return r
}

// clients are the two ways to ask the same handlers.
func clients(t *testing.T, log hclog.Logger) map[string]*Client {
	t.Helper()
	h := Handler(&fake{}, log)
	out := map[string]*Client{"local": Local(h)}
	if Available {
		out["socket"] = Dial(serve(t, h, nil).Path())
	}
	return out
}

// serve serves h on a socket in a runtime directory of the test's own.
func serve(t *testing.T, h http.Handler, guests Guests) *Server {
	t.Helper()
	runtimeDir(t)
	s, err := Listen(hclog.NewNullLogger())
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(h, guests, hclog.NewNullLogger())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(s.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is still there: %v", err)
		}
	})
	return s
}

// runtimeDir makes a runtime directory for the test, with a short path.
func runtimeDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "vakc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return filepath.Join(dir, "vak")
}

func TestClients(t *testing.T) {
	var log bytes.Buffer
	for name, c := range clients(t, hclog.New(&hclog.LoggerOptions{Output: &log})) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if s, err := c.Status(ctx); err != nil || s.PID != 7 || s.Version != "1.2.3" || !s.Held {
				t.Errorf("status %+v, %v", s, err)
			}
			all, err := c.Plugins(ctx)
			if err != nil || len(all) != 3 || all[2].Error.Hint != "mend it" || all[1].Profiles[0].Limit.Max != 100 {
				t.Errorf("plugins %+v, %v", all, err)
			}
			if p, err := c.Plugin(ctx, "a b/c"); err != nil || p.ID != "a b/c" {
				t.Errorf("a name to be escaped: %+v, %v", p, err)
			}
			if p, err := c.Restart(ctx, "good"); err != nil || p.Restarts == 0 {
				t.Errorf("restart: %+v, %v", p, err)
			}
			if r, err := c.Doctor(ctx, false); err != nil || r.OK || len(r.Checks) != 2 || r.Checks[0].Mend != "" || r.Checks[1].Mend != "mend it" {
				t.Errorf("doctor: %+v, %v", r, err)
			}
			for _, k := range []struct {
				err  error
				kind Kind
				says string
				why  string
			}{
				{second(c.Plugin(ctx, "nope")), NotFound, "known are a b/c, good, panics", "an unknown plugin names the known ones"},
				{second(c.Restart(ctx, "nope")), NotFound, `no plugin "nope"`, "nor can it be restarted"},
				{second(c.Restart(ctx, "a b/c")), Internal, "see its log", "a cause is for the log only"},
				{second(c.Restart(ctx, "panics")), Internal, "see its log", "a panic is one request's"},
			} {
				if !errors.Is(k.err, k.kind) || !strings.Contains(k.err.Error(), k.says) || strings.Contains(k.err.Error(), "secret") || strings.Contains(k.err.Error(), "a cause") {
					t.Errorf("%s: %v", k.why, k.err)
				}
			}
		})
	}
	for _, want := range []string{"a cause for the log", "panic: secret"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not hold %q: %s", want, &log)
		}
	}
}

// TestReload has what is on disk taken over when somebody asks, and before a restart.
func TestReload(t *testing.T) {
	var log bytes.Buffer
	f := &fake{}
	c := Local(Handler(f, hclog.New(&hclog.LoggerOptions{Output: &log})))
	if e, err := c.Reload(t.Context()); err != nil || e.Number != 7 || e.Digest != "d" || e.At.Unix() != 1 || f.reloads != 1 {
		t.Errorf("%+v, %v, %d", e, err, f.reloads)
	}
	var b []byte
	if err := c.ask(t.Context(), answerTime, "POST", "/v1/reload", nil, &b); err != nil || string(b) != `{"epoch":7,"digest":"d","at":"1970-01-01T00:00:01Z"}`+"\n" {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := c.Restart(t.Context(), "good"); err != nil || f.reloads != 3 {
		t.Errorf("a restart: %v, %d", err, f.reloads)
	}
	f.broken = true
	if _, err := c.Reload(t.Context()); !errors.Is(err, Failed) || !strings.Contains(err.Error(), "vak.toml:3: no; mend it") {
		t.Errorf("what cannot be used: %v", err)
	}
	if p, err := c.Restart(t.Context(), "good"); err != nil || p.Restarts != 2 || !strings.Contains(log.String(), "vak.toml:3") {
		t.Errorf("a restart then: %+v, %v, %s", p, err, &log)
	}
}

func second[T any](_ T, err error) error { return err }

// TestProblems holds what cannot be asked to the form of an error.
func TestProblems(t *testing.T) {
	h := Handler(&fake{}, hclog.NewNullLogger())
	for _, c := range []struct {
		method, path string
		body         io.Reader
		status       int
		why          string
	}{
		{"GET", "/v1/nothing", nil, 404, "an unknown path"},
		{"GET", "/", nil, 404, "no path"},
		{"DELETE", "/v1/plugins", nil, 405, "a method that the path has not"},
		{"GET", "/v1/reload", nil, 405, "looking must not reload"},
		{"GET", "/v1/plugins/good/restart", nil, 405, "looking must not restart"},
		{"POST", "/v1/plugins/good/restart", strings.NewReader(strings.Repeat("x", maxBody+1)), 413, "a body without end"},
		{"POST", "/v1/plugins/nope/restart", strings.NewReader("{}"), 404, "a plugin that is not there"},
	} {
		r, err := http.NewRequest(c.method, "http://vak"+c.path, c.body)
		if err != nil {
			t.Fatal(err)
		}
		a, err := local{h}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		var p problem
		b, _ := io.ReadAll(a.Body)
		if err := json.Unmarshal(b, &p); err != nil || a.StatusCode != c.status || p.Status != c.status || p.Kind == "" || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s gives %d %s, %v", c.why, c.method, c.path, a.StatusCode, b, err)
		}
	}
}

// TestFind has a holder with a socket, one without, and none.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	if c, _, held, err := Find(dir); c != nil || held || err != nil {
		t.Errorf("free: %v, %v, %v", c, held, err)
	}
	l, err := home.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	l.Say(home.Holder{PID: os.Getpid(), Version: "1"})
	if _, h, held, err := Find(dir); !held || !errors.Is(err, Unreachable) || h.PID != os.Getpid() {
		t.Errorf("without a socket: %v, %v", held, err)
	}
	l.Say(home.Holder{PID: os.Getpid(), Version: "1", Control: filepath.Join(dir, "gone")})
	c, _, held, err := Find(dir)
	if err != nil || !held {
		t.Fatal(held, err)
	}
	if _, err := c.Status(t.Context()); !errors.Is(err, Unreachable) || strings.Contains(err.Error(), "http://") {
		t.Errorf("with a socket that is gone: %v", err)
	}
	if !Available {
		return
	}
	s := serve(t, Handler(&fake{}, hclog.NewNullLogger()), nil)
	l.Say(home.Holder{PID: os.Getpid(), Version: "1", Control: s.Path()})
	c, _, _, err = Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Status(t.Context()); err != nil || got.PID != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFull takes every place of a server: others wait, and come in when one
// leaves.
func TestFull(t *testing.T) {
	if !Available {
		t.Skip(ErrUnavailable)
	}
	s := serve(t, Handler(&fake{}, hclog.NewNullLogger()), nil)
	var open []net.Conn
	for range maxConnections {
		c, err := net.Dial("unix", s.Path())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Dial(s.Path()).Status(t.Context())
		done <- err
	}()
	for _, c := range open {
		c.Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
