package fake

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestRates has each platform refuse what comes too fast, in any span, for a chat
// and for the bot, and say how long to wait.
func TestRates(t *testing.T) {
	at := time.Now()
	clock := func() time.Time { return at }
	rates := func(chat string) []Rate {
		if chat == "" {
			return []Rate{{3, time.Second}}
		}
		return []Rate{{2, 2 * time.Second}, {3, time.Minute}}
	}
	telegram := NewTelegram(TelegramOptions{Rates: rates, Now: clock})
	slack := NewSlack(SlackOptions{Rates: rates, Now: clock})
	discord := NewDiscord(DiscordOptions{Rates: rates, Now: clock})
	post := func(url, auth, body string) *http.Response {
		t.Helper()
		q, err := http.NewRequest("POST", url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Authorization", auth)
		q.Header.Set("User-Agent", "DiscordBot (test, 1)")
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r
	}
	for _, p := range []struct {
		name   string
		server *Server
		send   func(chat string) *http.Response
	}{
		{"telegram", telegram.Server, func(c string) *http.Response {
			return post(telegram.URL+"/bot"+TelegramToken+"/sendMessage", "", `{"chat_id":"`+c+`","text":"x"}`)
		}},
		{"slack", slack.Server, func(c string) *http.Response {
			return post(slack.API()+"/chat.postMessage", "Bearer "+SlackToken, `{"channel":"C`+c+`","text":"x"}`)
		}},
		{"discord", discord.Server, func(c string) *http.Response {
			return post(discord.API()+"/channels/10000000000000000"+c+"/messages", "Bot discord-token", `{"content":"x"}`)
		}},
	} {
		defer p.server.Close()
		refused := 0
		for i, c := range []struct {
			after time.Duration
			chat  string
			wait  string // empty: it is taken
			why   string
		}{
			{0, "11", "", "the first"},
			{time.Second, "11", "", "the second"},
			{0, "11", "1", "a third within two seconds of the first"},
			{999 * time.Millisecond, "11", "1", "nearly two seconds on"},
			{time.Millisecond, "11", "", "two seconds on"},
			{2 * time.Second, "11", "56", "a fourth within a minute"},
			{0, "12", "", "another chat"},
			{0, "12", "", "and again"},
			{0, "13", "", "a third of the bot"},
			{0, "14", "1", "a fourth of the bot"},
		} {
			at = at.Add(c.after)
			r := p.send(c.chat)
			if c.wait != "" {
				refused++
			}
			if got := r.Header.Get("Retry-After"); got != c.wait || (r.StatusCode == 429) != (c.wait != "") {
				t.Errorf("%s, %d, %s: %d, wait %q, want %q", p.name, i, c.why, r.StatusCode, got, c.wait)
			}
			if left := r.Header.Get("X-RateLimit-Remaining"); p.name == "discord" && i < 2 && left != []string{"1", "0"}[i] {
				t.Errorf("Discord takes %q more", left)
			}
			if global := r.Header.Get("X-RateLimit-Global") == "true"; p.name == "discord" && global != (i == 9) {
				t.Errorf("%s: global is %v", c.why, global)
			}
		}
		if n := p.server.Overruns(); n != refused {
			t.Errorf("%s: %d overruns, want %d", p.name, n, refused)
		}
		at = at.Add(time.Hour)
	}
}
