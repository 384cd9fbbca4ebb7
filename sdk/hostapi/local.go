package hostapi

import (
	"context"
	"fmt"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Local returns a client of p's renderer in this process. Every value crosses in
// its wire form, as it would to a process of its own; a panic is an error, too.
// What it cannot do is leave code behind that ignores its context. log takes the
// stack of a panic and may be nil.
func Local(p surface.Plugin, log hclog.Logger) *Client {
	c := &local{methods: map[string]method{}}
	surface.Register(c, p, log)
	return New(c)
}

// LocalTransport is [Local] for p's transport, which nothing has configured yet.
func LocalTransport(p surface.Plugin, log hclog.Logger) *Client {
	c := &local{methods: map[string]method{}}
	surface.RegisterTransport(c, p, log)
	return New(c)
}

// LocalPack is [Local] for a skill pack.
func LocalPack(p skill.Pack, log hclog.Logger) *Client {
	c := &local{methods: map[string]method{}}
	skill.Register(c, p, log)
	return New(c)
}

// local is a connection without a network, and the server behind it.
type local struct{ methods map[string]method }

type method struct {
	impl   any
	handle grpc.MethodHandler
}

func (l *local) RegisterService(d *grpc.ServiceDesc, impl any) {
	for _, m := range d.Methods {
		l.methods["/"+d.ServiceName+"/"+m.MethodName] = method{impl, m.Handler}
	}
}

func (l *local) Invoke(ctx context.Context, name string, args, reply any, opts ...grpc.CallOption) error {
	if err := ctx.Err(); err != nil {
		return status.FromContextError(err).Err()
	}
	m, ok := l.methods[name]
	if !ok {
		return status.Errorf(codes.Unimplemented, "no method %s", name)
	}
	in, err := proto.Marshal(args.(proto.Message))
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	for _, o := range opts { // as gRPC does: a call that has got this far has a peer
		if o, ok := o.(grpc.PeerCallOption); ok {
			o.PeerAddr.Addr = here{}
		}
	}
	out, err := m.handle(m.impl, ctx, func(into any) error {
		if len(in) > MaxMessage {
			return status.Errorf(codes.ResourceExhausted, "%d bytes", len(in))
		}
		return proto.Unmarshal(in, into.(proto.Message))
	}, nil)
	if err != nil {
		return crossed(err)
	}
	b, err := proto.Marshal(out.(proto.Message))
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	if len(b) > MaxMessage {
		return status.Errorf(codes.ResourceExhausted, "%d bytes", len(b))
	}
	return proto.Unmarshal(b, reply.(proto.Message))
}

// here is the address of a peer in this process.
type here struct{}

func (here) Network() string { return "local" }
func (here) String() string  { return "here" }

// crossed takes err over the wire, too: only its status arrives.
func crossed(err error) error {
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	b, err := proto.Marshal(st.Proto())
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	back := st.Proto()
	proto.Reset(back)
	if err := proto.Unmarshal(b, back); err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return status.ErrorProto(back)
}

func (l *local) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, fmt.Errorf("hostapi: a local connection has no streams")
}
