package main

import (
	"bytes"
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
func lie(name string, info skill.Info) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: "VAK_PLUGIN", MagicCookieValue: os.Getenv("VAK_PLUGIN")},
		VersionedPlugins: map[int]plugin.PluginSet{hostapi.Protocol: {"vak": raw{name: name, info: info}}},
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
	name string
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
	empty := func(string) []byte { return nil }
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "vak.v1.Plugin", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		unary("Describe", func(string) []byte {
			info, err := json.Marshal(r.info)
			if err != nil {
				return nil
			}
			switch r.name {
			case "renderer": // of another kind than its manifest says
				return field(field(field(nil, 1, "surface"), 2, "render"), 3, string(info))
			case "impostor": // by another id
				info = []byte(strings.ReplaceAll(string(info), `"impostor`, `"good`))
			case "blank":
				return nil
			}
			return field(field(field(nil, 1, "skill"), 2, "skill"), 3, string(info))
		}),
		unary("Check", empty),
		unary("Shutdown", empty), // and goes on as if nothing had been said
	}}, struct{}{})
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "vak.v1.Skill", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		unary("Lower", func(in string) []byte { return field(nil, 1, tree(in)) }),
		unary("CheckCard", problems),
	}}, struct{}{})
	return nil
}

func field(out []byte, n protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, n, protowire.BytesType), s)
}

func asks(in, word string) bool { return strings.Contains(in, `"`+word+`"`) }

// problems is what is asked for in place of problems.
func problems(in string) []byte {
	problem := func(path, want string) []byte { return field(nil, 1, string(field(field(nil, 1, path), 2, want))) }
	switch {
	case asks(in, "silent"):
		return problem("/with", "")
	case asks(in, "latin1"):
		return problem("/with", "caf\xe9")
	case asks(in, "escapes"):
		return problem("/with\x1b[2J", "\x1b[2J\nexpected\u202e other")
	case asks(in, "countless"):
		return bytes.Repeat(problem("/with", "expected other"), 101)
	case asks(in, "sixteen"):
		return problem("/with", strings.Repeat("x", 17<<20))
	case asks(in, "garbage"):
		return []byte("\xff\xff\xff")
	}
	return problem("no pointer", "x")
}

// tree is what is asked for in place of a tree.
func tree(in string) string {
	is := func(word string) bool { return asks(in, word) }
	switch {
	case is("other"):
		return `{"primitive":"iframe","props":{"src":"https://example.com"}}`
	case is("html"):
		return `{"primitive":"text","props":{"text":"a","html":"<script>"}}`
	case is("deep"):
		return strings.Repeat(`{"primitive":"stack","children":[`, 2_000)
	case is("wide"):
		return `{"primitive":"stack","children":[` + strings.TrimSuffix(strings.Repeat(`{"primitive":"divider"},`, 300), ",") + `]}`
	case is("nothing"):
		return ""
	case is("null"):
		return "null"
	case is("prose"):
		return "Here is your tree."
	case is("two"):
		return `{"primitive":"text","props":{"text":"a"}}{"primitive":"text","props":{"text":"b"}}`
	case is("twice"):
		return `{"primitive":"text","primitive":"divider","props":{"text":"a"}}`
	case is("latin1"):
		return "{\"primitive\":\"text\",\"props\":{\"text\":\"caf\xe9\"}}"
	case is("types"):
		return `{"primitive":"text","props":{"text":5}}`
	case is("script"):
		return `{"primitive":"key_value","props":{"items":[{"key":"a","value":"b","url":"javascript:alert(1)"}]}}`
	case is("megabyte"):
		return `{"primitive":"text","props":{"text":"` + strings.Repeat("word ", 1<<20/5) + `"}}`
	case is("sixteen"):
		return `{"primitive":"text","props":{"text":"` + strings.Repeat("x", 16<<20) + `"}}`
	case is("fifteen"):
		return `{"primitive":"text","props":{"text":"` + strings.Repeat("x", 15<<20) + `"}}`
	}
	return `{"primitive":"text","props":{"text":"ok"}}`
}
