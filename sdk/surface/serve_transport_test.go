package surface

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

type transportFunc func(context.Context, SendRequest) (Receipt, error)

func (f transportFunc) Send(ctx context.Context, r SendRequest) (Receipt, error) { return f(ctx, r) }

func sending(f transportFunc) Plugin {
	p := example()
	p.NewTransport = func(context.Context, Account) (Transport, error) { return f, nil }
	return p
}

func TestManifestSaysWhetherItSends(t *testing.T) {
	for _, c := range []struct {
		p    Plugin
		want bool
	}{{example(), false}, {sending(nil), true}} {
		c.p.Info.Transport = !c.want // what an author writes there does not count
		var stdout, stderr strings.Builder
		run(c.p, []string{"acme", "describe"}, func(string) string { return "" }, &stdout, &stderr)
		var got Info
		if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil || got.Transport != c.want {
			t.Errorf("describe says %v, %v, want %v", got.Transport, err, c.want)
		}
		d, err := newServer(c.p, wire.RoleRender, nil).Describe(context.Background(), nil)
		if err != nil || strings.Contains(string(d.Info), `"transport":true`) != c.want {
			t.Errorf("Describe says %s, %v", d.GetInfo(), err)
		}
	}
}

// TestShutdownWaitsForWhatIsSent: a message that is on its way is neither cut
// off nor followed by another.
func TestShutdownWaitsForWhatIsSent(t *testing.T) {
	started, finish, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := newServer(sending(func(context.Context, SendRequest) (Receipt, error) {
		close(started)
		<-finish
		return Receipt{}, nil
	}), wire.RoleTransport, nil)
	s.Stop = func() { close(stopped) }
	ctx := context.Background()
	if _, err := s.Configure(ctx, &vakv1.ConfigureRequest{}); err != nil {
		t.Fatal(err)
	}
	req := &vakv1.SendRequest{Target: &vakv1.Target{Address: "x"}, Chunk: []byte(`{"text":"a","plain":"a","blocks":null}`)}
	sent := make(chan error)
	go func() {
		m, err := s.Send(ctx, req)
		if m.GetReceipt() == nil {
			t.Errorf("outcome %v", m.GetOutcome())
		}
		sent <- err
	}()
	<-started
	if _, err := s.Shutdown(ctx, nil); err != nil {
		t.Fatal(err)
	}
	_, send := s.Send(ctx, req)
	_, edit := s.Edit(ctx, &vakv1.EditRequest{Send: req})
	_, del := s.Delete(ctx, &vakv1.DeleteRequest{Target: req.Target})
	for _, err := range []error{send, edit, del} {
		if err == nil || wire.FromError(err).Kind != wire.NotConfigured { // which says that nothing was written
			t.Errorf("a new call ended with %v", err)
		}
	}
	if _, err := s.Configure(ctx, &vakv1.ConfigureRequest{}); err == nil {
		t.Error("an account was taken")
	}
	select {
	case <-stopped:
		t.Error("stopped with a message on its way")
	default:
	}
	close(finish)
	if err := <-sent; err != nil {
		t.Errorf("the message on its way failed: %v", err)
	}
	<-stopped
}

// TestBadMessages is what another host might send. None of it gets to the
// author's code.
func TestBadMessages(t *testing.T) {
	s := newServer(sending(func(context.Context, SendRequest) (Receipt, error) {
		t.Error("it was sent")
		return Receipt{}, nil
	}), wire.RoleTransport, nil)
	ctx := context.Background()
	if _, err := s.Configure(ctx, &vakv1.ConfigureRequest{Settings: []byte(`{"a":"` + strings.Repeat("x", MaxSettings) + `"}`)}); wire.FromError(err).Kind != wire.Invalid {
		t.Errorf("large settings: %v", err)
	}
	if _, err := s.Configure(ctx, &vakv1.ConfigureRequest{}); err != nil {
		t.Fatal(err)
	}
	good := func() *vakv1.SendRequest {
		return &vakv1.SendRequest{Target: &vakv1.Target{Address: "x"}, Chunk: []byte(`{"text":"a","plain":"a","blocks":null}`)}
	}
	for why, change := range map[string]func(*vakv1.SendRequest){
		"no target":      func(m *vakv1.SendRequest) { m.Target = nil },
		"long address":   func(m *vakv1.SendRequest) { m.Target.Address = strings.Repeat("x", MaxAddress+1) },
		"no chunk":       func(m *vakv1.SendRequest) { m.Chunk = nil },
		"chunk":          func(m *vakv1.SendRequest) { m.Chunk = []byte(`{"text":5}`) },
		"packet":         func(m *vakv1.SendRequest) { m.Packet = []byte(`{`) },
		"actions":        func(m *vakv1.SendRequest) { m.Actions = []byte(`{}`) },
		"many actions":   func(m *vakv1.SendRequest) { m.Actions = []byte(`[` + strings.Repeat(`{},`, maxActions) + `{}]`) },
		"part":           func(m *vakv1.SendRequest) { m.Part = -1 },
		"reply to":       func(m *vakv1.SendRequest) { m.ReplyTo = &vakv1.Ref{} },
		"opaque":         func(m *vakv1.SendRequest) { m.ReplyTo = &vakv1.Ref{Id: "m", Opaque: []byte(`{`)} },
		"its own format": func(m *vakv1.SendRequest) { m.Chunk = []byte(`SECRET`) },
	} {
		m := good()
		change(m)
		_, err := s.Send(ctx, m)
		if f := wire.FromError(err); err == nil || f.Kind != wire.Invalid || strings.Contains(f.Message, "SECRET") {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// FuzzParseSend finds that no request makes a plugin panic, and that names notify
// by one word only.
func FuzzParseSend(f *testing.F) {
	for _, mentions := range []string{"", LiveMentions, "LIVE", "live\x00", "all"} {
		b, err := proto.Marshal(&vakv1.SendRequest{
			Key: "k", Target: &vakv1.Target{Address: "x"}, Chunk: []byte(`{"text":"@a","plain":"a","blocks":null}`), Mentions: mentions,
			Actions: []byte(`[{"id":"a","verb":"A"}]`), ReplyTo: &vakv1.Ref{Id: "m", Opaque: []byte(`1`)},
		})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	s := newServer(sending(nil), wire.RoleTransport, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		var m vakv1.SendRequest
		if proto.Unmarshal(b, &m) != nil {
			return
		}
		r, err := s.parseSend(&m)
		if live := r.Mentions == LiveMentions; err == nil && (live != (m.Mentions == "live") || !live && r.Mentions != "") {
			t.Errorf("%q became %q", m.Mentions, r.Mentions)
		}
	})
}
