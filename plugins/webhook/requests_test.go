package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestGoldenRequests shows what goes out in every mode, at one time, for a person
// to read.
func TestGoldenRequests(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := newWebhook(t, fake.WebhookOptions{Now: func() time.Time { return at }})
	p := plugin()
	p.NewTransport = func(ctx context.Context, a surface.Account) (surface.Transport, error) {
		made, err := open(ctx, a)
		if err == nil {
			made.(*transport).now = func() time.Time { return at }
		}
		return made, err
	}
	s := sdktest.Send(t, p, account(w.URL+"/hook", nil))
	record := sdktest.NewRecord(t, s, w.Server)
	for i, more := range []map[string]any{
		{"mode": structured},
		{"mode": binary, "secret": []string{secret, another}},
		{"mode": plain, "secret": nil, "headers": map[string]string{"Authorization": "Bearer x"}},
	} {
		if err := s.Configure(t.Context(), account(w.URL+"/hook", more)); err != nil {
			t.Fatal(err)
		}
		_, err := s.Send(t.Context(), with(func(r *surface.SendRequest) {
			r.Packet = json.RawMessage(strings.ReplaceAll(packet, "notices/1:0", fmt.Sprintf("notices/1.%d:0", i)))
		}))
		record.Step(fmt.Sprint(more["mode"]), err)
	}
	record.Golden("testdata/transport/requests.txtar", "Every kind of request that the transport makes.")
}

// TestBinary posts by the built binary, through the real handshake, to a receiver
// that wants a signature. What is posted stays, so it neither edits nor deletes.
func TestBinary(t *testing.T) {
	w := newWebhook(t, fake.WebhookOptions{Secret: secret})
	s := sdktest.SenderBinary(t, sdktest.Build(t, "."), account(w.URL+"/hook", nil))
	got, err := s.Send(t.Context(), part())
	if err != nil || len(got.Refs) != 1 || len(w.Messages()) != 1 || !w.Messages()[0].Trusted {
		t.Fatalf("%+v, %v: %+v", got, err, w.Messages())
	}
	_, err = s.Edit(t.Context(), got.Refs[0], part())
	sdktest.Refused(t, "an edit", err, surface.Permanent, hostapi.CodeUnimplemented)
	sdktest.Refused(t, "a deletion", s.Delete(t.Context(), part().Target, got.Refs[0]), surface.Permanent, hostapi.CodeUnimplemented)
}
