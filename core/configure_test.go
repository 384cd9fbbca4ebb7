package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A mailbox is a surface with accounts. It keeps what it is configured with and
// what it is given.
func mailbox(configured chan<- string, sent chan<- surface.SendRequest) surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID: "mail", Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(), Transport: true,
			Account: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["token"],"properties":{
				"token":{"type":"string","writeOnly":true,"pattern":"^t-"},"size":{"type":"integer","maximum":9}}}`),
			Address:  json.RawMessage(`{"type":"string","pattern":"^[a-z]+$"}`),
			Profiles: []surface.Profile{{Surface: "mail", Dialect: "plain", Limit: surface.Limit{Max: 1000}, Can: surface.Capabilities{AccessiblePlain: true}}},
		},
		Renderer: layout.Renderer(dialect.PlainText),
		NewTransport: func(_ context.Context, a surface.Account) (surface.Transport, error) {
			configured <- a.Name + " " + string(a.Settings)
			return posts{sent}, nil
		},
	}
}

type posts struct{ sent chan<- surface.SendRequest }

func (p posts) Send(_ context.Context, r surface.SendRequest) (surface.Receipt, error) {
	p.sent <- r
	return surface.Receipt{Refs: []surface.Ref{{ID: "m"}}}, nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestConfiguration delivers by the name of a target, with the account that its
// address names and the secret that is referred to, and takes over a file that
// changes.
func TestConfiguration(t *testing.T) {
	home := t.TempDir()
	secret := filepath.Join(t.TempDir(), "token")
	write(t, secret, "t-one\n")
	file := filepath.Join(home, "vak.toml")
	write(t, file, `[surfaces.mail]
max = 100
[surfaces.mail.accounts.work]
token = "file:`+secret+`"
[targets.ops]
to = "mail:box:work"
urgency = "ambient"
mentions = "live"
`)
	configured, sent := make(chan string, 9), make(chan surface.SendRequest, 9)
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, InProcess: []surface.Plugin{mailbox(configured, sent)}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s, err := c.Surface("mail"); err != nil || s.Profile.Limit.Max != 100 {
		t.Errorf("profile %+v, %v", s.Profile, err)
	}
	deliver := func(to string) surface.SendRequest {
		t.Helper()
		if _, err := c.Deliver(t.Context(), core.Draft{Markdown: "hello"}, core.Delivery{Target: to}); err != nil {
			t.Fatal(err)
		}
		select {
		case r := <-sent:
			return r
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was sent")
		}
		return surface.SendRequest{}
	}
	if r := deliver("ops"); r.Target.Address != "box" || r.Target.Account != "work" || !r.Silent || r.Mentions != surface.LiveMentions {
		t.Errorf("sent %+v", r)
	}
	if got := <-configured; got != `work {"token":"t-one"}` {
		t.Errorf("configured %s", got)
	}
	write(t, secret, "t-two\n")
	deliver("mail:box:work")
	if got := <-configured; got != `work {"token":"t-two"}` {
		t.Errorf("a new secret: configured %s", got)
	}
	if _, err := c.Deliver(t.Context(), core.Draft{Markdown: "a"}, core.Delivery{Target: "nobody"}); !errors.Is(err, core.ErrTarget) || !strings.Contains(err.Error(), "ops") {
		t.Errorf("a name that there is not: %v", err)
	}

	write(t, file, "[surfaces.mail]\nmax = 1\n") // a fault: what was goes on
	write(t, file, `[surfaces.mail.account]
token = "file:`+secret+`"
[targets.later]
to = "mail:other"
`)
	for range 100 {
		if targets := c.Configuration(t.Context()).Targets; len(targets) == 1 && targets[0].Name == "later" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if r := deliver("later"); r.Target.Address != "other" || r.Silent || r.Mentions != "" {
		t.Errorf("after the change: %+v", r)
	}
	if got := <-configured; got != ` {"token":"t-two"}` {
		t.Errorf("after the change: configured %s", got)
	}
}

func TestConfigurationProblems(t *testing.T) {
	for _, k := range []struct{ text, want, why string }{
		{"[surfaces.mail]\nmax = 3\n", "vak.toml:2: /surfaces/mail/max: it cannot be set so; use 0 (no limit) or 64 to 100000", "a value out of bounds"},
		{"[surfaces.mail]\nmaks = 300\n", "vak.toml:2: /surfaces/mail/maks: there is no such key; use account, accounts, grid, json_appendix, links, max, max_bytes, max_chars, max_entities, mentions, of, tables, template, unit", "a setting misspelt"},
		{"[surfaces.mail.account]\ntoken = \"t-planted\"\n", "vak.toml:2: /surfaces/mail/account/token: a secret is not written here; write it as env:NAME or file:PATH", "a secret in the file"},
		{"[surfaces.mail.account]\ntoken = \"env:X\"\nsize = 10\n", "vak.toml:3: /surfaces/mail/account/size: must be <= 9; ", "a number out of bounds"},
		{"[surfaces.mail.account]\ntoken = \"env:X\"\nsise = 1\n", "vak.toml:1: /surfaces/mail/account: additionalProperties", "a key misspelt"},
		{"[surfaces.mail.account]\nsize = 1\n", "missing properties", "no token"},
		{"[surfaces.log.account]\na = 1\n", "takes no account", "an account of a surface that has none"},
		{"[targets.a]\nto = \"mail:box\"\nmax_part = 3\n", "vak.toml:3: /targets/a/max_part: there is no such key; use cadence, digest, grid, json_appendix, links, max, max_bytes, max_entities, max_parts, mentions, of, quiet, tables, template, timezone, to, unit, unknown, urgency", "a target's key misspelt"},
		{"[targets.a]\nto = \"mail:box\"\nmax = 3\n", "vak.toml:3: /targets/a/max: it cannot be set so; use 0 (no limit) or 64 to 100000", "a target's setting out of bounds"},
		{"[targets.a]\nto = \"mail:BOX\"\n", "vak.toml:2: /targets/a/to:", "an address that there is not"},
		{"[targets.a]\nto = \"mail\"\n", "vak.toml:2: /targets/a/to: a target is surface:address", "no address"},
	} {
		home := t.TempDir()
		write(t, filepath.Join(home, "vak.toml"), k.text)
		c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, InProcess: []surface.Plugin{mailbox(nil, nil)}})
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, core.ErrConfig) || !strings.Contains(err.Error(), k.want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v\nwant %s", k.why, err, k.want)
		}
	}
	home := t.TempDir()
	write(t, filepath.Join(home, "vak.toml"), "[surfaces.fax]\nmax = 100\n[surfaces.mail.account]\ntoken = \"env:VAK_TEST_NOT_THERE\"\n")
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, InProcess: []surface.Plugin{mailbox(nil, nil)}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got := c.Configuration(t.Context())
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "fax") || len(got.Accounts) != 1 || got.Accounts[0].Missing != "the environment has no VAK_TEST_NOT_THERE" {
		t.Errorf("%+v", got)
	}
	if _, err := core.Open(t.Context(), core.Config{Home: t.TempDir(), File: filepath.Join(home, "none.toml"), NoControl: true}); !errors.Is(err, core.ErrConfig) {
		t.Errorf("a file that is not there: %v", err)
	}
}
