package hostapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// pipe is a transport of functions; nil ones are not called.
type pipe struct {
	send func(context.Context, surface.SendRequest) (surface.Receipt, error)
	edit func(context.Context, surface.Ref, surface.SendRequest) (surface.Receipt, error)
	del  func(context.Context, surface.Target, surface.Ref) error
}

func (p pipe) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	return p.send(ctx, r)
}

type fullPipe struct{ pipe }

func (p fullPipe) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	return p.edit(ctx, ref, r)
}

func (p fullPipe) Delete(ctx context.Context, t surface.Target, ref surface.Ref) error {
	return p.del(ctx, t, ref)
}

// sender is a client of a surface whose every account has t.
func sender(t testing.TB, tr surface.Transport, log hclog.Logger) *hostapi.Client {
	t.Helper()
	p := plugin(nil)
	p.NewTransport = func(context.Context, surface.Account) (surface.Transport, error) { return tr, nil }
	c := hostapi.LocalTransport(p, log)
	if err := c.Configure(context.Background(), surface.Account{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func message() surface.SendRequest {
	return surface.SendRequest{
		Key: "k", Job: "j", Part: 1, Of: 3, Attempt: 2,
		Target: surface.Target{Surface: "a", Address: "@x", Thread: "7"},
		Kind:   surface.Alert, Form: surface.FormPlain,
		Chunk:   surface.Chunk{Text: "<b>\u2028ü\n", Plain: "x", Native: &surface.Native{Kind: "n.v1", JSON: json.RawMessage(`{"a":"<"}`)}, Blocks: []doc.ID{"1"}},
		Packet:  json.RawMessage(`{"p":1}`),
		Actions: []surface.Action{{ID: "y", Verb: "Yes", Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}},
		ReplyTo: &surface.Ref{ID: "m0", Opaque: json.RawMessage(`[1]`)},
		Silent:  true, Mentions: surface.LiveMentions,
	}
}

func delivery(t testing.TB, err error) *surface.DeliveryError {
	t.Helper()
	d, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok {
		t.Fatalf("err = %#v, want a *surface.DeliveryError", err)
	}
	return d
}

func TestMessagesCross(t *testing.T) {
	want := surface.Receipt{Refs: []surface.Ref{{ID: "m1", Opaque: json.RawMessage(`{"a": 1}`)}, {ID: "m2"}}, Wait: 1500 * time.Millisecond}
	ref := surface.Ref{ID: "m9", Opaque: json.RawMessage(`"o"`)}
	var sent, edited surface.SendRequest
	var editedRef, deletedRef surface.Ref
	var deleted surface.Target
	c := sender(t, fullPipe{pipe{
		func(_ context.Context, r surface.SendRequest) (surface.Receipt, error) { sent = r; return want, nil },
		func(_ context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
			editedRef, edited = ref, r
			return surface.Receipt{}, nil
		},
		func(_ context.Context, to surface.Target, ref surface.Ref) error {
			deleted, deletedRef = to, ref
			return nil
		},
	}}, nil)
	got, err := c.Send(context.Background(), message())
	want.Refs[0].Opaque = json.RawMessage(`{"a":1}`) // canonical on the way
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Send = %+v, %v, want %+v", got, err, want)
	}
	if !reflect.DeepEqual(sent, message()) {
		t.Errorf("sent  %+v\nwant %+v", sent, message())
	}
	if got, err := c.Edit(context.Background(), ref, message()); err != nil || len(got.Refs) != 0 {
		t.Errorf("Edit = %+v, %v", got, err)
	}
	if !reflect.DeepEqual(edited, message()) || !reflect.DeepEqual(editedRef, ref) {
		t.Errorf("edited %+v to %+v", editedRef, edited)
	}
	if err := c.Delete(context.Background(), message().Target, ref); err != nil {
		t.Error(err)
	}
	if deleted != message().Target || !reflect.DeepEqual(deletedRef, ref) {
		t.Errorf("deleted %+v at %+v", deletedRef, deleted)
	}
}

func TestOutcomesCross(t *testing.T) {
	secret := errors.New("Post https://example.org/bot12345:secret/send: refused")
	for _, c := range []struct {
		give error
		want surface.DeliveryError
		err  string // in what the error says
		why  string
	}{
		{&surface.DeliveryError{Class: surface.RateLimited, RetryAfter: 3500 * time.Millisecond, Code: "429", Hint: "wait"},
			surface.DeliveryError{Class: surface.RateLimited, RetryAfter: 3500 * time.Millisecond, Code: "429", Hint: "wait"}, "", "as it is"},
		{&surface.DeliveryError{Class: surface.Transient, Err: secret}, surface.DeliveryError{Class: surface.Transient}, "*errors.errorString", "no text of a cause"},
		{fmt.Errorf("x: %w", &surface.DeliveryError{Class: surface.TargetGone}), surface.DeliveryError{Class: surface.TargetGone}, "", "wrapped"},
		{secret, surface.DeliveryError{Class: surface.Unknown, Hint: "tell the plugin's author to return a *surface.DeliveryError"}, "*errors.errorString", "any other error"},
		{fmt.Errorf("bot12345: %w", secret), surface.DeliveryError{Class: surface.Unknown, Hint: "tell the plugin's author to return a *surface.DeliveryError"}, "*fmt.wrapError around one of type *errors.errorString", "and its cause's type"},
		{(*surface.DeliveryError)(nil), surface.DeliveryError{Class: surface.Unknown, Hint: "tell the plugin's author to return a *surface.DeliveryError"}, "", "a typed nil is an error, too"},
		{&surface.DeliveryError{Class: "imagined"}, surface.DeliveryError{Class: surface.Unknown}, "", "no such class"},
		{&surface.DeliveryError{Class: surface.Transient, RetryAfter: 1000 * time.Hour}, surface.DeliveryError{Class: surface.Transient, RetryAfter: 24 * time.Hour}, "", "no longer than a day"},
		{&surface.DeliveryError{Class: surface.Transient, RetryAfter: -time.Hour}, surface.DeliveryError{Class: surface.Transient}, "", "no earlier than now"},
		{&surface.DeliveryError{Class: surface.Transient, RetryAfter: time.Microsecond}, surface.DeliveryError{Class: surface.Transient, RetryAfter: time.Millisecond}, "", "rounded up"},
		{&surface.DeliveryError{Class: surface.Permanent, Code: "a\nb\x1b[2J", Hint: strings.Repeat("h", 600)},
			surface.DeliveryError{Class: surface.Permanent, Code: "a b [2J", Hint: strings.Repeat("h", 500) + "…"}, "", "one clean line"},
		{&surface.DeliveryError{Class: surface.Moved, Moved: &surface.Target{Surface: "other", Account: "other", Address: "@y"}},
			surface.DeliveryError{Class: surface.Moved, Moved: &surface.Target{Surface: "a", Address: "@y"}}, "", "surface and account stay"},
		{&surface.DeliveryError{Class: surface.Moved}, surface.DeliveryError{Class: surface.Unknown, Hint: "tell the plugin's author to say where the target moved to"}, "", "moved to nowhere"},
		{&surface.DeliveryError{Class: surface.Payload, Moved: &surface.Target{Address: "@y"}}, surface.DeliveryError{Class: surface.Payload}, "", "only what moved has moved"},
	} {
		client := sender(t, fullPipe{pipe{
			func(context.Context, surface.SendRequest) (surface.Receipt, error) {
				return surface.Receipt{Refs: []surface.Ref{{ID: "m"}}}, c.give
			},
			func(context.Context, surface.Ref, surface.SendRequest) (surface.Receipt, error) {
				return surface.Receipt{}, c.give
			},
			func(context.Context, surface.Target, surface.Ref) error { return c.give },
		}}, nil)
		_, send := client.Send(context.Background(), message())
		_, edit := client.Edit(context.Background(), surface.Ref{ID: "m"}, message())
		del := client.Delete(context.Background(), message().Target, surface.Ref{ID: "m"})
		for _, err := range []error{send, edit, del} {
			got := *delivery(t, err)
			if strings.Contains(got.Error(), "bot12345") || !strings.Contains(got.Error(), c.err) {
				t.Errorf("%s: says %q, want %q", c.why, got.Error(), c.err)
			}
			got.Err = nil
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got %+v, want %+v", c.why, got, c.want)
			}
		}
	}
}

func TestReceiptsAreBounded(t *testing.T) {
	refs := func(n int) (out []surface.Ref) {
		for i := range n {
			out = append(out, surface.Ref{ID: fmt.Sprint(i)})
		}
		return out
	}
	for _, c := range []struct {
		refs []surface.Ref
		ok   bool
		why  string
	}{
		{nil, true, "a platform that names nothing"},
		{refs(16), true, "as many as may be"},
		{refs(17), false, "one too many"},
		{[]surface.Ref{{ID: strings.Repeat("i", 1<<10), Opaque: json.RawMessage(`"` + strings.Repeat("o", 4<<10-2) + `"`)}}, true, "as large as may be"},
		{[]surface.Ref{{ID: strings.Repeat("i", 1<<10+1)}}, false, "a longer id"},
		{[]surface.Ref{{}}, false, "no id"},
		{[]surface.Ref{{ID: "\xff"}}, false, "no UTF-8"},
		{[]surface.Ref{{ID: "a\nb"}}, false, "two lines"},
		{[]surface.Ref{{ID: "i", Opaque: json.RawMessage(`{`)}}, false, "no JSON"},
		{[]surface.Ref{{ID: "i", Opaque: json.RawMessage(`"` + strings.Repeat("o", 4<<10) + `"`)}}, false, "much opaque"},
	} {
		client := sender(t, pipe{send: func(context.Context, surface.SendRequest) (surface.Receipt, error) {
			return surface.Receipt{Refs: c.refs}, nil
		}}, nil)
		got, err := client.Send(context.Background(), message())
		if c.ok {
			if err != nil || !reflect.DeepEqual(got.Refs, c.refs) {
				t.Errorf("%s: %d refs, %v", c.why, len(got.Refs), err)
			}
			continue
		}
		if d := delivery(t, err); d.Class != surface.Unknown || len(got.Refs) > 0 {
			t.Errorf("%s: %+v, %v; it went out, so it is unknown", c.why, got, err)
		}
	}
}

func TestTransportPanics(t *testing.T) {
	var log bytes.Buffer
	c := sender(t, pipe{send: func(context.Context, surface.SendRequest) (surface.Receipt, error) { panic("the text") }},
		hclog.New(&hclog.LoggerOptions{Output: &log, JSONFormat: true}))
	_, err := c.Send(context.Background(), message())
	d := delivery(t, err)
	if d.Class != surface.Unknown || d.Code != "panic" || d.Hint == "" || strings.Contains(d.Error(), "the text") {
		t.Errorf("err = %v", d)
	}
	if !strings.Contains(log.String(), "transport_test.go") || strings.Contains(log.String(), "the text") {
		t.Errorf("log = %s", &log)
	}
}

// TestNotSentOrUnknown is what tells a message that can be sent again from one
// that may have arrived.
func TestNotSentOrUnknown(t *testing.T) {
	never := pipe{send: func(context.Context, surface.SendRequest) (surface.Receipt, error) {
		t.Error("it was sent")
		return surface.Receipt{}, nil
	}}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	huge := message()
	huge.Packet = json.RawMessage(`"` + strings.Repeat("x", hostapi.MaxMessage) + `"`)
	broken := message()
	broken.Chunk.Plain = "\xff"
	nowhere := message()
	nowhere.Target.Address = ""
	other := message()
	other.Target.Account = "other"
	native := message()
	native.Chunk.Native.JSON = json.RawMessage(`{`)
	louder := message()
	louder.Mentions = "all"
	for _, c := range []struct {
		ctx   context.Context
		tr    surface.Transport
		req   surface.SendRequest
		class surface.Class
		code  string
		kind  hostapi.Kind
		why   string
	}{
		{ended, never, message(), surface.Transient, hostapi.CodeNotSent, hostapi.Canceled, "canceled before it began"},
		{context.Background(), never, huge, surface.TooLong, hostapi.CodeNotSent, hostapi.TooLarge, "too large to leave"},
		{context.Background(), never, broken, surface.Transient, hostapi.CodeNotSent, hostapi.Invalid, "text that is no UTF-8"},
		{context.Background(), never, nowhere, surface.Transient, hostapi.CodeNotSent, hostapi.Invalid, "no address"},
		{context.Background(), never, native, surface.Transient, hostapi.CodeNotSent, hostapi.Invalid, "a native form that is no JSON"},
		{context.Background(), never, louder, surface.Transient, hostapi.CodeNotSent, hostapi.Invalid, "a word for mentions that there is not"},
		{context.Background(), never, other, surface.Transient, hostapi.CodeNotConfigured, hostapi.NotConfigured, "an account that nobody configured"},
	} {
		_, err := sender(t, c.tr, nil).Send(c.ctx, c.req)
		d := delivery(t, err)
		e, _ := errors.AsType[*hostapi.Error](err)
		if d.Class != c.class || d.Code != c.code || e == nil || e.Kind != c.kind || e.Op != "send" {
			t.Errorf("%s: %v (%+v)", c.why, d, e)
		}
	}
	for _, wrong := range []surface.Ref{{}, {ID: "a", Opaque: json.RawMessage(`{`)}} {
		c := sender(t, never, nil)
		_, edit := c.Edit(context.Background(), wrong, message())
		for _, err := range []error{edit, c.Delete(context.Background(), message().Target, wrong)} {
			if d := delivery(t, err); d.Code != hostapi.CodeNotSent {
				t.Errorf("ref %+v: %v", wrong, d)
			}
		}
	}
}

// TestTransportSeesTheDeadlineFirst lets a transport that honours its context
// say itself what came of the message.
func TestTransportSeesTheDeadlineFirst(t *testing.T) {
	at := time.Now().Add(200 * time.Millisecond)
	c := sender(t, pipe{send: func(ctx context.Context, _ surface.SendRequest) (surface.Receipt, error) {
		if its, ok := ctx.Deadline(); !ok || !its.Before(at) {
			t.Errorf("its time ends at %v, the host's at %v", its, at)
		}
		<-ctx.Done()
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: "mine"}
	}}, nil)
	ctx, cancel := context.WithDeadline(context.Background(), at)
	defer cancel()
	_, err := c.Send(ctx, message())
	if d := delivery(t, err); d.Code != "mine" {
		t.Errorf("err = %v", d)
	}
}

func TestWithoutEditAndDelete(t *testing.T) {
	c := sender(t, pipe{}, nil)
	_, edit := c.Edit(context.Background(), surface.Ref{ID: "m"}, message())
	for _, err := range []error{edit, c.Delete(context.Background(), message().Target, surface.Ref{ID: "m"})} {
		if d := delivery(t, err); d.Class != surface.Permanent || d.Code != hostapi.CodeUnimplemented || !errors.Is(err, hostapi.Unimplemented) {
			t.Errorf("err = %v", d)
		}
	}
}

func TestConfigure(t *testing.T) {
	const secret = "12345:AAF-secret"
	settings := json.RawMessage(`{"token":"` + secret + `"}`)
	var seen []surface.Account
	var answer func() (surface.Transport, error)
	p := plugin(nil)
	p.NewTransport = func(_ context.Context, a surface.Account) (surface.Transport, error) {
		seen = append(seen, a)
		return answer()
	}
	c := hostapi.LocalTransport(p, nil)
	features := func() []string {
		d, err := c.Describe(context.Background())
		if err != nil || d.Role != hostapi.RoleTransport || !d.Info.Transport {
			t.Errorf("Describe = %+v, %v", d, err)
		}
		return d.Features
	}
	if got := features(); got != nil {
		t.Errorf("features %v before Configure", got)
	}
	for _, row := range []struct {
		answer func() (surface.Transport, error)
		a      surface.Account
		kind   hostapi.Kind
		says   string
		why    string
	}{
		{nil, surface.Account{Settings: json.RawMessage(`{"x":"` + strings.Repeat("x", surface.MaxSettings) + `"}`)}, hostapi.TooLarge, "65536", "large settings"},
		{nil, surface.Account{Settings: json.RawMessage(`["` + secret + `"]`)}, hostapi.Invalid, "object", "no object"},
		{nil, surface.Account{Settings: json.RawMessage(`{"` + secret)}, hostapi.Invalid, "object", "no JSON"},
		{func() (surface.Transport, error) { return nil, errors.New("token " + secret) }, surface.Account{Settings: settings}, hostapi.Failed, "*errors.errorString", "an error is told by its type"},
		{func() (surface.Transport, error) {
			return nil, &surface.DeliveryError{Class: surface.Permanent, Code: "401", Hint: "make a new token"}
		}, surface.Account{Settings: settings}, hostapi.Failed, "make a new token", "code and hint are for people"},
		{func() (surface.Transport, error) {
			return nil, &surface.DeliveryError{Class: surface.Permanent, Hint: secret + " is wrong"}
		}, surface.Account{Settings: settings}, hostapi.Failed, "withheld", "but quote no setting"},
		{func() (surface.Transport, error) { panic(secret) }, surface.Account{Settings: settings}, hostapi.Panic, "string", "a panic"},
		{func() (surface.Transport, error) { return nil, nil }, surface.Account{Settings: settings}, hostapi.Failed, "neither", "nothing at all"},
	} {
		answer = row.answer
		err := c.Configure(context.Background(), row.a)
		if !errors.Is(err, row.kind) || !strings.Contains(fmt.Sprint(err), row.says) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want %s that says %q", row.why, err, row.kind, row.says)
		}
	}
	if len(seen) != 5 || seen[0].Name != "" || string(seen[0].Settings) != string(settings) {
		t.Errorf("%d accounts were seen: %+v", len(seen), seen)
	}
	if _, err := c.Send(context.Background(), message()); delivery(t, err).Code != hostapi.CodeNotConfigured {
		t.Errorf("err = %v, want not configured", err)
	}
	if got := features(); got != nil {
		t.Errorf("features %v", got)
	}

	// Two accounts, of which one is configured anew.
	named := func(id string) func() (surface.Transport, error) {
		return func() (surface.Transport, error) {
			return pipe{send: func(context.Context, surface.SendRequest) (surface.Receipt, error) {
				return surface.Receipt{Refs: []surface.Ref{{ID: id}}}, nil
			}}, nil
		}
	}
	who := func(account string) string {
		r := message()
		r.Target.Account = account
		got, err := c.Send(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return got.Refs[0].ID
	}
	for _, step := range []struct{ account, id, first, second string }{{"", "one", "one", ""}, {"b", "two", "one", "two"}, {"", "three", "three", "two"}} {
		answer = named(step.id)
		if err := c.Configure(context.Background(), surface.Account{Name: step.account}); err != nil {
			t.Fatal(err)
		}
		if got := who(""); got != step.first {
			t.Errorf("the default account sends with %q, want %q", got, step.first)
		}
		if step.second != "" && who("b") != step.second {
			t.Errorf("b sends with %q, want %q", who("b"), step.second)
		}
	}
	answer = func() (surface.Transport, error) { return fullPipe{}, nil }
	if err := c.Configure(context.Background(), surface.Account{Name: "c"}); err != nil {
		t.Fatal(err)
	}
	if got := features(); !reflect.DeepEqual(got, []string{"edit", "delete"}) {
		t.Errorf("features %v", got)
	}
}

func TestSendsRunAtTheSameTime(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	c := sender(t, pipe{send: func(context.Context, surface.SendRequest) (surface.Receipt, error) {
		both.Done()
		both.Wait() // hangs if the other is kept waiting
		return surface.Receipt{}, nil
	}}, nil)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, err := c.Send(context.Background(), message()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
