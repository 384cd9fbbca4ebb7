package sdktest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Runner renders with a surface as a host does, in this process. It is safe
// for concurrent use.
type Runner struct {
	client *hostapi.Client
	info   surface.Info
}

// New returns a Runner of p. It fails if a host would refuse p.
func New(p surface.Plugin) (*Runner, error) {
	return newRunner(p, nil)
}

// Run returns a Runner of p and ends the test if a host would refuse p. Stacks
// of panics go to the test's log.
func Run(t testing.TB, p surface.Plugin) *Runner {
	t.Helper()
	r, err := newRunner(p, hclog.New(&hclog.LoggerOptions{Output: logWriter{t}, DisableTime: true}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newRunner(p surface.Plugin, log hclog.Logger) (*Runner, error) {
	if p.Renderer == nil {
		return nil, fmt.Errorf("sdktest: the plugin has no Renderer")
	}
	r := &Runner{client: hostapi.Local(p, log)}
	d, err := r.client.Describe(context.Background())
	if err != nil {
		return nil, fmt.Errorf("sdktest: a host would refuse this surface: %w", err)
	}
	r.info = d.Info
	return r, nil
}

// Info is what the surface says of itself, as it arrives at a host.
func (r *Runner) Info() surface.Info { return r.info }

// Render renders one request. What the surface did not declare in Info.Blocks is
// lowered first, as a host does. A profile that names no surface is replaced by
// the surface's first. The request has 5 s if ctx has no deadline.
func (r *Runner) Render(ctx context.Context, req surface.RenderRequest) (surface.Rendering, error) {
	if req.Profile.Surface == "" {
		req.Profile = r.info.Profiles[0]
	}
	if req.Kind == "" {
		req.Kind = surface.Assistant
	}
	if req.Doc != nil {
		req.Doc = r.lower(req.Doc)
	}
	return r.client.Render(ctx, req)
}

func (r *Runner) lower(d *doc.Document) *doc.Document {
	return doc.Lower(d, doc.Support{Version: r.info.DocVersion, Blocks: r.info.Blocks})
}

type logWriter struct{ t testing.TB }

func (w logWriter) Write(b []byte) (int, error) {
	w.t.Helper()
	w.t.Logf("%s", b)
	return len(b), nil
}

// patience is how long a call may take beyond what it was given. A renderer that
// looks at its context takes some milliseconds; the rest is for busy machines and
// the race detector.
const patience = 3 * time.Second
