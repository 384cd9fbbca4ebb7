package sdktest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// complaints is a test that only writes down what it says.
type complaints struct {
	testing.TB
	said []string
	end  []func()
}

func (c *complaints) Helper()                   {}
func (c *complaints) Failed() bool              { return len(c.said) > 0 }
func (c *complaints) Cleanup(f func())          { c.end = append(c.end, f) }
func (c *complaints) Logf(string, ...any)       {}
func (c *complaints) Error(args ...any)         { c.said = append(c.said, fmt.Sprint(args...)) }
func (c *complaints) Errorf(f string, a ...any) { c.said = append(c.said, fmt.Sprintf(f, a...)) }
func (c *complaints) Fatalf(f string, a ...any) { c.Errorf(f, a...); panic(c) }

// about runs f, and returns what it complained of.
func about(t *testing.T, f func(testing.TB)) string {
	c := &complaints{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != any(c) {
				panic(v)
			}
		}()
		f(c)
	}()
	for _, end := range c.end {
		end()
	}
	return strings.Join(c.said, "\n")
}

// careless is a transport that does everything as wrong as its field says.
type careless struct {
	url   string
	wrong string
	do    http.Client
}

func (c *careless) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	post := func() (*http.Response, error) {
		text := r.Chunk.Plain
		if c.wrong == "marks up" {
			text = r.Chunk.Text
		}
		q, err := http.NewRequestWithContext(ctx, "POST", c.url, strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		return c.do.Do(q)
	}
	refuse := func(class surface.Class, code string) (surface.Receipt, error) {
		return surface.Receipt{}, &surface.DeliveryError{Class: class, Code: code}
	}
	a, err := post()
	if err != nil && c.wrong == "twice" {
		a, err = post()
	}
	if err != nil {
		switch {
		case c.wrong == "not sure":
			return refuse(surface.Transient, "broken")
		case c.wrong == "tells":
			return surface.Receipt{}, &surface.DeliveryError{Class: surface.Unknown, Hint: "no answer from " + c.url}
		}
		return refuse(surface.Unknown, "broken")
	}
	defer a.Body.Close()
	body, err := io.ReadAll(io.LimitReader(a.Body, 1<<20))
	switch {
	case err != nil:
		return refuse(surface.Unknown, "broken")
	case a.StatusCode == 200 && string(body) != "41" && c.wrong == "reads badly":
		return refuse(surface.Transient, "answer")
	case a.StatusCode == 200:
		return surface.Receipt{Refs: []surface.Ref{{ID: "41"}}}, nil
	case a.StatusCode == 403 && c.wrong == "quotes":
		return refuse(surface.Permanent, strings.TrimPrefix(string(body), "<html>"))
	case a.StatusCode == 429:
		return refuse(surface.RateLimited, "429") // without the time
	case a.StatusCode == 503:
		return refuse(surface.Transient, "503")
	}
	return refuse(surface.Permanent, "refused")
}

func carelessPlugin(wrong string) surface.Plugin {
	return surface.Plugin{
		Info: info(), Renderer: layout.Renderer(dialect.PlainText),
		NewTransport: func(_ context.Context, a surface.Account) (surface.Transport, error) {
			c := &careless{wrong: wrong}
			var s struct{ URL string }
			if err := json.Unmarshal(a.Settings, &s); err != nil {
				return nil, err
			}
			if c.url = s.URL; wrong != "redirects" {
				c.do.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			}
			return c, nil
		},
	}
}

// TestTransportConformanceFinds has the rules broken one by one.
func TestTransportConformanceFinds(t *testing.T) {
	for wrong, says := range map[string][]string{
		"": {
			"429: rate_limited (429) after 0s", "503: transient (503) after 0s", // the time is not looked at
			"nobody listens: unknown (broken)",
		},
		"twice":       {"cut before it was taken: it counts as sent", "cut after it was taken: 2 requests, want 1"},
		"not sure":    {"no answer in time: transient (broken)"},
		"tells":       {"an error tells a setting"},
		"redirects":   {"a redirect: it counts as sent", "a redirect: 2 requests, want 1"},
		"reads badly": {"success that is a page: transient (answer)", "success that is nothing: transient (answer)"},
		"quotes":      {"an error tells a setting"},
		"marks up":    {"the plain form: the request does not hold it"},
	} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			p := NewPlatform(t, Answer{Body: "41"})
			said := about(t, func(t testing.TB) {
				s := Send(t, carelessPlugin(wrong), surface.Account{Settings: json.RawMessage(`{"url":"` + p.URL + `"}`)})
				TransportConformance(t, s, p, surface.SendRequest{Target: surface.Target{Surface: "good", Address: "a"}, Chunk: surface.Chunk{Text: "t", Plain: "t"}})
			})
			for _, s := range says {
				if !strings.Contains(said, s) {
					t.Errorf("it says\n%s\nwant %q", said, s)
				}
			}
		})
	}
}

// TestSenderChecks has what every other check of a Sender is for.
func TestSenderChecks(t *testing.T) {
	p := NewPlatform(t, Answer{Body: "41"})
	a := surface.Account{Settings: json.RawMessage(`{"url":"` + p.URL + `"}`)}
	r := surface.SendRequest{Target: surface.Target{Surface: "good", Address: "a"}, Chunk: surface.Chunk{Text: "t", Plain: "t"}}
	said := about(t, func(t testing.TB) {
		s := Send(t, carelessPlugin(""), a, "planted")
		s.Replies(t, p, r, []Reply{
			{Class: surface.Permanent, Code: "refused", Why: "no refusal"},
			{Answers: []Answer{{Status: 404}}, Why: "no success"},
			{Answers: []Answer{{Status: 404}}, Class: surface.Permanent, Code: "404", Why: "another code"},
			{Answers: []Answer{{Status: 404}}, Class: surface.Permanent, Code: "refused", Hint: "x", Why: "another hint"},
			{Answers: []Answer{{Status: 404}}, Class: surface.Permanent, Code: "refused", Requests: 2, Why: "too few"},
		})
		Accounts(t, carelessPlugin(""), []AccountCase{{Settings: `{}`, Code: "url", Why: "taken"}, {Settings: `{`, Why: "refused"}})
		record := NewRecord(t, s, p)
		record.Step("nothing", nil)
		s.log.Write([]byte("a line with planted in it"))
	})
	for _, want := range []string{
		"no refusal: <nil>", "no success: permanent", "another code: permanent (refused), want permanent (404)", "another hint: hint", "too few: 1 requests, want 2",
		"taken: <nil>, want permanent (url)", "refused: unexpected end", "nothing: no request was made", "the log tells a setting",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it says\n%s\nwant %q", said, want)
		}
	}
}

func TestEveryRow(t *testing.T) {
	type row struct{ code, hint string }
	table := []row{{"gone", "a"}, {"slow", "b"}, {"lost", "c"}}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(file, []byte(`[{"code":"slow","outcome":"waits"},{"code":"new"},{"code":"gone"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	leads := func(c struct{ Code string }) row {
		for _, r := range table {
			if r.code == c.Code {
				return r
			}
		}
		return row{}
	}
	said := about(t, func(t testing.TB) { EveryRow(t, file, table, leads) })
	if want := "no case of " + file + " leads to {code:lost hint:c}"; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	if said := about(t, func(t testing.TB) { EveryRow(t, file, table[:2], leads) }); said != "" {
		t.Errorf("of a table that is tried it says %q", said)
	}
}

// TestSenderBinary sends, changes and deletes by a process.
func TestSenderBinary(t *testing.T) {
	path := Build(t, "testdata/poster")
	p := NewPlatform(t, Answer{Body: "fine"})
	s := SenderBinary(t, path, surface.Account{Settings: json.RawMessage(`{"url":"` + p.URL + `","token":"planted"}`)})
	to := surface.Target{Surface: "poster", Address: "a"}
	ref := surface.Ref{ID: "9"}
	for why, do := range map[string]func() error{
		"POST /a": func() error {
			_, err := s.Send(t.Context(), surface.SendRequest{Target: to, Chunk: surface.Chunk{Text: "t", Plain: "t"}})
			return err
		},
		"PATCH /a/9": func() error {
			_, err := s.Edit(t.Context(), ref, surface.SendRequest{Target: to, Chunk: surface.Chunk{Text: "t", Plain: "t"}})
			return err
		},
		"DELETE /a/9": func() error { return s.Delete(t.Context(), to, ref) },
	} {
		err := do()
		all := p.Requests()
		if err != nil || len(all) == 0 || all[len(all)-1].Method+" "+all[len(all)-1].Path != why {
			t.Errorf("%s: %v, %+v", why, err, all)
		}
	}
	if err := s.Configure(t.Context(), surface.Account{Settings: json.RawMessage(`{}`)}); err == nil {
		t.Error("an account without an address is taken")
	}
	said := about(t, func(t testing.TB) {
		s := SenderBinary(t, path, surface.Account{Settings: json.RawMessage(`{"url":"` + p.URL + `","token":"planted","talks":true}`)})
		if _, err := s.Send(context.Background(), surface.SendRequest{Target: to, Chunk: surface.Chunk{Text: "t", Plain: "t"}}); err != nil {
			t.Errorf("%v", err)
		}
	})
	if said != "sdktest: the log tells a setting" {
		t.Errorf("of a process that writes its token to standard error it is said: %s", said)
	}
}
