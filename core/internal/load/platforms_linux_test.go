package load

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// platforms are the four fakes, each with its weather.
type platforms struct {
	telegram *fake.Telegram
	slack    *fake.Slack
	discord  *fake.Discord
	webhook  *fake.Webhook
	weather  map[string]*weather
}

// begin starts the platforms, which keep the rates that the real ones publish at a
// tempo: nothing here is taken from what vak keeps to.
func begin(t *testing.T, seed uint64, tempo outbox.Tempo) *platforms {
	scaled := func(messages int, per time.Duration) fake.Rate {
		return fake.Rate{Messages: messages, Per: per / time.Duration(max(tempo, 1))}
	}
	p := &platforms{
		telegram: fake.NewTelegram(fake.TelegramOptions{Rates: func(chat string) []fake.Rate {
			switch {
			case chat == "":
				return []fake.Rate{scaled(30, time.Second)}
			case chat[0] == '-':
				return []fake.Rate{scaled(1, time.Second), scaled(20, time.Minute)}
			}
			return []fake.Rate{scaled(1, time.Second)}
		}}),
		slack: fake.NewSlack(fake.SlackOptions{Rates: func(channel string) []fake.Rate {
			if channel == "" {
				return nil
			}
			return []fake.Rate{scaled(1, time.Second)}
		}}),
		discord: fake.NewDiscord(fake.DiscordOptions{Rates: func(channel string) []fake.Rate {
			if channel == "" {
				return []fake.Rate{scaled(50, time.Second)}
			}
			return []fake.Rate{scaled(5, 5*time.Second)}
		}}),
		webhook: fake.NewWebhook(fake.WebhookOptions{}),
	}
	p.weather = map[string]*weather{
		"telegram": newWeather("telegram", p.telegram.URL, seed), "slack": newWeather("slack", p.slack.URL, seed),
		"discord": newWeather("discord", p.discord.URL, seed), "webhook": newWeather("webhook", p.webhook.URL, seed),
	}
	t.Cleanup(func() {
		for _, w := range p.weather {
			w.close()
		}
		p.telegram.Close()
		p.slack.Close()
		p.discord.Close()
		p.webhook.Close()
	})
	return p
}

func (p *platforms) urls() map[string]string {
	out := map[string]string{}
	for name, w := range p.weather {
		out[name] = w.server.URL
	}
	return out
}

// overruns are requests that came faster than the platforms allow.
func (p *platforms) overruns() map[string]int {
	return map[string]int{"telegram": p.telegram.Overruns(), "slack": p.slack.Overruns(), "discord": p.discord.Overruns()}
}

// target is the n-th of the 25 targets of each platform, from 0.
func target(n int) string {
	switch i := n / 4; n % 4 {
	case 0:
		if i%2 == 0 {
			return fmt.Sprint("telegram:-100", 1_000_000+i)
		}
		return fmt.Sprint("telegram:", 1_000_000+i)
	case 1:
		return fmt.Sprintf("slack:C%03d", i)
	case 2:
		return fmt.Sprint("discord:", 100_000_000_000_000_000+i)
	default:
		return fmt.Sprintf("webhook:w%03d", i)
	}
}

// arrived is what each target has got, in order.
func (p *platforms) arrived() map[string][]string {
	out := map[string][]string{}
	add := func(target, text string) { out[target] = append(out[target], text) }
	for _, m := range p.telegram.Messages() {
		add("telegram:"+strconv.FormatInt(m.Chat, 10), m.Text)
	}
	for _, m := range p.slack.Messages() {
		add("slack:"+m.Channel, m.Text)
	}
	for _, m := range p.discord.Messages() {
		add("discord:"+m.Channel, m.Content)
	}
	for _, m := range p.webhook.Messages() {
		var packet struct {
			Target   string
			Delivery struct{ Chunks []struct{ Plain string } }
		}
		if m.Event == nil || json.Unmarshal(m.Event.Data, &packet) != nil {
			add("webhook", m.Body)
			continue
		}
		var text []string
		for _, c := range packet.Delivery.Chunks {
			text = append(text, c.Plain)
		}
		add(packet.Target, strings.Join(text, "\n"))
	}
	return out
}
