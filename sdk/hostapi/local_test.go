package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func plugin(f surface.RendererFunc) surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID: "a", Version: "1.0.0", DocVersion: 1, Blocks: []doc.Kind{doc.KindParagraph},
			Profiles: []surface.Profile{{Surface: "a", Dialect: "plain"}}, Address: json.RawMessage(`{"type":"string"}`),
		},
		Renderer: f,
	}
}

func request(text string) surface.RenderRequest {
	return surface.RenderRequest{
		Doc: &doc.Document{
			Version: doc.SchemaVersion, Source: "the *source*",
			Blocks: []doc.Block{&doc.Paragraph{ID: "1", Inlines: []doc.Inline{&doc.Text{Text: text}}}},
		},
		Profile: surface.Profile{
			Surface: "a", Name: "small", Dialect: "plain", Limit: surface.Limit{Max: 100, Unit: surface.UTF16, Of: surface.Visible, MaxBytes: 200, MaxEntities: 3, MaxEntityBytes: 4},
			EditLimit: surface.Limit{Max: 80, Unit: surface.Byte}, Can: surface.Capabilities{Code: true, Links: true}, Links: "angle", Tables: "list", Mentions: "live", Grid: 9, Delivers: "packet",
		},
		Kind:    surface.Approval,
		Actions: []surface.Action{{ID: "y", Verb: "Yes & no", Data: json.RawMessage(`{"a":[1]}`), Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}},
		Locale:  "de-CH",
	}
}

// TestRoundTrip holds what a renderer gets against what was asked, and what a
// host gets against what was rendered.
func TestRoundTrip(t *testing.T) {
	want := surface.Rendering{
		Chunks: []surface.Chunk{
			{Text: "<b>&\u2028 ü\t\n", Plain: "x", Native: &surface.Native{Kind: "a.b_c-1", JSON: json.RawMessage(`{"k":"<>"}`)}, Blocks: []doc.ID{"1", "1.2"}},
			{Text: "y", Plain: "y"},
		},
		Notes:       []surface.Note{{Block: "1", Disposition: surface.Omitted, Reason: "empty", Count: 3}},
		Diagnostics: []doc.Diagnostic{{Code: "c", Severity: doc.Warning, Block: "1", Message: "m"}},
	}
	var got surface.RenderRequest
	c := hostapi.Local(plugin(func(_ context.Context, r surface.RenderRequest) (surface.Rendering, error) {
		got = r
		return want, nil
	}), nil)
	req := request("hello")
	out, err := c.Render(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(out, want) {
		t.Errorf("rendering %+v, want %+v", out, want)
	}
	if got.Doc.Source != "" {
		t.Error("the source crossed")
	}
	if got.Doc == req.Doc {
		t.Error("the document did not cross: it is the same one")
	}
	bare := *req.Doc
	bare.Source = ""
	req.Doc = &bare
	if !reflect.DeepEqual(got, req) {
		t.Errorf("request %+v, want %+v", got, req)
	}
	d, err := c.Describe(context.Background())
	if err != nil || !hostapi.SameInfo(d.Info, plugin(nil).Info) || d.Role != hostapi.RoleRender {
		t.Errorf("Describe = %+v, %v", d, err)
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("long \x1b", 1000)
	for _, c := range []struct {
		name string
		f    surface.RendererFunc
		kind hostapi.Kind
		says string
	}{
		{"author's", func(context.Context, surface.RenderRequest) (surface.Rendering, error) {
			return surface.Rendering{}, errors.New("no ink")
		}, hostapi.Failed, "no ink"},
		{"long", func(context.Context, surface.RenderRequest) (surface.Rendering, error) {
			return surface.Rendering{}, errors.New(long)
		}, hostapi.Failed, "long"},
		{"panic", func(context.Context, surface.RenderRequest) (surface.Rendering, error) { panic("secret") }, hostapi.Panic, "type string"},
		{"runtime", func(_ context.Context, r surface.RenderRequest) (surface.Rendering, error) {
			return surface.Rendering{}, errors.New(r.Actions[99].ID)
		}, hostapi.Panic, "index out of range"},
		{"native", func(context.Context, surface.RenderRequest) (surface.Rendering, error) {
			return surface.Rendering{Chunks: []surface.Chunk{{Text: "a", Plain: "a", Native: &surface.Native{JSON: json.RawMessage("{")}}}}, nil
		}, hostapi.Failed, "no JSON"},
		{"huge", func(context.Context, surface.RenderRequest) (surface.Rendering, error) {
			s := strings.Repeat("x", hostapi.MaxMessage)
			return surface.Rendering{Chunks: []surface.Chunk{{Text: s, Plain: "a"}}}, nil
		}, hostapi.TooLarge, "are allowed"},
		{"contract", func(context.Context, surface.RenderRequest) (surface.Rendering, error) {
			return surface.Rendering{Chunks: []surface.Chunk{{Text: "a"}}}, nil
		}, hostapi.Contract, "chunks[0].plain: empty"},
	} {
		_, err := hostapi.Local(plugin(c.f), nil).Render(context.Background(), request("x"))
		e, ok := errors.AsType[*hostapi.Error](err)
		if !ok || !errors.Is(err, c.kind) || e.Op != "render" || e.Source != hostapi.FromPlugin || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: err = %#v, want %s with %q", c.name, err, c.kind, c.says)
			continue
		}
		if len(err.Error()) > 2100 || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: err = %q", c.name, err)
		}
	}
}

func TestDeadlines(t *testing.T) {
	var had time.Duration
	c := hostapi.Local(plugin(func(ctx context.Context, _ surface.RenderRequest) (surface.Rendering, error) {
		d, _ := ctx.Deadline()
		had = time.Until(d)
		if err := ctx.Err(); err != nil {
			return surface.Rendering{}, err
		}
		return surface.Rendering{}, nil
	}), nil)
	if _, err := c.Render(context.Background(), request("x")); err != nil {
		t.Fatal(err)
	}
	if had <= 0 || had > hostapi.RenderTimeout {
		t.Errorf("without a deadline of the caller's there were %v left", had)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Render(ctx, request("x")); !errors.Is(err, hostapi.Canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err := c.Render(ctx, request("x")); !errors.Is(err, hostapi.Deadline) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	if err := c.Check(context.Background()); err != nil {
		t.Error(err)
	}
	if err := c.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := c.Check(context.Background()); !errors.Is(err, hostapi.Failed) {
		t.Errorf("after Shutdown: %v", err)
	}
	if _, err := c.Render(context.Background(), request("x")); !errors.Is(err, hostapi.Failed) {
		t.Errorf("after Shutdown: %v", err)
	}
}

func TestBadRequests(t *testing.T) {
	c := hostapi.Local(plugin(func(context.Context, surface.RenderRequest) (surface.Rendering, error) {
		t.Error("it was rendered")
		return surface.Rendering{}, nil
	}), nil)
	none, twice, profile, many, huge := request("x"), request("x"), request("x"), request("x"), request(strings.Repeat("x", 16<<20))
	none.Doc = nil
	twice.Doc.Blocks = append(twice.Doc.Blocks, &doc.Rule{ID: "1"})
	profile.Profile.Limit.Max = 1
	many.Actions = make([]surface.Action, 101)
	for _, r := range []struct {
		req  surface.RenderRequest
		kind hostapi.Kind
	}{{none, hostapi.Invalid}, {twice, hostapi.Invalid}, {profile, hostapi.Invalid}, {many, hostapi.Invalid}, {huge, hostapi.TooLarge}} {
		if _, err := c.Render(context.Background(), r.req); !errors.Is(err, r.kind) {
			t.Errorf("err = %v, want %s", err, r.kind)
		}
	}
}
