package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// lie serves the protocol by hand, without the SDK and all that it refuses to send.
// What it answers is in the request's payload.
func lie(info skill.Info) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: "VAK_PLUGIN", MagicCookieValue: os.Getenv("VAK_PLUGIN")},
		VersionedPlugins: map[int]plugin.PluginSet{hostapi.Protocol: {"vak": raw{info: info}}},
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, grpc.ForceServerCodec(bytesCodec{}), grpc.MaxSendMsgSize(64<<20))...)
		},
	})
}

// bytesCodec sends bytes as they are. What is not bytes is go-plugin's own.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) ([]byte, error) {
	if b, ok := v.(*[]byte); ok {
		return *b, nil
	}
	return nil, nil
}

func (bytesCodec) Unmarshal(b []byte, v any) error {
	if into, ok := v.(*[]byte); ok {
		*into = b
	}
	return nil
}

type raw struct {
	plugin.NetRPCUnsupportedPlugin
	info skill.Info
}

func (raw) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("no host")
}

func (r raw) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	unary := func(name string, answer func(string) []byte) grpc.MethodDesc {
		return grpc.MethodDesc{MethodName: name, Handler: func(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var in []byte
			if err := dec(&in); err != nil {
				return nil, err
			}
			out := answer(string(in))
			return &out, nil
		}}
	}
	field := func(out []byte, n protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(out, n, protowire.BytesType), s)
	}
	empty := func(string) []byte { return nil }
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "vak.v1.Plugin", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		unary("Describe", func(string) []byte {
			info, err := json.Marshal(r.info)
			if err != nil {
				return nil
			}
			return field(field(field(nil, 1, "skill"), 2, "skill"), 3, string(info))
		}),
		unary("Check", empty),
		unary("Shutdown", empty), // and goes on as if nothing had been said
	}}, struct{}{})
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "vak.v1.Skill", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		unary("Lower", func(in string) []byte { return field(nil, 1, tree(in)) }),
		unary("CheckCard", func(string) []byte { return field(nil, 1, string(field(field(nil, 1, "no pointer"), 2, "x"))) }),
	}}, struct{}{})
	return nil
}

// tree is what is asked for in place of a tree.
func tree(in string) string {
	is := func(word string) bool { return strings.Contains(in, `"`+word+`"`) }
	switch {
	case is("other"):
		return `{"primitive":"iframe","props":{"src":"https://example.com"}}`
	case is("html"):
		return `{"primitive":"text","props":{"text":"a","html":"<script>"}}`
	case is("deep"):
		return strings.Repeat(`{"primitive":"stack","children":[`, 2_000)
	case is("wide"):
		return `{"primitive":"stack","children":[` + strings.TrimSuffix(strings.Repeat(`{"primitive":"divider"},`, 300), ",") + `]}`
	case is("sixteen"):
		return `{"primitive":"text","props":{"text":"` + strings.Repeat("x", 16<<20) + `"}}`
	case is("fifteen"):
		return `{"primitive":"text","props":{"text":"` + strings.Repeat("x", 15<<20) + `"}}`
	}
	return `{"primitive":"text","props":{"text":"ok"}}`
}
