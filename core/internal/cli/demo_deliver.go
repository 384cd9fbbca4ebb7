package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A stage is the platforms of the demo: fakes on loopback that behave as the real
// ones do.
type stage struct {
	telegram *fake.Telegram
	slack    *fake.Slack
	discord  *fake.Discord
	webhook  *fake.Webhook
	home     string
}

// demoSecret signs the demo's webhook.
const demoSecret = "whsec_ZGVtbyBkZW1vIGRlbW8gZGVtbyBkZW1v"

func newStage(home string) *stage {
	return &stage{
		telegram: fake.NewTelegram(fake.TelegramOptions{}), slack: fake.NewSlack(fake.SlackOptions{}),
		discord: fake.NewDiscord(fake.DiscordOptions{Token: "demo"}), webhook: fake.NewWebhook(fake.WebhookOptions{Secret: demoSecret}),
		home: home,
	}
}

func (s *stage) close() {
	s.telegram.Close()
	s.slack.Close()
	s.discord.Close()
	s.webhook.Close()
}

func (s *stage) accounts() []core.Account {
	settings := func(v map[string]any) json.RawMessage {
		b, _ := json.Marshal(v) // of strings there is no error
		return b
	}
	return []core.Account{
		{Surface: "telegram", Settings: settings(map[string]any{"token": fake.TelegramToken, "api": s.telegram.URL})},
		{Surface: "slack", Settings: settings(map[string]any{"token": fake.SlackToken, "api": s.slack.API()})},
		{Surface: "discord", Settings: settings(map[string]any{"token": "demo", "api": s.discord.API()})},
		{Surface: "webhook", Settings: settings(map[string]any{"url": s.webhook.URL, "secret": demoSecret, "allow": []string{"127.0.0.1"}})},
	}
}

// demoTargets are where the demo delivers to.
var demoTargets = []string{"telegram:-1001234567890", "slack:C0123456789", "discord:123456789012345678", "webhook:demo", "log:demo"}

// arrived are the messages of each target, as they came.
func (s *stage) arrived() map[string][]string {
	out := map[string][]string{}
	for _, m := range s.telegram.Messages() {
		out[demoTargets[0]] = append(out[demoTargets[0]], m.Text)
	}
	for _, m := range s.slack.Messages() {
		out[demoTargets[1]] = append(out[demoTargets[1]], m.Text)
	}
	for _, m := range s.discord.Messages() {
		out[demoTargets[2]] = append(out[demoTargets[2]], m.Content)
	}
	for _, m := range s.webhook.Messages() {
		out[demoTargets[3]] = append(out[demoTargets[3]], m.Body)
	}
	if b, err := os.ReadFile(filepath.Join(s.home, "log", "demo.log")); err == nil {
		out[demoTargets[4]] = []string{string(b)}
	}
	return out
}

// notified is the number of people whom the messages would have called.
func (s *stage) notified() (n int) {
	for _, m := range s.telegram.Messages() {
		n += len(m.Notified)
	}
	for _, m := range s.slack.Messages() {
		n += len(m.Notified)
	}
	for _, m := range s.discord.Messages() {
		n += len(m.Notified)
	}
	return n
}

// deliverDemo sends the demo's answer through the outbox and the transports to the
// stage, kills a transport on the way, and shows what arrived.
func (a *app) deliverDemo(ctx context.Context) error {
	home, err := os.MkdirTemp("", "vak-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	s := newStage(home)
	defer s.close()
	dirs, err := a.pluginDirs()
	if err != nil {
		return err
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	c, err := core.Open(ctx, core.Config{
		Home: home, NoControl: true, Version: a.version, Accounts: s.accounts(),
		Plugins: dirs, FirstParty: firstParty(), AllowUnsandboxed: a.allowUnsandboxed, Log: log,
	})
	if err != nil {
		return err
	}
	defer c.Close()
	s.telegram.Next(fake.Answer{Accept: true, After: time.Minute}) // it takes the message and does not say so
	fmt.Fprintln(a.out, "Delivering the demo's answer to platforms on this machine that behave as the real ones do.")
	jobs, err := demoTurn(ctx, c)
	if err != nil {
		return err
	}
	killed := s.killTelegram(ctx, control.Local(c.Handler()))
	if killed {
		fmt.Fprintln(a.out, "Telegram's transport was killed with a message on its way.")
	}
	if err := settled(ctx, c, jobs); err != nil {
		return err
	}
	return a.showDelivered(ctx, c, s, jobs, killed)
}

// demoTurn completes a turn with the demo's answer.
func demoTurn(ctx context.Context, c *core.Core) ([]string, error) {
	session, err := c.Session(ctx, "demo")
	if err != nil {
		return nil, err
	}
	turn, err := session.Begin(ctx, core.TurnOptions{})
	if err != nil {
		return nil, err
	}
	var to []core.Delivery
	for _, t := range demoTargets {
		to = append(to, core.Delivery{Target: t})
	}
	done, err := turn.Complete(ctx, core.Draft{Markdown: demoAnswer}, to...)
	return done.Jobs, err
}

// killTelegram kills the transport once its first message is taken.
func (s *stage) killTelegram(ctx context.Context, who *control.Client) bool {
	for range 1000 {
		if len(s.telegram.Messages()) > 0 {
			break
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
	all, err := who.Plugins(ctx)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(all, func(p control.Plugin) bool { return p.ID == "telegram" && p.Role == "transport" && p.PID > 0 })
	if i < 0 {
		return false
	}
	p, err := os.FindProcess(all[i].PID)
	return err == nil && p.Kill() == nil
}

// settled waits until every job has come to an end, a minute and a half at most.
func settled(ctx context.Context, c *core.Core, jobs []string) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	for _, id := range jobs {
		for {
			j, err := c.Job(ctx, id)
			if err != nil {
				return err
			}
			if !j.State.Live() || j.State == core.JobHeld {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

func (a *app) showDelivered(ctx context.Context, c *core.Core, s *stage, jobs []string, killed bool) error {
	arrived := s.arrived()
	total, marked, delivered := 0, 0, 0
	for i, id := range jobs {
		j, err := c.Job(ctx, id)
		if err != nil {
			return err
		}
		if j.State == core.JobDelivered {
			delivered++
		}
		state := string(j.State)
		if j.Reason != "" {
			state += " (" + j.Reason + ")"
		}
		fmt.Fprintf(a.out, "\n%s  %s\n", demoTargets[i], state)
		for n, text := range arrived[demoTargets[i]] {
			total++
			if strings.Contains(text, "(possible duplicate)") {
				marked++
			}
			fmt.Fprintf(a.out, "  %d  %s\n", n+1, visible(firstWords(text)))
		}
	}
	what := "no transport killed"
	if killed {
		what = "1 transport killed on the way"
	}
	_, err := fmt.Fprintf(a.out, "\n%d of %d jobs delivered, %s (%d marked as a possible duplicate), %s, %d notified\n",
		delivered, len(jobs), count(total, "message"), marked, what, s.notified())
	if err == nil && delivered != len(jobs) {
		return &problem{exitWaiting, "not everything was delivered; see \"vak demo --deliver --log info\""}
	}
	return err
}

// firstWords is the beginning of a text, in one line.
func firstWords(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 72 {
		s = string(r[:71]) + "…"
	}
	return s
}
