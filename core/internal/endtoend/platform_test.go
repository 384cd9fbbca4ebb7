package endtoend

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A platform is a fake with what the tests must know of it.
type platform struct {
	id    string
	url   string
	close func()

	chat     func(n int) string                                    // the n-th, as targets name it
	settings func(url string) map[string]any                       // of the account, where the platform is at url
	read     func(r *http.Request, body []byte) (seen, bool)       // what a request asks for
	refuse   func(status, code int, says string) fake.Answer       // a refusal in the platform's own form
	took     func() (texts map[string][]string, notified []string) // by chat
}

const signing = "whsec_ZW5kIHRvIGVuZCB0byBlbmQgdG8gZW5k"

// platforms makes one of them, by its id.
var platforms = map[string]func() *platform{
	"telegram": func() *platform {
		f := fake.NewTelegram(fake.TelegramOptions{})
		return &platform{
			id: "telegram", url: f.URL, close: f.Close,
			chat:     func(n int) string { return fmt.Sprint(-1_001_000_000_000 - n) },
			settings: func(url string) map[string]any { return map[string]any{"token": fake.TelegramToken, "api": url} },
			read: func(r *http.Request, body []byte) (seen, bool) {
				var m struct {
					Chat json.Number `json:"chat_id"`
					Text string      `json:"text"`
					Mode string      `json:"parse_mode"`
				}
				err := json.Unmarshal(body, &m)
				return seen{chat: m.Chat.String(), text: m.Text, form: form(m.Mode == "HTML")}, err == nil && strings.HasSuffix(r.URL.Path, "/sendMessage")
			},
			refuse: func(status, _ int, says string) fake.Answer { return fake.TelegramError(status, says, 0) },
			took: func() (map[string][]string, []string) {
				texts, notified := map[string][]string{}, []string(nil)
				for _, m := range f.Messages() {
					chat := fmt.Sprint(m.Chat)
					texts[chat] = append(texts[chat], m.Text)
					notified = append(notified, m.Notified...)
				}
				return texts, notified
			},
		}
	},
	"slack": func() *platform {
		f := fake.NewSlack(fake.SlackOptions{})
		return &platform{
			id: "slack", url: f.URL, close: f.Close,
			chat: func(n int) string { return fmt.Sprintf("C%09d", n) },
			settings: func(url string) map[string]any {
				return map[string]any{"token": fake.SlackToken, "api": url + "/api"}
			},
			read: func(r *http.Request, body []byte) (seen, bool) {
				var m struct {
					Channel, Text string
					Mrkdwn        bool
				}
				err := json.Unmarshal(body, &m)
				return seen{chat: m.Channel, text: m.Text, form: form(m.Mrkdwn)}, err == nil && r.URL.Path == "/api/chat.postMessage"
			},
			refuse: func(status, _ int, says string) fake.Answer {
				if says == "" {
					return fake.Answer{Status: status, Body: "<html>an answer that is a page"}
				}
				a := fake.SlackError(says)
				a.Status = status
				return a
			},
			took: func() (map[string][]string, []string) {
				texts, notified := map[string][]string{}, []string(nil)
				for _, m := range f.Messages() {
					texts[m.Channel] = append(texts[m.Channel], m.Text)
					notified = append(notified, m.Notified...)
				}
				return texts, notified
			},
		}
	},
	"discord": func() *platform {
		f := fake.NewDiscord(fake.DiscordOptions{})
		channel := regexp.MustCompile(`^/api/v10/channels/([0-9]+)/messages$`)
		return &platform{
			id: "discord", url: f.URL, close: f.Close,
			chat: func(n int) string { return fmt.Sprint(1_000_000_000_000_000_000 + n) },
			settings: func(url string) map[string]any {
				return map[string]any{"token": "discord-token", "api": url + "/api/v10"}
			},
			read: func(r *http.Request, body []byte) (seen, bool) {
				var m struct{ Content, Nonce string }
				err := json.Unmarshal(body, &m)
				path := channel.FindStringSubmatch(r.URL.Path)
				if path == nil || err != nil {
					return seen{}, false
				}
				return seen{chat: path[1], text: m.Content, key: m.Nonce, form: form(strings.Contains(m.Content, "**"))}, true
			},
			refuse: func(status, code int, says string) fake.Answer {
				if says == "" && code == 0 {
					return fake.Answer{Status: status, Body: "<html>an answer that is a page"}
				}
				return fake.DiscordError(status, code, says)
			},
			took: func() (map[string][]string, []string) {
				texts, notified := map[string][]string{}, []string(nil)
				for _, m := range f.Messages() {
					texts[m.Channel] = append(texts[m.Channel], m.Content)
					notified = append(notified, m.Notified...)
				}
				return texts, notified
			},
		}
	},
	"webhook": func() *platform {
		f := fake.NewWebhook(fake.WebhookOptions{Secret: signing})
		read := func(body string) (chat, text string, ok bool) {
			var m struct {
				Data struct {
					Target   string
					Delivery struct{ Chunks []struct{ Text string } }
				}
			}
			if json.Unmarshal([]byte(body), &m) != nil {
				return "", "", false
			}
			for _, c := range m.Data.Delivery.Chunks {
				text += c.Text
			}
			chat, ok = strings.CutPrefix(m.Data.Target, "webhook:")
			chat, _, _ = strings.Cut(chat, ":")
			return chat, text, ok
		}
		return &platform{
			id: "webhook", url: f.URL, close: f.Close,
			chat: func(n int) string { return fmt.Sprintf("row-%d", n) },
			settings: func(url string) map[string]any {
				return map[string]any{"url": url + "/hook", "secret": signing, "allow": []string{"127.0.0.1"}}
			},
			read: func(r *http.Request, body []byte) (seen, bool) {
				chat, text, ok := read(string(body))
				return seen{chat: chat, text: text, form: "packet", key: r.Header.Get("Webhook-Id")}, ok && r.URL.Path == "/hook"
			},
			refuse: func(status, _ int, _ string) fake.Answer {
				return fake.Answer{Status: status, Body: "<html>an answer that is a page"}
			},
			took: func() (map[string][]string, []string) {
				texts := map[string][]string{}
				for _, m := range f.Messages() {
					chat, text, _ := read(m.Body)
					texts[chat] = append(texts[chat], text)
				}
				return texts, nil
			},
		}
	},
}

func form(text bool) string {
	if text {
		return "text"
	}
	return "plain"
}
