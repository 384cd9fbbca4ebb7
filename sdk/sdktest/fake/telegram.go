package fake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// TelegramToken is the token that a [Telegram] wants where its options name none.
const TelegramToken = "123456789:fake-token-of-a-bot-that-is-not"

// The limits of the Bot API server.
const (
	telegramText     = 4096   // code points of a text, after its markup is parsed
	telegramRaw      = 32_768 // bytes of a text, before
	telegramEntities = 100    // pieces of markup; what is beyond them is dropped
)

// TelegramOptions says what a [Telegram] is like. The zero value is a server that
// knows every chat.
type TelegramOptions struct {
	Token string // of the bot; empty: TelegramToken

	// Chats are the chats that there are. Nil: every number is a supergroup or a
	// private chat with every topic, every @name a channel.
	Chats []TelegramChat

	// PerChat is the number of messages that a chat takes in Window, edits
	// included; the next is refused with the seconds to wait. 0: no limit.
	PerChat int
	Window  time.Duration // 0: a minute

	// Rates are further limits; nil: none. A chat's name is its id.
	Rates Rates

	Now func() time.Time // nil: time.Now
}

// A TelegramChat is a chat, and what the bot may do in it.
type TelegramChat struct {
	ID     int64
	Name   string  // its @name without the @, if it has one
	Topics []int64 // the topics of a forum; nil: it is none

	// UpgradedTo is the supergroup that the group has become.
	UpgradedTo int64

	// Forbidden is why nothing can be sent there, as the server words it: "bot was
	// blocked by the user".
	Forbidden string
}

// A TelegramMessage is a message that a [Telegram] took.
type TelegramMessage struct {
	ID, Chat, Thread, ReplyTo int64

	Raw      string           // as it was sent
	Mode     string           // parse_mode
	Text     string           // what is shown of it
	Entities []TelegramEntity // what the markup became
	Notified []string         // whom it mentions: @name, or tg://user?id=…

	Silent, Preview bool
	Edits           int
	Deleted         bool
	Time            time.Time
}

// Telegram is a fake of the Bot API: getMe, sendMessage, editMessageText and
// deleteMessage, with JSON or a form as parameters.
type Telegram struct {
	*Server
	options TelegramOptions

	mu       sync.Mutex
	messages []TelegramMessage
	taken    map[int64][]time.Time // when a chat's messages came
	meter    meter
}

// NewTelegram starts one. It panics where there is no loopback to listen on.
func NewTelegram(o TelegramOptions) *Telegram {
	if o.Token == "" {
		o.Token = TelegramToken
	}
	if o.Window == 0 {
		o.Window = time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Telegram{options: o, taken: map[int64][]time.Time{}}
	t.Server = Serve(t.answer)
	return t
}

// Messages returns what it took, in order, what was deleted since included. The
// message with the id n is at n-1.
func (t *Telegram) Messages() []TelegramMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.messages)
	for i := range out {
		out[i].Entities = slices.Clone(out[i].Entities)
		out[i].Notified = slices.Clone(out[i].Notified)
	}
	return out
}

// TelegramError is the answer with which the Bot API refuses: after is the number
// of seconds to wait, and told in both places where the server tells it.
func TelegramError(status int, description string, after int) Answer {
	body := map[string]any{"ok": false, "error_code": status, "description": description}
	a := Answer{Status: status}
	if after > 0 {
		body["parameters"] = map[string]any{"retry_after": after}
		a.Header = map[string][]string{"Retry-After": {strconv.Itoa(after)}}
	}
	return a.json(body)
}

// badRequest words a refusal as the server does: the first letter is made small,
// unless the second is large or an underscore.
func badRequest(format string, args ...any) Answer {
	s := fmt.Sprintf(format, args...)
	if len(s) > 1 && !unicode.IsUpper(rune(s[1])) && s[1] != '_' {
		s = strings.ToLower(s[:1]) + s[1:]
	}
	return TelegramError(400, "Bad Request: "+s, 0)
}

func telegramResult(v any) Answer { return Answer{}.json(map[string]any{"ok": true, "result": v}) }

func (t *Telegram) answer(r Request) Answer {
	path, query, _ := strings.Cut(r.Path, "?")
	token, method, ok := strings.Cut(strings.TrimPrefix(path, "/bot"), "/")
	switch {
	case !strings.HasPrefix(path, "/bot") || !ok:
		return TelegramError(404, "Not Found", 0)
	case token != t.options.Token:
		return TelegramError(401, "Unauthorized", 0)
	case r.Method != "POST" && r.Method != "GET":
		return TelegramError(404, "Not Found", 0)
	}
	p, err := parameters(r, query)
	if err != nil {
		return TelegramError(400, "Bad Request: can't parse request as JSON object", 0)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch strings.ToLower(method) { // as the server does
	case "getme":
		return telegramResult(t.me())
	case "sendmessage":
		return t.send(p)
	case "editmessagetext":
		return t.edit(p)
	case "deletemessage":
		return t.delete(p)
	}
	return TelegramError(404, "Not Found: method not found", 0)
}

func (t *Telegram) me() map[string]any {
	id, _, _ := strings.Cut(t.options.Token, ":")
	n, _ := strconv.ParseInt(id, 10, 64)
	return map[string]any{"id": n, "is_bot": true, "first_name": "Fake", "username": "fake_bot"}
}

func (t *Telegram) send(p params) Answer {
	m := TelegramMessage{Time: t.options.Now()}
	chat, no := t.chat(p)
	if no != nil {
		return *no
	}
	m.Chat = chat.ID
	if no := m.content(p); no != nil {
		return *no
	}
	if m.Thread = p.number("message_thread_id"); m.Thread != 0 && t.options.Chats != nil && !slices.Contains(chat.Topics, m.Thread) {
		return badRequest("message thread not found")
	}
	if reply := p.object("reply_parameters"); reply != nil {
		m.ReplyTo = reply.number("message_id")
		if i := t.find(m.Chat, m.ReplyTo); i < 0 {
			if !reply.flag("allow_sending_without_reply") {
				return badRequest("message to be replied not found")
			}
			m.ReplyTo = 0
		}
	}
	if no := t.pace(m.Chat); no != nil {
		return *no
	}
	m.Silent = p.flag("disable_notification")
	m.ID = int64(len(t.messages)) + 1
	t.messages = append(t.messages, m)
	return telegramResult(t.shown(m))
}

func (t *Telegram) edit(p params) Answer {
	chat, no := t.chat(p)
	if no != nil {
		return *no
	}
	i := t.find(chat.ID, p.number("message_id"))
	if i < 0 {
		return badRequest("message to edit not found")
	}
	m := t.messages[i]
	if no := m.content(p); no != nil {
		return *no
	}
	if old := t.messages[i]; old.Text == m.Text && slices.Equal(old.Entities, m.Entities) {
		return badRequest("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	if no := t.pace(m.Chat); no != nil {
		return *no
	}
	m.Edits++
	t.messages[i] = m
	return telegramResult(t.shown(m))
}

func (t *Telegram) delete(p params) Answer {
	chat, no := t.chat(p)
	if no != nil {
		return *no
	}
	i := t.find(chat.ID, p.number("message_id"))
	if i < 0 {
		return badRequest("message to delete not found")
	}
	t.messages[i].Deleted = true
	return telegramResult(true)
}

// content reads text and what goes with it into m.
func (m *TelegramMessage) content(p params) *Answer {
	raw, ok := p.text("text")
	var no Answer
	switch {
	case !ok || raw == "":
		no = badRequest("message text is empty")
		return &no
	case !utf8.ValidString(raw):
		no = badRequest("strings must be encoded in UTF-8")
		return &no
	case len(raw) > telegramRaw:
		no = badRequest("text is too long")
		return &no
	}
	m.Raw, m.Text, m.Entities, m.Notified = raw, raw, nil, nil
	m.Mode, _ = p.text("parse_mode")
	switch strings.ToLower(m.Mode) {
	case "", "none":
	case "html":
		text, entities, err := parseTelegramHTML(raw)
		if err != nil {
			no = badRequest("can't parse entities: %s", err)
			return &no
		}
		m.Text, m.Entities = text, entities
	default: // Markdown and MarkdownV2, which this fake does not speak
		no = badRequest("unsupported parse_mode")
		return &no
	}
	m.Text, m.Entities = cleanTelegram(m.Text, m.Entities)
	switch {
	case strings.TrimFunc(m.Text, blank) == "":
		no = badRequest("text must be non-empty")
		return &no
	case utf8.RuneCountInString(m.Text) > telegramText:
		no = badRequest("message is too long")
		return &no
	}
	if len(m.Entities) > telegramEntities {
		m.Entities = m.Entities[:telegramEntities] // without a word
	}
	m.Notified = telegramMentions(m.Text, m.Entities)
	preview := p.object("link_preview_options")
	m.Preview = !preview.flag("is_disabled") && !p.flag("disable_web_page_preview")
	return nil
}

// chat is the one that chat_id names, if something can be sent there.
func (t *Telegram) chat(p params) (TelegramChat, *Answer) {
	refuse := func(a Answer) (TelegramChat, *Answer) { return TelegramChat{}, &a }
	id, ok := p.text("chat_id")
	if !ok || id == "" {
		return refuse(badRequest("chat_id is empty"))
	}
	n, err := strconv.ParseInt(id, 10, 64)
	name, named := strings.CutPrefix(id, "@")
	if err != nil && !named || err == nil && n == 0 {
		return refuse(badRequest("chat not found"))
	}
	if t.options.Chats == nil {
		if named {
			n = -1_000_000_000_000
			for _, c := range name {
				n -= int64(c)
			}
		}
		return TelegramChat{ID: n, Name: name}, nil
	}
	for _, c := range t.options.Chats {
		if named && !strings.EqualFold(c.Name, name) || !named && c.ID != n {
			continue
		}
		if c.UpgradedTo != 0 {
			return refuse(Answer{Status: 400}.json(map[string]any{
				"ok": false, "error_code": 400, "description": "Bad Request: group chat was upgraded to a supergroup chat",
				"parameters": map[string]any{"migrate_to_chat_id": c.UpgradedTo},
			}))
		}
		if c.Forbidden != "" {
			return refuse(TelegramError(403, "Forbidden: "+c.Forbidden, 0))
		}
		return c, nil
	}
	return refuse(badRequest("chat not found"))
}

// find is where the message is, or -1.
func (t *Telegram) find(chat, id int64) int {
	if i := id - 1; i >= 0 && i < int64(len(t.messages)) && t.messages[i].Chat == chat && !t.messages[i].Deleted {
		return int(i)
	}
	return -1
}

// pace refuses what comes too fast.
func (t *Telegram) pace(chat int64) *Answer {
	if wait, _ := t.meter.take(t.options.Rates, strconv.FormatInt(chat, 10), t.options.Now()); wait > 0 {
		t.overrun()
		seconds := int((wait + time.Second - 1) / time.Second)
		no := TelegramError(429, fmt.Sprintf("Too Many Requests: retry after %d", seconds), seconds)
		return &no
	}
	if t.options.PerChat == 0 {
		return nil
	}
	now := t.options.Now()
	recent := slices.DeleteFunc(t.taken[chat], func(at time.Time) bool { return now.Sub(at) >= t.options.Window })
	if len(recent) >= t.options.PerChat {
		t.taken[chat] = recent
		wait := int((t.options.Window - now.Sub(recent[0]) + time.Second - 1) / time.Second)
		no := TelegramError(429, fmt.Sprintf("Too Many Requests: retry after %d", wait), wait)
		return &no
	}
	t.taken[chat] = append(recent, now)
	return nil
}

// shown is the message as the API shows it.
func (t *Telegram) shown(m TelegramMessage) map[string]any {
	kind := "private"
	if m.Chat < 0 {
		kind = "supergroup"
	}
	out := map[string]any{
		"message_id": m.ID, "from": t.me(), "chat": map[string]any{"id": m.Chat, "type": kind},
		"date": m.Time.Unix(), "text": m.Text,
	}
	if len(m.Entities) > 0 {
		out["entities"] = m.Entities
	}
	if m.Thread != 0 {
		out["message_thread_id"], out["is_topic_message"] = m.Thread, true
	}
	if m.Edits > 0 {
		out["edit_date"] = t.options.Now().Unix()
	}
	if i := t.find(m.Chat, m.ReplyTo); i >= 0 {
		to := t.messages[i]
		to.ReplyTo = 0 // one level is shown
		out["reply_to_message"] = t.shown(to)
	}
	return out
}
