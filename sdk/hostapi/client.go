package hostapi

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// MaxMessage is the largest message in either direction, in bytes.
const MaxMessage = wire.MaxMessage

// How long a call may take whose context has no deadline.
const (
	DescribeTimeout = 2 * time.Second
	CheckTimeout    = time.Second
	RenderTimeout   = 5 * time.Second
	ShutdownTimeout = time.Second
	LowerTimeout    = 5 * time.Second // of CheckCard, too
)

// A Client calls one plugin, in the role that its process was started in: the
// methods of the other roles are Unimplemented. It is safe for concurrent use and
// owns nothing: whoever made the connection closes it.
type Client struct {
	plugin    vakv1.PluginClient
	renderer  vakv1.RendererClient
	transport vakv1.TransportClient
	skill     vakv1.SkillClient
}

// New returns a client over cc.
func New(cc grpc.ClientConnInterface) *Client {
	return &Client{
		plugin: vakv1.NewPluginClient(cc), renderer: vakv1.NewRendererClient(cc),
		transport: vakv1.NewTransportClient(cc), skill: vakv1.NewSkillClient(cc),
	}
}

// A Description is what a plugin says of itself.
type Description struct {
	Kind     string // KindSurface or KindSkill
	Role     string // render, transport or skill
	Features []string
	Info     surface.Info // of a surface
	Pack     skill.Info   // of a skill pack
}

// Describe asks the plugin who it is. What its kind has of Info and Pack is valid.
func (c *Client) Describe(ctx context.Context) (Description, error) {
	const op = "describe"
	ctx, cancel := deadline(ctx, DescribeTimeout)
	defer cancel()
	m, err := c.plugin.Describe(ctx, &vakv1.DescribeRequest{})
	if err != nil {
		return Description{}, fail(ctx, op, err)
	}
	if m.Kind != KindSurface && m.Kind != KindSkill {
		return Description{}, broken(op, fmt.Sprintf("a plugin of kind %q, want %q or %q", wire.Sentence(m.Kind), KindSurface, KindSkill))
	}
	if len(m.Features) > maxFeatures {
		return Description{}, broken(op, fmt.Sprintf("%d features, want at most %d", len(m.Features), maxFeatures))
	}
	d := Description{Kind: m.Kind, Role: m.Role, Features: m.Features}
	if m.Kind == KindSkill {
		d.Pack, err = ParsePack(m.Info)
	} else {
		d.Info, err = ParseInfo(m.Info)
	}
	if err != nil {
		return Description{}, broken(op, "info: "+err.Error())
	}
	return d, nil
}

// Check succeeds while the plugin can serve.
func (c *Client) Check(ctx context.Context) error {
	ctx, cancel := deadline(ctx, CheckTimeout)
	defer cancel()
	if _, err := c.plugin.Check(ctx, &vakv1.CheckRequest{}); err != nil {
		return fail(ctx, "check", err)
	}
	return nil
}

// Shutdown asks the process to end. It does not wait for that.
func (c *Client) Shutdown(ctx context.Context) error {
	ctx, cancel := deadline(ctx, ShutdownTimeout)
	defer cancel()
	if _, err := c.plugin.Shutdown(ctx, &vakv1.ShutdownRequest{}); err != nil {
		return fail(ctx, "shutdown", err)
	}
	return nil
}

// Render has the plugin render r. The document goes without its source. What
// comes back is bounded and well formed, and all its blocks are ids; whether
// they are blocks of the document, and whether all of it is shown, is for the
// caller to check.
func (c *Client) Render(ctx context.Context, r surface.RenderRequest) (surface.Rendering, error) {
	const op = "render"
	m, err := encodeRequest(r)
	if err != nil {
		return surface.Rendering{}, &Error{Op: op, Kind: Invalid, Source: FromHost, Message: err.Error(), Err: err}
	}
	if n := proto.Size(m); n > MaxMessage {
		return surface.Rendering{}, &Error{
			Op: op, Kind: TooLarge, Source: FromHost,
			Message: fmt.Sprintf("the request takes %d bytes, %d are allowed", n, MaxMessage),
			Hint:    "shorten the message, or send it as a document",
		}
	}
	ctx, cancel := deadline(ctx, RenderTimeout)
	defer cancel()
	out, err := c.renderer.Render(ctx, m)
	if err != nil {
		return surface.Rendering{}, fail(ctx, op, err)
	}
	rendering, err := ParseRendering(out.Rendering)
	if err != nil {
		return surface.Rendering{}, broken(op, "rendering: "+err.Error())
	}
	return rendering, nil
}

func encodeRequest(r surface.RenderRequest) (*vakv1.RenderRequest, error) {
	if r.Doc == nil {
		return nil, fmt.Errorf("the request has no document")
	}
	profile, err := wire.JSON(r.Profile)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	m := &vakv1.RenderRequest{
		Document: doc.Append(nil, r.Doc, doc.WithoutSource),
		Profile:  profile,
		Kind:     string(r.Kind),
		Locale:   r.Locale,
	}
	if len(r.Actions) > 0 {
		if m.Actions, err = wire.JSON(r.Actions); err != nil {
			return nil, fmt.Errorf("actions: %w", err)
		}
	}
	return m, nil
}

func deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}
