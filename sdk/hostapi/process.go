package hostapi

import (
	"context"
	"errors"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// Protocol is the major version of the protocol that this module speaks.
const Protocol = wire.Protocol

// The roles: the argument that a plugin is started with.
const (
	RoleRender    = wire.RoleRender
	RoleTransport = wire.RoleTransport
	RoleSkill     = wire.RoleSkill
)

// Configure sets in c what host and plugin must agree on: the handshake, the
// versions of the protocol, gRPC and nothing else, and the message cap. The
// caller owns everything about the process.
func Configure(c *plugin.ClientConfig) {
	c.HandshakeConfig = wire.Handshake()
	c.VersionedPlugins = map[int]plugin.PluginSet{
		wire.Protocol: {wire.PluginName: grpcPlugin{}},
	}
	c.AllowedProtocols = []plugin.Protocol{plugin.ProtocolGRPC}
	c.GRPCDialOptions = append(c.GRPCDialOptions, DialOptions()...)
}

// maxHeaders bounds the headers and trailers of an answer, which hold a failure
// and nothing else.
const maxHeaders = 64 << 10

// DialOptions are what the host's end of a connection to a plugin is made with,
// whatever its transport.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithInitialWindowSize(wire.StreamWindow), grpc.WithInitialConnWindowSize(wire.ConnWindow),
		grpc.WithMaxHeaderListSize(maxHeaders),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessage), grpc.MaxCallSendMsgSize(MaxMessage)),
	}
}

// Dispense returns the client of a plugin that go-plugin is connected to. The
// protocol is closed by whoever opened it.
func Dispense(p plugin.ClientProtocol) (*Client, error) {
	raw, err := p.Dispense(wire.PluginName)
	if err != nil {
		return nil, err
	}
	c, ok := raw.(*Client)
	if !ok {
		return nil, errors.New("hostapi: not a client made by Configure")
	}
	return c, nil
}

// grpcPlugin is the host's half of go-plugin's set.
type grpcPlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (grpcPlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("hostapi: a host is no plugin")
}

func (grpcPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, cc *grpc.ClientConn) (any, error) {
	return New(cc), nil
}
