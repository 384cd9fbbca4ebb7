package sdktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What an account is set to, and what pagers are called by. A setting that is
// writeOnly is a secret, which vak takes as a reference alone.
const (
	accountSchema = `{
  "type": "object", "additionalProperties": false, "required": ["token"],
  "properties": {"token": {"type": "string", "writeOnly": true}, "api": {"type": "string", "format": "uri"}}
}`
	addressSchema = `{"type": "string", "pattern": "^[0-9]{1,15}$"}`
)

// A pager posts a text to an address with a token. The platform answers with the
// page's number.
type pager struct {
	base, token string
	client      *send.Client
}

func openPager(_ context.Context, a surface.Account) (surface.Transport, error) {
	var s struct{ Token, API string }
	if send.Settings(a.Settings, &s) != nil || s.Token == "" {
		return nil, &surface.DeliveryError{Class: surface.Permanent, Code: "token", Hint: "give the account a token, and an api if need be"}
	}
	base, ok := send.Base(s.API, "https://pager.example/api", send.Loopback)
	if !ok {
		return nil, &surface.DeliveryError{Class: surface.Permanent, Code: "api", Hint: "api is an https address, or an http one on loopback"}
	}
	return &pager{base, s.Token, send.New(send.Config{})}, nil
}

// Send posts the plain text: a pager shows no other, whatever the form.
func (p *pager) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	a, err := p.client.Do(ctx, send.Request{
		URL: p.base + "/pages/" + url.PathEscape(r.Target.Address), Body: []byte(r.Chunk.Plain),
		Header: http.Header{"Authorization": {"Bearer " + p.token}, "Content-Type": {"text/plain"}},
	})
	if err != nil {
		return surface.Receipt{}, err
	}
	e := &surface.DeliveryError{Code: strconv.Itoa(a.Status), RetryAfter: send.RetryAfter(a.Header, time.Now())}
	switch number, err := strconv.Atoi(string(a.Body)); {
	case a.Status == http.StatusOK && err == nil:
		return surface.Receipt{Refs: []surface.Ref{{ID: strconv.Itoa(number)}}}, nil
	case a.Status == http.StatusOK:
		e.Class = surface.Unknown
	case a.Status == http.StatusTooManyRequests:
		e.Class = surface.RateLimited
	case a.Status >= 500:
		e.Class = surface.Transient
	default:
		e.Class = surface.Permanent
	}
	return surface.Receipt{}, e
}

// plugin is the surface of a pager.
func plugin() surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID: "pager", Version: "0.1.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(),
			Profiles: []surface.Profile{{Surface: "pager", Dialect: "plain", Limit: surface.Limit{Max: 160}}},
			Account:  json.RawMessage(accountSchema), Address: json.RawMessage(addressSchema),
		},
		Renderer: layout.Renderer(dialect.PlainText), NewTransport: openPager,
	}
}

// page is a message for the pager with the number 7.
func page(text string) surface.SendRequest {
	return surface.SendRequest{
		Key: "k1", Job: "j", Of: 1, Attempt: 1, Kind: surface.Alert, Form: surface.FormText,
		Target: surface.Target{Surface: "pager", Address: "7"}, Chunk: surface.Chunk{Text: text, Plain: text},
	}
}

func account(p *sdktest.Platform) surface.Account {
	return surface.Account{Settings: json.RawMessage(`{"token":"secret-token","api":"` + p.URL + `"}`)}
}

func TestTransport(t *testing.T) {
	platform := sdktest.NewPlatform(t, sdktest.Answer{Body: "41"})
	s := sdktest.Send(t, plugin(), account(platform))
	s.Replies(t, platform, page("hello"), []sdktest.Reply{
		{Answers: []sdktest.Answer{{Status: 404, Body: "no such pager"}}, Class: surface.Permanent, Code: "404", Why: "a number that is not in use"},
	})
	record := sdktest.NewRecord(t, s, platform)
	_, err := s.Send(t.Context(), page("hello"))
	record.Step("a page", err)
	record.Golden("testdata/transport/requests.txtar", "What is asked of the pager's platform.")
	sdktest.TransportConformance(t, s, platform, page("hello"))
}

func TestAccounts(t *testing.T) {
	sdktest.Accounts(t, plugin(), []sdktest.AccountCase{
		{Settings: `{"token":"secret-token"}`, Why: "a token is enough"},
		{Settings: `{}`, Code: "token", Why: "no token"},
		{Settings: `{"token":"secret-token","api":"http://pager.example"}`, Code: "api", Why: "the token in the clear"},
	})
}

// A Sender sends as a host does. In a test function, Send takes the place of
// NewSender.
func ExampleNewSender() {
	platform := fake.Serve(func(fake.Request) fake.Answer { return fake.Answer{Body: "41"} })
	defer platform.Close()
	platform.Next(fake.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"3"}}})

	s, err := sdktest.NewSender(plugin(), account(platform))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		receipt, err := s.Send(context.Background(), page("hello"))
		if e, ok := errors.AsType[*surface.DeliveryError](err); ok {
			fmt.Println(e.Class, e.Code, "after", e.RetryAfter)
			continue
		}
		fmt.Println("sent as", receipt.Refs[0].ID)
	}
	for _, q := range platform.Requests() {
		fmt.Println(q.Method, q.Path, strings.ToUpper(q.Body))
	}
	// Output:
	// rate_limited 429 after 3s
	// sent as 41
	// POST /pages/7 HELLO
	// POST /pages/7 HELLO
}
