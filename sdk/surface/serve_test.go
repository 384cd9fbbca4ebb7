package surface

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc/status"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

func example() Plugin {
	return Plugin{
		Info:     Info{ID: "acme-chat", Version: "1.2.3", DocVersion: 1, Profiles: []Profile{{Surface: "acme-chat", Dialect: "plain"}}},
		Renderer: RendererFunc(func(context.Context, RenderRequest) (Rendering, error) { return Rendering{}, nil }),
	}
}

func TestByHand(t *testing.T) {
	invalid, blind := example(), example()
	invalid.Info.Version = "v1"
	blind.Renderer = nil
	for _, c := range []struct {
		args   string
		plugin Plugin
		status int
		out    string // in standard output
		err    string // in standard error
	}{
		{"", example(), 1, "", "vak plugin list --plugins DIRECTORY"},
		{"", example(), 1, "", `acme is the vak surface plugin "acme-chat", version 1.2.3`},
		{"render", example(), 1, "", "started by vak, not by hand"},
		{"transport", example(), 1, "", "started by vak, not by hand"},
		{"--version", example(), 0, "acme-chat 1.2.3\n", ""},
		{"--help", example(), 0, "acme manifest --file PATH", ""},
		{"describe", example(), 0, `"dialect": "plain"`, ""},
		{"manifest --file /nowhere/at/all", example(), 1, "", "no such file"},
		{"manifest extra", example(), 2, "", `unknown argument "extra"`},
		{"manifest --nope", example(), 2, "", "nope"},
		{"manifest --help", example(), 0, "", "-file"},
		{"dance", example(), 2, "", `unknown command "dance"`},
		{"describe", invalid, 1, "", `version "v1": want a semantic version`},
		{"describe", blind, 1, "", "has no Renderer"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"/somewhere/acme"}, strings.Fields(c.args)...)
		got := run(c.plugin, args, func(string) string { return "" }, &stdout, &stderr)
		if got != c.status || !strings.Contains(stdout.String(), c.out) || !strings.Contains(stderr.String(), c.err) {
			t.Errorf("%q: status %d, want %d\nstdout %q, want %q\nstderr %q, want %q", c.args, got, c.status, &stdout, c.out, &stderr, c.err)
		}
		if c.out == "" && stdout.Len() > 0 || c.err == "" && stderr.Len() > 0 {
			t.Errorf("%q also says %q and %q", c.args, &stdout, &stderr)
		}
	}
}

func TestDescribeIsTheInfo(t *testing.T) {
	var stdout, stderr bytes.Buffer
	run(example(), []string{"acme", "describe"}, os.Getenv, &stdout, &stderr)
	var got Info
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	a, _ := wire.JSON(got)
	b, _ := wire.JSON(example().Info)
	if !bytes.Equal(a, b) {
		t.Errorf("describe prints %s, want %s", a, b)
	}
}

func TestManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acme.exe")
	if err := os.WriteFile(path, []byte("a binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if status := run(example(), []string{"acme", "manifest", "--file", path}, os.Getenv, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	sum := sha256.Sum256([]byte("a binary"))
	want := `{
  "schema_version": 1,
  "id": "acme-chat",
  "kind": "surface",
  "version": "1.2.3",
  "protocol": [
    1
  ],
  "binary": "acme.exe",
  "sha256": "` + hex.EncodeToString(sum[:]) + `",
  "info": {
    "id": "acme-chat",
    "version": "1.2.3",
    "doc_version": 1,
    "profiles": [
      {
        "surface": "acme-chat",
        "dialect": "plain",
        "limit": {},
        "can": {}
      }
    ]
  }
}
`
	if stdout.String() != want {
		t.Errorf("got %s\nwant %s", &stdout, want)
	}
	stdout.Reset()
	if status := run(example(), []string{"acme", "manifest"}, os.Getenv, &stdout, &stderr); status != 0 {
		t.Fatalf("for itself: status %d: %s", status, &stderr)
	}
	if self, err := os.Executable(); err != nil || !strings.Contains(stdout.String(), `"binary": "`+filepath.Base(self)+`"`) {
		t.Errorf("for itself: %s", &stdout)
	}
}

func TestTransportIsNotConfigured(t *testing.T) {
	s := newServer(example(), wire.RoleTransport, nil)
	ctx := context.Background()
	_, configure := s.Configure(ctx, &vakv1.ConfigureRequest{})
	_, send := s.Send(ctx, &vakv1.SendRequest{})
	_, edit := s.Edit(ctx, &vakv1.EditRequest{})
	_, del := s.Delete(ctx, &vakv1.DeleteRequest{})
	for _, err := range []error{configure, send, edit, del} {
		st, ok := status.FromError(err)
		if !ok {
			t.Fatalf("err = %v has no status", err)
		}
		f := wire.FromError(st.Err()) // as it arrives
		if f.Kind != wire.NotConfigured || f.Hint == "" || f.Source != wire.FromPlugin {
			t.Errorf("failure = %+v", f)
		}
	}
	d, err := s.Describe(ctx, nil)
	if err != nil || d.Role != wire.RoleTransport {
		t.Errorf("Describe = %v, %v", d, err)
	}
}

func TestShutdownWaitsForWhatIsInFlight(t *testing.T) {
	started, finish, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p := example()
	p.Renderer = RendererFunc(func(context.Context, RenderRequest) (Rendering, error) {
		close(started)
		<-finish
		return Rendering{}, nil
	})
	s := newServer(p, wire.RoleRender, nil)
	s.Stop = func() { close(stopped) }
	req := &vakv1.RenderRequest{Document: []byte(`{"schema_version":1,"blocks":[]}`), Profile: []byte(`{"surface":"a","dialect":"plain"}`)}
	rendered := make(chan error)
	go func() {
		_, err := s.Render(context.Background(), req)
		rendered <- err
	}()
	<-started
	for range 2 { // a second one changes nothing
		if _, err := s.Shutdown(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Render(context.Background(), req); err == nil {
		t.Error("a new call was taken")
	}
	select {
	case <-stopped:
		t.Error("stopped with a call in flight")
	default:
	}
	close(finish)
	if err := <-rendered; err != nil {
		t.Errorf("the call in flight failed: %v", err)
	}
	<-stopped
}

func TestPanicIsLoggedWithoutItsValue(t *testing.T) {
	var log bytes.Buffer
	p := example()
	p.Renderer = RendererFunc(func(context.Context, RenderRequest) (Rendering, error) { panic(errors.New("the text")) })
	s := newServer(p, wire.RoleRender, bufferLogger(&log))
	_, err := s.Render(context.Background(), &vakv1.RenderRequest{Document: []byte(`{"schema_version":1,"blocks":[]}`), Profile: []byte(`{"surface":"a","dialect":"plain"}`)})
	if f := wire.FromError(err); f.Kind != wire.Panic || strings.Contains(f.Error(), "the text") {
		t.Errorf("failure = %v", f)
	}
	if !strings.Contains(log.String(), "serve_test.go") || strings.Contains(log.String(), "the text") {
		t.Errorf("log = %s", &log)
	}
}

func bufferLogger(b *bytes.Buffer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: b, JSONFormat: true})
}

// TestEncode holds the encoder against encoding/json, which it stands in for.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		r   Rendering
		why string
	}{
		{Rendering{}, "nothing"},
		{Rendering{Chunks: []Chunk{{Text: "a", Plain: "b"}, {Text: "c", Plain: "d", Blocks: []doc.ID{"1", "2.1"}}}}, "two chunks"},
		{Rendering{Chunks: []Chunk{{Text: "<b>&\"\\\n\t\r\x00\x1f\x7fé😀\u2028", Plain: "\uFFFD"}}}, "what is escaped and what is not"},
		{Rendering{Chunks: []Chunk{{Native: &Native{Kind: "k.v1", JSON: []byte(` { "a" : "<" } `)}}}}, "a native form, made canonical"},
		{Rendering{Notes: []Note{{Block: "1", Disposition: Omitted, Reason: "r", Count: 2}}, Diagnostics: []doc.Diagnostic{{Code: "c"}}}, "notes and diagnostics"},
	} {
		got, err := encode(c.r)
		if err != nil {
			t.Fatal(err)
		}
		want := c.r
		if want.Chunks == nil {
			want.Chunks = []Chunk{}
		}
		b, err := wire.JSON(want)
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.ReplaceAll(b, []byte(`\u2028`), []byte("\u2028")) // JSON does not demand it
		if !bytes.Equal(got, b) {
			t.Errorf("%s: got %s, want %s", c.why, got, b)
		}
	}
	if _, err := encode(Rendering{Chunks: []Chunk{{Native: &Native{Kind: "k", JSON: []byte("{")}}}}); err == nil {
		t.Error("a native form that is no JSON was encoded")
	}
}

func TestProfilesAreReadOnce(t *testing.T) {
	var p profiles
	for i := range 3 * maxKnown {
		b := []byte(`{"surface":"a","dialect":"plain","grid":` + strconv.Itoa(i) + `}`)
		for range 2 {
			got, err := p.parse(b)
			if err != nil || got.Grid != i {
				t.Fatalf("got %+v, %v", got, err)
			}
		}
		if len(p.known) > maxKnown {
			t.Fatalf("%d profiles are kept", len(p.known))
		}
	}
	for _, bad := range []string{"", "{}", `{"surface":"a","dialect":"plain","grid":-1}`} {
		for range 2 {
			if _, err := p.parse([]byte(bad)); err == nil {
				t.Errorf("%q was taken", bad)
			}
		}
	}
}
