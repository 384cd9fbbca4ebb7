package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// tools returns node and the folder of its packages.
func tools(t *testing.T) (node, modules string) {
	t.Helper()
	node, err := Node()
	if err != nil {
		unavailable(t, err)
	}
	modules, err = Modules()
	if errors.Is(err, ErrUnavailable) {
		unavailable(t, err)
	} else if err != nil {
		t.Fatal(err)
	}
	return node, modules
}

// sender starts the built plugin of a surface in its transport role.
func sender(t *testing.T, on string, settings map[string]any) *sdktest.Sender {
	t.Helper()
	path := filepath.Join(build, "plugins", on, on)
	if _, err := os.Stat(path); err != nil {
		unavailable(t, fmt.Errorf("%w: run make build first", err))
	}
	b, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	return sdktest.SenderBinary(t, path, surface.Account{Settings: b})
}

// A chat is a platform on loopback, and an account that sends to it.
type chat struct {
	settings map[string]any
	platform *sdktest.Platform
	target   surface.Target
	thread   string
}

func chats(t *testing.T) map[string]chat {
	telegram, slack, discord := fake.NewTelegram(fake.TelegramOptions{}), fake.NewSlack(fake.SlackOptions{}), fake.NewDiscord(fake.DiscordOptions{})
	for _, p := range []*fake.Server{telegram.Server, slack.Server, discord.Server} {
		t.Cleanup(p.Close)
	}
	return map[string]chat{
		"telegram": {
			map[string]any{"token": fake.TelegramToken, "api": telegram.URL}, telegram.Server,
			surface.Target{Surface: "telegram", Address: "-1001234567890"}, "17",
		},
		"slack": {
			map[string]any{"token": fake.SlackToken, "api": slack.API()}, slack.Server,
			surface.Target{Surface: "slack", Address: "C0123456789"}, "1700000000.000100",
		},
		"discord": {
			map[string]any{"token": "discord-token", "api": discord.API()}, discord.Server,
			surface.Target{Surface: "discord", Address: "1100000000000000042"}, "1100000000000000077",
		},
	}
}

// longest is the length of a document, in bytes, from which it only takes time: what
// a part may be is judged elsewhere.
const longest = 20_000

// live has the built binaries render documents and send them, in every manner
// that a transport knows, and returns what each platform was asked.
func live(t *testing.T) []Sent {
	t.Helper()
	docs, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	var some []Document
	for i, d := range docs {
		if len(d.Markdown) <= longest && i%4 == 0 {
			some = append(some, d)
		}
	}
	docs = append(some, Generated(8)...)
	packets, _, err := Preview(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	var out []Sent
	for on, c := range chats(t) {
		s := sender(t, on, c.settings)
		for i, d := range docs {
			if p := packets[d.ID][on]; p != nil {
				conversation(t, s, c, p, i)
			}
		}
		all := sentTo(on, "live", c.platform.Requests())
		if len(all) < len(docs) {
			t.Fatalf("%s was asked %d times for %d documents", on, len(all), len(docs))
		}
		out = append(out, all...)
	}
	t.Logf("%d documents became %d requests", len(docs), len(out))
	return out
}

// conversation sends the chunks of a packet: in both forms, silently, in a thread
// and as a reply; the last message is changed and, now and then, taken back.
func conversation(t *testing.T, s *sdktest.Sender, c chat, p *packet.Packet, number int) {
	var last *surface.Ref
	for i, chunk := range p.Chunks {
		if i == 6 {
			return
		}
		r := surface.SendRequest{
			Key: fmt.Sprintf("k%d-%d", number, i), Job: "j", Part: i, Of: len(p.Chunks), Attempt: 1, Kind: surface.Assistant,
			Target: c.target, Chunk: surface.Chunk{Text: chunk.Text, Plain: chunk.Plain}, ReplyTo: last, Silent: i%2 == 1,
		}
		if number%3 == 1 {
			r.Target.Thread = c.thread
		}
		for _, r.Form = range []surface.Form{surface.FormText, surface.FormPlain} {
			r.Key = r.Key[:min(len(r.Key), 20)] + string(r.Form[:1])
			got, err := s.Send(t.Context(), r)
			if err != nil {
				t.Errorf("%s: part %d of document %d as %s: %v", c.target.Surface, i, number, r.Form, err)
				return
			}
			if len(got.Refs) > 0 {
				last = &got.Refs[0]
			}
			// Slack takes less in a change than in a message.
			if d := (*surface.DeliveryError)(nil); last != nil {
				if _, err := s.Edit(t.Context(), *last, r); errors.As(err, &d) && d.Class != surface.TooLong {
					t.Errorf("%s: a change: %v", c.target.Surface, err)
				}
			}
		}
		if number%5 == 0 && last != nil {
			if err := s.Delete(t.Context(), c.target, *last); err != nil {
				t.Errorf("%s: a deletion: %v", c.target.Surface, err)
			}
		}
	}
}

// TestPayloads judges every body of the golden files, and of the built binaries; and
// shows the judge bodies that are wrong.
func TestPayloads(t *testing.T) {
	node, modules := tools(t)
	all := live(t)
	for _, on := range surfaces {
		golden, err := Goldens(on)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, golden...)
	}
	all = slices.DeleteFunc(all, func(s Sent) bool { return s.Body == "" && s.Method == "DELETE" })
	judged := all
	for _, c := range complaints() { // in the same run, which is what takes time
		judged = append(judged, Sent{Surface: c.on, Method: c.method, Path: c.path, Body: c.body})
	}
	began := time.Now()
	faults, err := Payloads(node, modules, judged)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range complaints() {
		if said := strings.Join(faults[len(all)+i], "; "); (c.fault == "") != (said == "") || !strings.Contains(said, c.fault) {
			t.Errorf("the judge says of %s %s: %q, want %q", c.path, c.body, said, c.fault)
		}
	}
	kinds := map[string]int{}
	for i, s := range all {
		kinds[s.kind()]++
		if len(faults[i]) > 0 {
			t.Errorf("%s %s: %s", s.kind(), s.Name, strings.Join(faults[i], "; "))
		}
	}
	for _, kind := range []string{
		"telegram sendMessage", "telegram editMessageText", "telegram deleteMessage",
		"slack chat.postMessage", "slack chat.update", "slack chat.delete", "discord POST", "discord PATCH",
	} {
		if kinds[kind] < 3 {
			t.Errorf("%d bodies of %s were judged", kinds[kind], kind)
		}
	}
	t.Logf("%d bodies judged in %v: %v", len(all), time.Since(began).Round(time.Millisecond), kinds)
}

// A complaint is a body that the judge has to have something against, or nothing.
type complaint struct {
	on, method, path, body string
	fault                  string // part of what it says; empty: none
}

// complaints show the judge a fault of every kind that it is here for, beside the
// form that is right.
func complaints() []complaint {
	return []complaint{
		{"telegram", "POST", "/bot1:x/sendMessage", `{"chat_id":1,"text":"a","parse_mode":"HTML","link_preview_options":{"is_disabled":true}}`, ""},
		{"telegram", "POST", "/bot1:x/sendMessage", `{"chat_id":1,"text":"a","disable_web_page_preview":true}`, "does not exist"},
		{"telegram", "POST", "/bot1:x/sendMessage", `{"chat_id":1,"text":"a","parse_mode":"html"}`, "not assignable"},
		{"telegram", "POST", "/bot1:x/sendMessage", `{"chat_id":1}`, "missing"},
		{"telegram", "POST", "/bot1:x/sendMessage", `{"chat_id":1,"text":"a","reply_parameters":{"message":1}}`, "message"},
		{"telegram", "POST", "/bot1:x/sendMesage", `{"chat_id":1,"text":"a"}`, "does not exist"},
		{"telegram", "POST", "/bot1:x/editMessageText", `{"chat_id":1,"message_id":2,"text":"a","disable_notification":true}`, "disable_notification"},
		{"telegram", "POST", "/bot1:x/deleteMessage", `{"chat_id":1,"message_id":"2"}`, "not assignable"},
		{"slack", "POST", "/api/chat.postMessage", `{"channel":"C1","text":"a","unfurl_links":false}`, ""},
		{"slack", "POST", "/api/chat.postMessage", `{"channel":"C1","text":"a","unfurl":false}`, "unfurl"},
		{"slack", "POST", "/api/chat.postMessage", `{"text":"a"}`, "not assignable"},
		{"slack", "POST", "/api/chat.postMessage", `{"channel":"C1","text":"a","thread_ts":1}`, "not assignable"},
		{"slack", "POST", "/api/chat.update", `{"channel":"C1","ts":"1.2","text":"a","parse":"none"}`, ""},
		{"slack", "POST", "/api/chat.update", `{"channel":"C1","text":"a"}`, "ts"},
		{"slack", "POST", "/api/chat.delete", `{"channel":"C1"}`, "ts"},
		{"slack", "POST", "/api/chat.unknown", `{}`, "no type is known"},
		{"discord", "POST", "/x", `{"content":"a","nonce":"k","enforce_nonce":true,"allowed_mentions":{"parse":[]},"flags":4}`, ""},
		{"discord", "POST", "/x", `{"content":"a","allowed_mentions":{"parse":["user"]}}`, "not assignable"},
		{"discord", "POST", "/x", `{"content":"a","flags":"4"}`, "not assignable"},
		{"discord", "POST", "/x", `{"content":"a","flags":4100}`, ""},
		{"discord", "POST", "/x", `{"content":"a","flags":5000000}`, "not assignable"},
		{"discord", "POST", "/x", `{"content":"a","message_reference":{"channel_id":"1"}}`, "message_id"},
		{"discord", "POST", "/x", `{"content":"a","silent":true}`, "silent"},
		{"discord", "POST", "/x", `{"content":"a","allowed_mentions":{"parse":["users"]}}`, ""},
		{"discord", "PATCH", "/x", `{"content":"a","nonce":"k"}`, "nonce"},
	}
}

func TestParseSent(t *testing.T) {
	got, err := parseSent("POST /a\nK: v: w\n\n{\n  \"a\": \"POST /b\\n\"\n}\n\nDELETE /b\nK: v\n\nPOST /c\n\n[1]\n")
	if err != nil || len(got) != 3 || got[0].Header.Get("K") != "v: w" || got[0].Body != "{\n  \"a\": \"POST /b\\n\"\n}" || got[1].Method != "DELETE" || got[1].Body != "" || got[2].Body != "[1]" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, wrong := range []string{"nothing", "POST /a\nno header", "POST /a\n\n{"} {
		if got, err := parseSent(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, got)
		}
	}
}
