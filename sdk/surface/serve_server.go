package surface

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/internal/serve"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

// maxActions bounds the actions of one request.
const maxActions = 100

// Register makes r serve p in the role "render", as Serve does in a process of
// its own. It is for hosts that run a surface in their own process and for test
// kits; authors call [Serve]. log takes the stack of a panic and may be nil.
func Register(r grpc.ServiceRegistrar, p Plugin, log hclog.Logger) {
	newServer(p, wire.RoleRender, log).register(r)
}

// RegisterTransport is [Register] for the role "transport".
func RegisterTransport(r grpc.ServiceRegistrar, p Plugin, log hclog.Logger) {
	newServer(p, wire.RoleTransport, log).register(r)
}

// server is the plugin's half of the protocol.
type server struct {
	serve.Life
	vakv1.UnimplementedRendererServer
	vakv1.UnimplementedTransportServer

	plugin Plugin
	role   string

	profiles   profiles
	transports transports
}

func newServer(p Plugin, role string, log hclog.Logger) *server {
	if log == nil {
		log = hclog.NewNullLogger()
	}
	return &server{Life: serve.Life{Log: log}, plugin: p.described(), role: role}
}

func (s *server) register(r grpc.ServiceRegistrar) {
	vakv1.RegisterPluginServer(r, s)
	switch s.role {
	case wire.RoleRender:
		vakv1.RegisterRendererServer(r, s)
	case wire.RoleTransport:
		vakv1.RegisterTransportServer(r, s)
	}
}

// Describe says who the plugin is. The features of a transport are those that
// one of its accounts has, so there are none before Configure.
func (s *server) Describe(context.Context, *vakv1.DescribeRequest) (*vakv1.DescribeResponse, error) {
	info, err := wire.JSON(s.plugin.Info)
	if err != nil {
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: "cannot encode the plugin's description", Err: err}
	}
	return &vakv1.DescribeResponse{Kind: wire.KindSurface, Role: s.role, Info: info, Features: s.transports.features()}, nil
}

// Render decodes, has the author's renderer render, and encodes.
func (s *server) Render(ctx context.Context, m *vakv1.RenderRequest) (_ *vakv1.RenderResponse, err error) {
	if err := s.Enter(); err != nil {
		return nil, err
	}
	defer s.Leave()
	defer s.RecoverInto(&err, "render")

	req, err := s.parseRequest(m)
	if err != nil {
		return nil, &wire.Failure{
			Kind: wire.Invalid, Source: wire.FromPlugin, Err: err,
			Message: "the request cannot be read: " + err.Error(),
			Hint:    "host and plugin may be of different versions; update the older one",
		}
	}
	r, err := s.plugin.Renderer.Render(ctx, req)
	if ctx.Err() != nil {
		return nil, wire.ContextFailure(ctx)
	}
	if err != nil {
		return nil, serve.Failure(err)
	}
	if err := r.utf8(); err != nil {
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Err: err, Message: err.Error()}
	}
	b, err := encode(r)
	if err != nil {
		return nil, &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: "cannot encode the rendering: a native form is no JSON", Err: err}
	}
	out := &vakv1.RenderResponse{Rendering: b}
	if len(b) > wire.MaxMessage-16 { // the envelope's own bytes
		return nil, &wire.Failure{
			Kind: wire.TooLarge, Source: wire.FromPlugin,
			Message: fmt.Sprintf("the rendering takes %d bytes, %d are allowed", len(b), wire.MaxMessage),
		}
	}
	return out, nil
}

// utf8 reports text that JSON could not carry unchanged.
func (r Rendering) utf8() error {
	for i, c := range r.Chunks {
		if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Plain) {
			return fmt.Errorf("chunk %d of the rendering is not valid UTF-8", i)
		}
	}
	return nil
}

func (s *server) parseRequest(m *vakv1.RenderRequest) (RenderRequest, error) {
	d, err := doc.Parse(m.Document, doc.Limits{})
	if err != nil {
		return RenderRequest{}, err
	}
	req := RenderRequest{Doc: d, Kind: Kind(m.Kind), Locale: m.Locale}
	if req.Profile, err = s.profiles.parse(m.Profile); err != nil {
		return RenderRequest{}, err
	}
	if req.Actions, err = parseActions(m.Actions); err != nil {
		return RenderRequest{}, err
	}
	return req, nil
}
