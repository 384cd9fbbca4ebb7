package fake

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// DiscordOptions say what a [Discord] is like. The zero value takes messages of
// the bot with the token "discord-token" in every channel.
type DiscordOptions struct {
	Token string // empty: "discord-token"

	// Channels are those that there are, threads among them, each with the code that
	// it refuses messages with, such as 50013; 0 takes them. Nil: every id is a
	// channel.
	Channels map[string]int

	// Burst is the number of messages that a channel takes within Per; 0: any.
	Burst int
	Per   time.Duration

	// Rates are further limits; nil: none. A chat's name is the id of the channel,
	// and each has one at least, which the answers to messages tell of.
	Rates Rates

	// NonceWindow is how long an enforced nonce is remembered; 0 is three minutes.
	NonceWindow time.Duration

	// Now is the clock; nil: the system's.
	Now func() time.Time
}

// Discord is Discord's HTTP API, version 9 or 10, as far as a bot needs it to
// create, change and delete messages.
type Discord struct {
	*Server
	options DiscordOptions

	mu       sync.Mutex
	messages []DiscordMessage
	posts    map[string][]time.Time // of a channel
	meter    meter
	last     uint64
}

// A DiscordMessage is one that arrived.
type DiscordMessage struct {
	ID, Channel string
	Content     string // as it is now
	Nonce       string
	ReplyTo     string // id of a message; empty: no reply
	Flags       int
	Silent      bool // sent with SUPPRESS_NOTIFICATIONS
	Edited      int  // how often it was changed
	Deleted     bool
	Notified    []string // mentions that fired, on creation or on a change: "@everyone", "<@1>"
	Created     time.Time

	enforced bool
}

// NewDiscord starts a Discord.
func NewDiscord(o DiscordOptions) *Discord {
	if o.Token == "" {
		o.Token = "discord-token"
	}
	if o.NonceWindow <= 0 {
		o.NonceWindow = 3 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Discord{options: o, posts: map[string][]time.Time{}, last: 1_200_000_000_000_000_000}
	d.Server = Serve(d.answer)
	return d
}

// API is the address of the API, with its version.
func (d *Discord) API() string { return d.URL + "/api/v10" }

// Messages returns what arrived, in order, deleted ones included.
func (d *Discord) Messages() []DiscordMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := slices.Clone(d.messages)
	for i := range out {
		out[i].Notified = slices.Clone(out[i].Notified)
	}
	return out
}

// discordRoute is /channels/{id}/messages[/{id}].
var discordRoute = regexp.MustCompile(`^/api/v(?:9|10)/channels/([^/]+)/messages(?:/([^/]+))?$`)

func (d *Discord) answer(q Request) Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	path, _, _ := strings.Cut(q.Path, "?")
	route := discordRoute.FindStringSubmatch(path)
	switch agent := q.Header.Get("User-Agent"); {
	case !strings.HasPrefix(agent, "DiscordBot (") || !strings.Contains(agent, ", "):
		return DiscordError(http.StatusForbidden, 40333, "internal network error")
	case route == nil:
		return DiscordError(http.StatusNotFound, 0, "404: Not Found")
	case q.Header.Get("Authorization") != "Bot "+d.options.Token:
		return DiscordError(http.StatusUnauthorized, 0, "401: Unauthorized")
	}
	channel, id := route[1], route[2]
	for field, v := range map[string]string{"channel_id": channel, "message_id": id} {
		if _, err := strconv.ParseUint(v, 10, 64); v != "" && err != nil {
			return discordForm(field, "NUMBER_TYPE_COERCE", `Value "`+v+`" is not snowflake.`)
		}
	}
	if a, ok := d.closed(channel); ok {
		return a
	}
	switch {
	case q.Method == http.MethodPost && id == "":
		return d.create(channel, q)
	case q.Method == http.MethodPatch && id != "":
		return d.edit(channel, id, q)
	case q.Method == http.MethodDelete && id != "":
		m := d.find(channel, id)
		if m == nil {
			return DiscordError(http.StatusNotFound, 10008, "Unknown Message")
		}
		m.Deleted = true
		return Answer{Status: http.StatusNoContent}
	}
	return DiscordError(http.StatusMethodNotAllowed, 0, "405: Method Not Allowed")
}

// discordRefusals are the words and the status of what a channel may refuse with.
func discordRefusals(code int) (status int, words string) {
	switch code {
	case 10003:
		return http.StatusNotFound, "Unknown Channel"
	case 50001:
		return http.StatusForbidden, "Missing Access"
	case 50007:
		return http.StatusForbidden, "Cannot send messages to this user"
	case 50008:
		return http.StatusBadRequest, "Cannot send messages in a non-text channel"
	case 50013:
		return http.StatusForbidden, "Missing Permissions"
	case 50083:
		return http.StatusBadRequest, "Thread is archived"
	case 160005:
		return http.StatusBadRequest, "Thread is locked"
	case 200000:
		return http.StatusBadRequest, "Message was blocked by automatic moderation"
	case 240000:
		return http.StatusBadRequest, "Message blocked by harmful links filter"
	}
	return http.StatusBadRequest, "Invalid request"
}

func (d *Discord) closed(channel string) (Answer, bool) {
	code, there := d.options.Channels[channel]
	if d.options.Channels != nil && !there {
		code = 10003
	}
	if code == 0 {
		return Answer{}, false
	}
	status, words := discordRefusals(code)
	return DiscordError(status, code, words), true
}

// discordBody is what is read of a request. Discord ignores what it does not know.
type discordBody struct {
	Content         *string           `json:"content"`
	Nonce           any               `json:"nonce"`
	EnforceNonce    bool              `json:"enforce_nonce"`
	AllowedMentions *discordMentions  `json:"allowed_mentions"`
	Flags           *int              `json:"flags"`
	Reference       *discordReference `json:"message_reference"`
}

type discordMentions struct {
	Parse []string `json:"parse"`
	Users []string `json:"users"`
	Roles []string `json:"roles"`
}

type discordReference struct {
	Message string `json:"message_id"`
	Channel string `json:"channel_id"`
	Fail    *bool  `json:"fail_if_not_exists"`
}

// read parses a body and holds its content to what Discord takes.
func (d *Discord) read(q Request) (discordBody, *Answer) {
	refuse := func(a Answer) (discordBody, *Answer) { return discordBody{}, &a }
	var b discordBody
	if !strings.HasPrefix(q.Header.Get("Content-Type"), "application/json") {
		return refuse(DiscordError(http.StatusBadRequest, 50035, "Invalid Form Body"))
	}
	if json.Unmarshal([]byte(q.Body), &b) != nil {
		return refuse(DiscordError(http.StatusBadRequest, 50109, "The request body contains invalid JSON."))
	}
	if b.Content != nil {
		text := strings.TrimSpace(*b.Content)
		b.Content = &text
		if utf8.RuneCountInString(text) > 2000 {
			return refuse(discordForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length."))
		}
	}
	if b.Content == nil || *b.Content == "" {
		return refuse(DiscordError(http.StatusBadRequest, 50006, "Cannot send an empty message"))
	}
	if m := b.AllowedMentions; m != nil {
		for _, p := range m.Parse {
			if !slices.Contains([]string{"users", "roles", "everyone"}, p) {
				return refuse(discordForm("allowed_mentions", "BASE_TYPE_CHOICES", "Value must be one of {'everyone', 'roles', 'users'}."))
			}
		}
		if len(m.Users) > 0 && slices.Contains(m.Parse, "users") || len(m.Roles) > 0 && slices.Contains(m.Parse, "roles") {
			return refuse(discordForm("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "Mutually exclusive."))
		}
	}
	return b, nil
}

func (d *Discord) create(channel string, q Request) Answer {
	b, bad := d.read(q)
	if bad != nil {
		return *bad
	}
	nonce := ""
	switch n := b.Nonce.(type) {
	case nil:
	case string:
		nonce = n
	case float64:
		nonce = strconv.FormatInt(int64(n), 10)
	default:
		return discordForm("nonce", "BASE_TYPE_BAD_TYPE", "Only strings and integers are allowed.")
	}
	if utf8.RuneCountInString(nonce) > 25 {
		return discordForm("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	now := d.options.Now()
	if b.EnforceNonce && nonce != "" {
		for i := range d.messages {
			m := &d.messages[i]
			if m.Channel == channel && m.enforced && m.Nonce == nonce && now.Sub(m.Created) < d.options.NonceWindow {
				return d.object(m)
			}
		}
	}
	reply := ""
	if r := b.Reference; r != nil {
		switch there := d.find(channel, r.Message) != nil && (r.Channel == "" || r.Channel == channel); {
		case there:
			reply = r.Message
		case r.Fail == nil || *r.Fail:
			return discordForm("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
	}
	if a, slow := d.limited(channel, now); slow {
		return a
	}
	flags := 0
	if b.Flags != nil {
		flags = *b.Flags & (1<<2 | 1<<12)
	}
	d.last += 4_194_304 // a millisecond, as ids count
	d.messages = append(d.messages, DiscordMessage{
		ID: strconv.FormatUint(d.last, 10), Channel: channel, Content: *b.Content, Nonce: nonce, ReplyTo: reply,
		Flags: flags, Silent: flags&(1<<12) != 0, Created: now, enforced: b.EnforceNonce,
		Notified: discordNotified(*b.Content, b.AllowedMentions),
	})
	return d.budget(d.object(&d.messages[len(d.messages)-1]), channel, now)
}

func (d *Discord) edit(channel, id string, q Request) Answer {
	m := d.find(channel, id)
	if m == nil {
		return DiscordError(http.StatusNotFound, 10008, "Unknown Message")
	}
	b, bad := d.read(q)
	if bad != nil {
		return *bad
	}
	m.Content, m.Edited = *b.Content, m.Edited+1
	if b.Flags != nil {
		m.Flags = m.Flags&^(1<<2) | *b.Flags&(1<<2)
	}
	m.Notified = append(m.Notified, discordNotified(*b.Content, b.AllowedMentions)...)
	return d.object(m)
}

// budget has an answer tell what the channel takes yet.
func (d *Discord) budget(a Answer, channel string, now time.Time) Answer {
	if d.options.Rates == nil {
		return a
	}
	n, reset := d.meter.left(d.options.Rates, channel, now)
	a.Header.Set("X-RateLimit-Limit", strconv.Itoa(d.options.Rates(channel)[0].Messages))
	a.Header.Set("X-RateLimit-Remaining", strconv.Itoa(n))
	a.Header.Set("X-RateLimit-Reset-After", strconv.FormatFloat(reset.Seconds(), 'f', 3, 64))
	return a
}

// limited counts a message of a channel.
func (d *Discord) limited(channel string, now time.Time) (Answer, bool) {
	if wait, global := d.meter.take(d.options.Rates, channel, now); wait > 0 {
		d.overrun()
		return DiscordRateLimit(wait, global), true
	}
	if d.options.Burst <= 0 {
		return Answer{}, false
	}
	recent := slices.DeleteFunc(d.posts[channel], func(t time.Time) bool { return now.Sub(t) >= d.options.Per })
	if len(recent) < d.options.Burst {
		d.posts[channel] = append(recent, now)
		return Answer{}, false
	}
	d.posts[channel] = recent
	return DiscordRateLimit(d.options.Per-now.Sub(recent[0]), false), true
}

// find returns a message that is there, or nil.
func (d *Discord) find(channel, id string) *DiscordMessage {
	for i := range d.messages {
		if m := &d.messages[i]; m.Channel == channel && m.ID == id && !m.Deleted {
			return m
		}
	}
	return nil
}

// object is a message as the API shows it.
func (d *Discord) object(m *DiscordMessage) Answer {
	o := map[string]any{
		"id": m.ID, "channel_id": m.Channel, "content": m.Content, "flags": m.Flags, "type": 0, "tts": false, "pinned": false,
		"timestamp": m.Created.UTC().Format("2006-01-02T15:04:05.000000-07:00"), "edited_timestamp": nil,
		"author":   map[string]any{"id": "1100000000000000001", "username": "vak", "discriminator": "0000", "bot": true},
		"mentions": []any{}, "mention_roles": []any{}, "mention_everyone": slices.Contains(m.Notified, "@everyone"),
		"attachments": []any{}, "embeds": []any{}, "components": []any{},
	}
	if m.Edited > 0 {
		o["edited_timestamp"] = d.options.Now().UTC().Format("2006-01-02T15:04:05.000000-07:00")
	}
	if m.Nonce != "" {
		o["nonce"] = m.Nonce
	}
	if m.ReplyTo != "" {
		o["type"], o["message_reference"] = 19, map[string]any{"message_id": m.ReplyTo, "channel_id": m.Channel, "type": 0}
	}
	return discordJSON(http.StatusOK, o)
}
