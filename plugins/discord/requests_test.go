package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestGoldenRequests shows what goes out, for a person to read. The built binary
// asks the same as the transport in this process.
func TestGoldenRequests(t *testing.T) {
<<<<<<< ours
	sdktest.EachWay(t, plugin(), ".", func(t *testing.T, send func(surface.Account) *sdktest.Sender) {
		d := newDiscord(t, fake.DiscordOptions{})
		s, live := send(account(d.API(), nil)), send(account(d.API(), map[string]string{"mentions": "live"}))
		record := sdktest.NewRecord(t, s, d.Server)
		first, err := s.Send(t.Context(), part("# News\n**bold** & <https://example.org/a?b=c&d>"))
		record.Step("a message", err)
		_, err = s.Send(t.Context(), with(part("a reply"), func(r *surface.SendRequest) {
			r.Key, r.Silent, r.ReplyTo = "k2", true, &first.Refs[0]
		}))
		record.Step("silently, in reply", err)
		_, err = s.Send(t.Context(), with(part("in a thread"), func(r *surface.SendRequest) { r.Key, r.Target.Thread = "k3", thread }))
		record.Step("in a thread", err)
		_, err = s.Send(t.Context(), with(part("<b>"), func(r *surface.SendRequest) {
			r.Key, r.Form, r.Chunk.Plain = "k4", surface.FormPlain, "@everyone: *not bold* (https://example.org/a_b)"
		}))
		record.Step("plain", err)
		_, err = live.Send(t.Context(), with(part("<@1> look"), func(r *surface.SendRequest) { r.Key = "k5" }))
		record.Step("with mentions of users live", err)
		_, err = s.Edit(t.Context(), first.Refs[0], part("changed"))
		record.Step("a change", err)
		record.Step("a deletion", s.Delete(t.Context(), part("").Target, first.Refs[0]))
		record.Golden("testdata/transport/requests.txtar", "Every kind of request that the transport makes.")
	})
=======
	d := newDiscord(t, fake.DiscordOptions{})
	b := newBot(t, d.API(), nil)
	var first surface.Receipt
	cases := []struct {
		name string
		do   func() error
	}{
		{"a message", func() (err error) {
			first, err = b.Send(t.Context(), part("# News\n**bold** & <https://example.org/a?b=c&d>"))
			return err
		}},
		{"silently, in reply", func() error {
			_, err := b.Send(t.Context(), with(part("a reply"), func(r *surface.SendRequest) {
				r.Key, r.Silent, r.ReplyTo = "k2", true, &first.Refs[0]
			}))
			return err
		}},
		{"in a thread", func() error {
			_, err := b.Send(t.Context(), with(part("in a thread"), func(r *surface.SendRequest) { r.Key, r.Target.Thread = "k3", thread }))
			return err
		}},
		{"plain", func() error {
			_, err := b.Send(t.Context(), with(part("<b>"), func(r *surface.SendRequest) {
				r.Key, r.Form, r.Chunk.Plain = "k4", surface.FormPlain, "@everyone: *not bold* (https://example.org/a_b)"
			}))
			return err
		}},
		{"with mentions of users live", func() error {
			_, err := b.Send(t.Context(), with(part("<@1> look"), func(r *surface.SendRequest) { r.Key, r.Mentions = "k5", surface.LiveMentions }))
			return err
		}},
		{"a change", func() error {
			_, err := b.Edit(t.Context(), first.Refs[0], part("changed"))
			return err
		}},
		{"a deletion", func() error { return b.Delete(t.Context(), part("").Target, first.Refs[0]) }},
	}
	out := &txtar.Archive{Comment: []byte("What is asked of Discord. \"go test -update\" writes this file; read it before you commit it.\n")}
	for i, k := range cases {
		if err := k.do(); err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		q := d.Requests()[i]
		out.Files = append(out.Files, txtar.File{Name: k.name, Data: []byte(shown(t, q))})
	}
	file := filepath.Join("testdata", "transport", "requests.txtar")
	got := txtar.Format(out)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it):\n%s", file, got)
	}
}

// shown is a request for people, without what differs from run to run. Its body
// is held to the members that Discord's API has.
func shown(t *testing.T, q fake.Request) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", q.Method, q.Path)
	for _, k := range []string{"Authorization", "Content-Type", "User-Agent"} {
		if v := q.Header.Get(k); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", k, strings.ReplaceAll(v, token, "TOKEN"))
		}
	}
	if q.Body == "" {
		return b.String()
	}
	allowed := []string{"content", "nonce", "enforce_nonce", "allowed_mentions", "flags", "message_reference"}
	if q.Method == "PATCH" {
		allowed = []string{"content", "allowed_mentions", "flags"}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(q.Body), &members); err != nil {
		t.Fatal(err)
	}
	for k := range members {
		if !slices.Contains(allowed, k) {
			t.Errorf("%s has no %s", q.Method, k)
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(q.Body), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n" + pretty.String() + "\n"
>>>>>>> theirs
}
