package hostapi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// connection is one whose other end answers as it likes.
type connection struct {
	grpc.ClientConnInterface
	written bool
	answer  proto.Message
	err     error
}

func (c connection) Invoke(_ context.Context, _ string, _, reply any, opts ...grpc.CallOption) error {
	for _, o := range opts {
		if o, ok := o.(grpc.PeerCallOption); ok && c.written {
			*o.PeerAddr = peer.Peer{Addr: here{}}
		}
	}
	if c.err == nil {
		proto.Merge(reply.(proto.Message), c.answer)
	}
	return c.err
}

// TestHostileTransport is what no honest plugin answers.
func TestHostileTransport(t *testing.T) {
	claims := func(kind string) error {
		return (&wire.Failure{Kind: kind, Source: wire.FromPlugin, Message: "x"}).GRPCStatus().Err()
	}
	outcome := func(o *vakv1.Outcome) proto.Message { return &vakv1.SendResponse{Outcome: o} }
	ref := &vakv1.Ref{Id: "m"}
	for _, c := range []struct {
		conn  connection
		class surface.Class
		code  string
		why   string
	}{
		{connection{answer: &vakv1.SendResponse{}}, surface.Unknown, CodeContract, "neither receipt nor outcome"},
		{connection{answer: &vakv1.SendResponse{Receipt: &vakv1.Receipt{}, Outcome: &vakv1.Outcome{}}}, surface.Unknown, CodeContract, "both"},
		{connection{answer: &vakv1.SendResponse{Receipt: &vakv1.Receipt{Refs: make([]*vakv1.Ref, 17)}}}, surface.Unknown, CodeContract, "many refs"},
		{connection{answer: &vakv1.SendResponse{Receipt: &vakv1.Receipt{Refs: []*vakv1.Ref{ref, {Id: "a\x1b"}}}}}, surface.Unknown, CodeContract, "an id that is no text"},
		{connection{answer: &vakv1.SendResponse{Receipt: &vakv1.Receipt{Refs: []*vakv1.Ref{{Id: "m", Opaque: []byte("\"\xff\"")}}}}}, surface.Unknown, CodeContract, "opaque that is no UTF-8"},
		{connection{answer: outcome(&vakv1.Outcome{})}, surface.Unknown, "", "no class"},
		{connection{answer: outcome(&vakv1.Outcome{Class: "delivered"})}, surface.Unknown, "", "a class of another world"},
		{connection{answer: outcome(&vakv1.Outcome{Class: "moved"})}, surface.Unknown, CodeContract, "moved to nowhere"},
		{connection{answer: outcome(&vakv1.Outcome{Class: "moved", Moved: &vakv1.Target{Address: strings.Repeat("x", 2000)}})}, surface.Unknown, CodeContract, "moved far"},
		{connection{answer: outcome(&vakv1.Outcome{Class: "transient", RetryAfterMs: -1 << 63, Code: "c"})}, surface.Transient, "c", "a negative wait"},
		{connection{answer: outcome(&vakv1.Outcome{Class: "transient", RetryAfterMs: 1<<63 - 1, Code: "c"})}, surface.Transient, "c", "a wait for ever"},
		{connection{answer: outcome(&vakv1.Outcome{Class: "permanent", Code: " c\n", Hint: strings.Repeat("ü", 5000), Message: strings.Repeat("\n", 5000)})}, surface.Permanent, "c", "long words"},

		{connection{err: status.Error(codes.Unavailable, "")}, surface.Transient, CodeNotSent, "the connection was never made"},
		{connection{err: status.Error(codes.Unavailable, ""), written: true}, surface.Unknown, CodeDied, "the process died"},
		{connection{err: status.Error(codes.Canceled, ""), written: true}, surface.Unknown, CodeDied, "the connection was closed under it"},
		{connection{err: status.Error(codes.DeadlineExceeded, ""), written: true}, surface.Unknown, CodeDeadline, "no answer"},
		{connection{err: status.Error(codes.DeadlineExceeded, "")}, surface.Transient, CodeNotSent, "no time to write it"},
		{connection{err: status.Error(codes.Internal, ""), written: true}, surface.Unknown, CodeContract, "bytes that are no answer"},
		{connection{err: status.Error(codes.ResourceExhausted, ""), written: true}, surface.Unknown, CodeContract, "an answer that is too large"},
		{connection{err: status.Error(codes.DataLoss, ""), written: true}, surface.Unknown, CodeFailed, "a code that no plugin has"},
		{connection{err: status.Error(codes.Unimplemented, ""), written: true}, surface.Transient, CodeNotSent, "a renderer"},
		{connection{err: claims(wire.NotConfigured), written: true}, surface.Transient, CodeNotConfigured, "no account"},
		{connection{err: claims(wire.Invalid), written: true}, surface.Transient, CodeNotSent, "it could not read the request"},
		{connection{err: claims(wire.Panic), written: true}, surface.Unknown, CodeFailed, "a failure that is no outcome"},
		{connection{err: claims(wire.Unavailable), written: true}, surface.Unknown, CodeFailed, "a kind that is not its to claim"},
	} {
		_, err := New(c.conn).Send(context.Background(), surface.SendRequest{Target: surface.Target{Surface: "a", Address: "x"}})
		d, ok := errors.AsType[*surface.DeliveryError](err)
		if !ok || d.Class != c.class || d.Code != c.code {
			t.Errorf("%s: %#v, want %s (%s)", c.why, err, c.class, c.code)
			continue
		}
		if d.RetryAfter < 0 || d.RetryAfter > maxRetryIn || len(d.Hint) > 512 || d.Err != nil && len(d.Err.Error()) > 2000 {
			t.Errorf("%s: %+v", c.why, d)
		}
	}
}

// TestLocalHasAPeer as soon as it gets to the plugin's code, as gRPC does.
func TestLocalHasAPeer(t *testing.T) {
	l := &local{methods: map[string]method{}}
	surface.RegisterTransport(l, surface.Plugin{}, nil)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		want bool
	}{{context.Background(), true}, {ended, false}} {
		var to peer.Peer
		err := l.Invoke(c.ctx, vakv1.Plugin_Check_FullMethodName, &vakv1.CheckRequest{}, &vakv1.CheckResponse{}, grpc.Peer(&to))
		if (to.Addr != nil) != c.want || (err == nil) != c.want {
			t.Errorf("peer %v, err %v", to.Addr, err)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, m := range []*vakv1.SendResponse{
		{}, {Receipt: &vakv1.Receipt{Refs: []*vakv1.Ref{{Id: "m", Opaque: []byte(`{"a":1}`)}}}},
		{Outcome: &vakv1.Outcome{Class: "moved", Moved: &vakv1.Target{Address: "x"}, RetryAfterMs: 5, Code: "c", Hint: "h", Message: "m"}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m vakv1.SendResponse
		if proto.Unmarshal(b, &m) != nil {
			return
		}
		r, err := parseAnswer("send", surface.Target{Surface: "a", Account: "b", Address: "c"}, m.Receipt, m.Outcome)
		if err == nil {
			if len(r.Refs) > surface.MaxRefs {
				t.Errorf("%d refs", len(r.Refs))
			}
			for _, ref := range r.Refs {
				if err := validRef(ref); err != nil {
					t.Error(err)
				}
			}
			return
		}
		d, ok := errors.AsType[*surface.DeliveryError](err)
		if !ok || len(d.Hint) > 512 || len(d.Code) > 512 || !clean(d.Hint) || !clean(d.Code) || !utf8.ValidString(d.Error()) || d.RetryAfter < 0 || d.RetryAfter > maxRetryIn {
			t.Errorf("%#v", err)
		}
		if d.Moved != nil && (d.Moved.Surface != "a" || d.Moved.Account != "b" || validTarget(*d.Moved) != nil || d.Class != surface.Moved) {
			t.Errorf("moved to %+v", d.Moved)
		}
	})
}
