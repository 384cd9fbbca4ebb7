package fake

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// SlackToken is the token that a [Slack] wants where its options name none.
const SlackToken = "xoxb-fake-token"

// The limits of the Web API. A post is cut, an edit refused.
const (
	slackPost = 40_000 // code points
	slackEdit = 4_000  // bytes of UTF-8
)

// SlackOptions says what a [Slack] is like. The zero value is a workspace in which
// the bot is in every channel.
type SlackOptions struct {
	Token string // of the bot; empty: SlackToken

	// Channels are those that there are. Nil: every id is one, and every thread is
	// there.
	Channels []SlackChannel

	// PerChannel is the number of messages that a channel takes in Window, edits
	// included; the next is refused with the seconds to wait. 0: no limit.
	PerChannel int
	Window     time.Duration // 0: a minute

	// Rates are further limits; nil: none. A chat's name is its id.
	Rates Rates

	Now func() time.Time // nil: time.Now
}

// A SlackChannel is a channel, and what the bot may do in it.
type SlackChannel struct {
	ID      string
	Threads []string // messages of others that can be replied to, by their ts

	// Refused is the code with which everything is refused: "not_in_channel",
	// "is_archived".
	Refused string
}

// A SlackMessage is a message that a [Slack] took.
type SlackMessage struct {
	Channel, TS, Thread string

	Text     string   // as it was sent, cut at 40,000 characters
	Cut      bool     // it was longer
	Mrkdwn   bool     // its marks are styles
	Notified []string // whom it mentions, as it says so: <!channel>, <@U1>, or @name where names are linked

	Unfurls bool // links or media may unfurl
	Edits   int
	Deleted bool
	Time    time.Time
}

// Slack is a fake of the Web API: auth.test, chat.postMessage, chat.update and
// chat.delete, with JSON or a form as arguments. Its methods are below [Slack.API].
type Slack struct {
	*Server
	options SlackOptions

	mu       sync.Mutex
	messages []SlackMessage
	taken    map[string][]time.Time // when a channel's messages came
	meter    meter
}

// NewSlack starts one. It panics where there is no loopback to listen on.
func NewSlack(o SlackOptions) *Slack {
	if o.Token == "" {
		o.Token = SlackToken
	}
	if o.Window == 0 {
		o.Window = time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Slack{options: o, taken: map[string][]time.Time{}}
	s.Server = Serve(s.answer)
	return s
}

// API is the address that the methods are below.
func (s *Slack) API() string { return s.URL + "/api" }

// Messages returns what it took, in order, what was deleted since included.
func (s *Slack) Messages() []SlackMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.messages)
	for i := range out {
		out[i].Notified = slices.Clone(out[i].Notified)
	}
	return out
}

// SlackError is the answer with which the Web API refuses: status 200 and a code.
func SlackError(code string) Answer {
	return Answer{}.json(map[string]any{"ok": false, "error": code})
}

// SlackRateLimit is the answer to what comes too fast: it asks to wait for a
// number of seconds.
func SlackRateLimit(seconds int) Answer {
	a := SlackError("ratelimited")
	a.Status = 429
	a.Header["Retry-After"] = []string{strconv.Itoa(seconds)}
	return a
}

func (s *Slack) answer(r Request) Answer {
	path, query, _ := strings.Cut(r.Path, "?")
	method, ok := strings.CutPrefix(path, "/api/")
	if !ok {
		return Answer{Status: 404, Body: "not found"}
	}
	p, err := parameters(r, query)
	if err != nil {
		return SlackError("invalid_json")
	}
	token, _ := p.text("token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = bearer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	call, known := map[string]func(params) Answer{"auth.test": s.test, "chat.postMessage": s.post, "chat.update": s.update, "chat.delete": s.delete}[method]
	switch {
	case !known:
		return Answer{}.json(map[string]any{"ok": false, "error": "unknown_method", "req_method": method})
	case token == "":
		return SlackError("not_authed")
	case token != s.options.Token:
		return SlackError("invalid_auth")
	}
	return call(p)
}

func (s *Slack) test(params) Answer {
	return Answer{}.json(map[string]any{"ok": true, "url": s.URL + "/", "team": "Fake", "user": "fake", "team_id": "T0FAKE000", "user_id": "U0FAKE000", "bot_id": "B0FAKE000"})
}

func (s *Slack) post(p params) Answer {
	channel, no := s.channel(p)
	if no != nil {
		return *no
	}
	m := SlackMessage{Channel: channel.ID, Time: s.options.Now(), Mrkdwn: true}
	if _, said := p["mrkdwn"]; said {
		m.Mrkdwn = p.flag("mrkdwn")
	}
	m.Text, _ = p.text("text")
	if strings.TrimSpace(m.Text) == "" {
		return SlackError("no_text")
	}
	m.Thread, _ = p.text("thread_ts")
	if m.Thread != "" && s.options.Channels != nil && s.find(channel.ID, m.Thread) < 0 && !slices.Contains(channel.Threads, m.Thread) {
		return SlackError("thread_not_found")
	}
	if no := s.pace(channel.ID); no != nil {
		return *no
	}
	m.Text, m.Cut = cutRunes(m.Text, slackPost)
	m.Notified = slackMentions(p, m.Text)
	m.Unfurls = unfurls(p)
	m.TS = fmt.Sprintf("%d.%06d", m.Time.Unix(), len(s.messages)+1)
	s.messages = append(s.messages, m)
	return Answer{}.json(map[string]any{"ok": true, "channel": m.Channel, "ts": m.TS, "message": shownSlack(m)})
}

func (s *Slack) update(p params) Answer {
	channel, no := s.channel(p)
	if no != nil {
		return *no
	}
	ts, _ := p.text("ts")
	i := s.find(channel.ID, ts)
	text, _ := p.text("text")
	switch {
	case i < 0:
		return SlackError("message_not_found")
	case strings.TrimSpace(text) == "":
		return SlackError("no_text")
	case len(text) > slackEdit:
		return SlackError("msg_too_long")
	}
	if no := s.pace(channel.ID); no != nil {
		return *no
	}
	m := &s.messages[i]
	m.Text, m.Cut, m.Mrkdwn = text, false, true // an edit is always read as mrkdwn
	if _, said := p["parse"]; !said {           // unlike a post, an edit is then read as a client's
		p["link_names"] = true
	}
	m.Notified = slackMentions(p, text)
	m.Edits++
	return Answer{}.json(map[string]any{"ok": true, "channel": m.Channel, "ts": m.TS, "text": m.Text, "message": shownSlack(*m)})
}

func (s *Slack) delete(p params) Answer {
	channel, no := s.channel(p)
	if no != nil {
		return *no
	}
	ts, _ := p.text("ts")
	i := s.find(channel.ID, ts)
	if i < 0 {
		return SlackError("message_not_found")
	}
	s.messages[i].Deleted = true
	return Answer{}.json(map[string]any{"ok": true, "channel": channel.ID, "ts": ts})
}

// channel is the one that the call names, if something can be sent there. A user's
// id stands for the direct messages with them.
func (s *Slack) channel(p params) (SlackChannel, *Answer) {
	refuse := func(code string) (SlackChannel, *Answer) {
		no := SlackError(code)
		return SlackChannel{}, &no
	}
	id, _ := p.text("channel")
	if s.options.Channels == nil {
		if !regexp.MustCompile(`^[CGDUW][A-Z0-9]+$`).MatchString(id) {
			return refuse("channel_not_found")
		}
		if id[0] == 'U' || id[0] == 'W' {
			id = "D" + id[1:]
		}
		return SlackChannel{ID: id}, nil
	}
	for _, c := range s.options.Channels {
		if c.ID == id {
			if c.Refused != "" {
				return refuse(c.Refused)
			}
			return c, nil
		}
	}
	return refuse("channel_not_found")
}

// find is where the message is, or -1.
func (s *Slack) find(channel, ts string) int {
	return slices.IndexFunc(s.messages, func(m SlackMessage) bool { return m.Channel == channel && m.TS == ts && !m.Deleted })
}

// pace refuses what comes too fast.
func (s *Slack) pace(channel string) *Answer {
	if wait, _ := s.meter.take(s.options.Rates, channel, s.options.Now()); wait > 0 {
		s.overrun()
		no := SlackRateLimit(int((wait + time.Second - 1) / time.Second))
		return &no
	}
	if s.options.PerChannel == 0 {
		return nil
	}
	now := s.options.Now()
	recent := slices.DeleteFunc(s.taken[channel], func(at time.Time) bool { return now.Sub(at) >= s.options.Window })
	if len(recent) >= s.options.PerChannel {
		s.taken[channel] = recent
		no := SlackRateLimit(int((s.options.Window - now.Sub(recent[0]) + time.Second - 1) / time.Second))
		return &no
	}
	s.taken[channel] = append(recent, now)
	return nil
}

// shownSlack is the message as the API shows it.
func shownSlack(m SlackMessage) map[string]any {
	out := map[string]any{"type": "message", "user": "U0FAKE000", "bot_id": "B0FAKE000", "text": m.Text, "ts": m.TS}
	if m.Thread != "" {
		out["thread_ts"] = m.Thread
	}
	if m.Edits > 0 {
		out["edited"] = map[string]any{"user": "U0FAKE000", "ts": m.TS}
	}
	return out
}

// unfurls reports whether something of what p posts may: media does unless told
// not to.
func unfurls(p params) bool {
	_, said := p["unfurl_media"]
	return p.flag("unfurl_links") || p.flag("unfurl_media") || !said
}

// What notifies wherever it stands, in code, too; and names, where they are
// linked.
var (
	slackToken = regexp.MustCompile(`<(?:!(?:channel|here|everyone|subteam\^[A-Z0-9]+)|@[UW][A-Z0-9]+)(?:\|[^<>]*)?>`)
	slackName  = regexp.MustCompile(`(?:^|[^\w@])(@[a-z0-9][a-z0-9._-]*)`)
)

func slackMentions(p params, text string) []string {
	out := slackToken.FindAllString(text, -1)
	if parse, _ := p.text("parse"); parse == "full" || p.flag("link_names") {
		for _, m := range slackName.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// cutRunes is the first n code points of s, and whether there are more.
func cutRunes(s string, n int) (string, bool) {
	if utf8.RuneCountInString(s) <= n {
		return s, false
	}
	return string([]rune(s)[:n]), true
}
