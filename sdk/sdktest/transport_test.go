package sdktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func ExampleNewTransportScript() {
	script := sdktest.NewTransportScript()
	chat := surface.Target{Surface: "chat", Address: "room"}
	script.On(chat, 0,
		sdktest.Step{Err: &surface.DeliveryError{Class: surface.RateLimited}},
		sdktest.Step{Err: &surface.DeliveryError{Class: surface.Unknown}, Accept: true})

	send := func(text string) {
		r, err := script.Send(context.Background(), surface.SendRequest{Target: chat, Chunk: surface.Chunk{Plain: text}})
		fmt.Println(text, r.Refs, err)
	}
	send("first try")
	send("second try")
	send("third try")
	for _, r := range script.Accepted(chat) {
		fmt.Println("arrived:", r.Chunk.Plain)
	}
	// Output:
	// first try [] rate_limited
	// second try [] unknown
	// third try [{m1 []}] <nil>
	// arrived: second try
	// arrived: third try
}

// scripted is a client of a script, as a host has it.
func scripted(t *testing.T, s *sdktest.TransportScript) *hostapi.Client {
	t.Helper()
	c := hostapi.LocalTransport(s.Plugin("chat", 100), nil)
	if err := c.Configure(context.Background(), surface.Account{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func to(address string, part int) surface.SendRequest {
	return surface.SendRequest{
		Key: fmt.Sprint(address, part), Part: part, Target: surface.Target{Surface: "chat", Address: address},
		Chunk: surface.Chunk{Text: "t", Plain: "p"},
	}
}

func keys(all []surface.SendRequest) (out []string) {
	for _, r := range all {
		out = append(out, r.Key)
	}
	return out
}

func TestTransportScript(t *testing.T) {
	s := sdktest.NewTransportScript()
	c := scripted(t, s)
	ctx := context.Background()
	a, b := to("a", 0).Target, to("b", 0).Target
	s.On(a, 1, sdktest.Step{Err: &surface.DeliveryError{Class: surface.TooLong}}, sdktest.Step{Refs: []surface.Ref{{ID: "x"}, {ID: "y"}}})
	s.On(a, sdktest.AnyPart, sdktest.Step{Panic: true})
	s.On(b, 0, sdktest.Step{Err: &surface.DeliveryError{Class: surface.Unknown}, Accept: true})
	for i, step := range []struct {
		r     surface.SendRequest
		class surface.Class // empty: it is sent
		refs  []string
	}{
		{to("a", 1), surface.TooLong, nil},
		{to("a", 1), "", []string{"x", "y"}},
		{to("a", 1), surface.Unknown, nil}, // the panic, for which nothing better is left
		{to("a", 1), "", []string{"m1"}},
		{to("b", 0), surface.Unknown, nil},
		{to("b", 0), "", []string{"m2"}},
	} {
		got, err := c.Send(ctx, step.r)
		d, _ := errors.AsType[*surface.DeliveryError](err)
		if (d == nil) != (step.class == "") || d != nil && d.Class != step.class {
			t.Errorf("step %d: %v, want %q", i, err, step.class)
		}
		var ids []string
		for _, r := range got.Refs {
			ids = append(ids, r.ID)
		}
		if !slices.Equal(ids, step.refs) {
			t.Errorf("step %d: %v, want %v", i, ids, step.refs)
		}
	}
	if got := len(s.Sent()); got != 6 {
		t.Errorf("%d were sent", got)
	}
	if got := keys(s.Accepted(a)); !slices.Equal(got, []string{"a1", "a1"}) {
		t.Errorf("arrived at a: %v", got)
	}
	if got := keys(s.Accepted(b)); !slices.Equal(got, []string{"b0", "b0"}) {
		t.Errorf("arrived at b: %v", got)
	}
	if got, err := c.Edit(ctx, surface.Ref{ID: "m1"}, to("a", 7)); err != nil || got.Refs[0].ID != "m1" || !slices.Equal(keys(s.Edited()), []string{"a7"}) {
		t.Errorf("Edit = %+v, %v, %v", got, err, s.Edited())
	}
	if err := c.Delete(ctx, a, surface.Ref{ID: "m1"}); err != nil || len(s.Deleted()) != 1 || s.Deleted()[0].ID != "m1" {
		t.Errorf("Delete: %v, %v", err, s.Deleted())
	}
	if v := s.Violations(); len(v) != 0 {
		t.Errorf("violations %+v", v)
	}
}

func TestTransportScriptNoticesTwoAtOnce(t *testing.T) {
	s := sdktest.NewTransportScript()
	release := make(chan struct{})
	a := to("a", 0)
	s.On(a.Target, 0, sdktest.Step{Until: release})
	first := make(chan error, 1)
	go func() {
		_, err := s.Send(context.Background(), a)
		first <- err
	}()
	if err := s.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	other, thread := to("b", 1), to("a", 2)
	thread.Target.Thread = "9"
	for _, r := range []surface.SendRequest{other, thread} { // not in its way
		if _, err := s.Send(context.Background(), r); err != nil {
			t.Error(err)
		}
	}
	if v := s.Violations(); len(v) != 0 {
		t.Errorf("violations %+v", v)
	}
	if _, err := s.Send(context.Background(), to("a", 3)); err != nil {
		t.Error(err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if v := s.Violations(); len(v) != 1 || v[0].Target != a.Target || v[0].First.Key != "a0" || v[0].Second.Key != "a3" {
		t.Errorf("violations %+v", v)
	}
	if _, err := s.Send(context.Background(), to("a", 4)); err != nil || len(s.Violations()) != 1 {
		t.Errorf("%v, violations %+v: what has ended is in nobody's way", err, s.Violations())
	}
}

func TestTransportScriptWaitsNoLongerThanItsCall(t *testing.T) {
	for _, c := range []struct {
		step  sdktest.Step
		class surface.Class
		took  int
	}{
		{sdktest.Step{Until: make(chan struct{})}, surface.Transient, 0},
		{sdktest.Step{Until: make(chan struct{}), Accept: true}, surface.Unknown, 1},
	} {
		s := sdktest.NewTransportScript()
		a := to("a", 0)
		s.On(a.Target, 0, c.step)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			s.Await(ctx, 1)
			cancel()
		}()
		_, err := s.Send(ctx, a)
		if d, ok := errors.AsType[*surface.DeliveryError](err); !ok || d.Class != c.class || len(s.Accepted(a.Target)) != c.took {
			t.Errorf("err = %v, %d arrived", err, len(s.Accepted(a.Target)))
		}
		if err := s.Await(ctx, 2); err == nil {
			t.Error("a second message was seen")
		}
	}
}

// TestTransportScriptSharesNothing changes what went in and what came out.
func TestTransportScriptSharesNothing(t *testing.T) {
	s := sdktest.NewTransportScript()
	r := to("a", 0)
	r.Chunk.Blocks = []doc.ID{"1"}
	r.Packet = json.RawMessage(`{"a":1}`)
	r.Actions = []surface.Action{{ID: "y", Data: json.RawMessage(`1`)}}
	r.ReplyTo = &surface.Ref{ID: "m0", Opaque: json.RawMessage(`1`)}
	r.Chunk.Native = &surface.Native{Kind: "k", JSON: json.RawMessage(`1`)}
	spoil := func(r *surface.SendRequest) {
		r.Chunk.Blocks[0], r.Packet[0], r.Actions[0].Data[0], r.ReplyTo.ID, r.ReplyTo.Opaque[0], r.Chunk.Native.JSON[0] = "x", 'x', 'x', "x", 'x', 'x'
	}
	if _, err := s.Send(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	spoil(&r)
	for range 2 {
		got := s.Sent()[0]
		if got.Chunk.Blocks[0] != "1" || got.Packet[0] != '{' || got.Actions[0].Data[0] != '1' || got.ReplyTo.ID != "m0" || got.ReplyTo.Opaque[0] != '1' || got.Chunk.Native.JSON[0] != '1' {
			t.Fatalf("got %+v", got)
		}
		spoil(&got)
		accepted := s.Accepted(r.Target)[0]
		spoil(&accepted)
	}
}
