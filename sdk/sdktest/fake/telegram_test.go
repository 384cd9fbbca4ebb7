package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// askTelegram calls a method as a bot does, and returns the status and the body.
func askTelegram(t *testing.T, g *Telegram, method, body string) (int, string) {
	t.Helper()
	a, err := http.Post(g.URL+"/bot"+TelegramToken+"/"+method, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, strings.TrimSpace(string(b))
}

// telegramBody is a message for the chat 7, in HTML.
func telegramBody(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"chat_id": 7, "text": text, "parse_mode": "HTML"})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTelegramRefuses(t *testing.T) {
	g := NewTelegram(TelegramOptions{Chats: []TelegramChat{
		{ID: 7}, {ID: -100500, Name: "forum", Topics: []int64{12}},
		{ID: -9, UpgradedTo: -100900}, {ID: 8, Forbidden: "bot was blocked by the user"},
	}})
	defer g.Close()
	refused := func(code int, description string) string {
		return fmt.Sprintf(`{"description":%q,"error_code":%d,"ok":false}`, description, code)
	}
	for _, k := range []struct {
		method, body, want, why string
	}{
		{"sendMessage", telegramBody(t, "a"), "", "a message is taken"},
		{"SENDMESSAGE", telegramBody(t, "a"), "", "names of methods have no case"},
		{"sendMessage", telegramBody(t, strings.Repeat("😀", 4096)), "", "4096 characters, whatever their size"},
		{"sendMessage", telegramBody(t, strings.Repeat("a", 4097)), refused(400, "Bad Request: message is too long"), "one more is one too many"},
		{"sendMessage", telegramBody(t, "<b>"+strings.Repeat("&lt;", 4096)+"</b>"), "", "markup does not count"},
		{"sendMessage", telegramBody(t, "<b></b>"+strings.Repeat("&quot;", 5460)+"a"), refused(400, "Bad Request: message is too long"), "32,768 bytes before parsing are read"},
		{"sendMessage", telegramBody(t, "<b></b>"+strings.Repeat("&quot;", 5460)+"aa"), refused(400, "Bad Request: text is too long"), "one more is not"},
		{"sendMessage", telegramBody(t, "<p>a</p>"), refused(400, `Bad Request: can't parse entities: Unsupported start tag "p" at byte offset 0`), "no such tag"},
		{"sendMessage", telegramBody(t, "a < b"), refused(400, `Bad Request: can't parse entities: Unsupported start tag "" at byte offset 2`), "a bare <"},
		{"sendMessage", telegramBody(t, "<b>a"), refused(400, `Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`), "not closed"},
		{"sendMessage", telegramBody(t, "<i>a</b>"), refused(400, `Bad Request: can't parse entities: Unmatched end tag at byte offset 4, expected "</i>", found "</b>"`), "not balanced"},
		{"sendMessage", telegramBody(t, "a</b>"), refused(400, `Bad Request: can't parse entities: Unexpected end tag at byte offset 1`), "never opened"},
		{"sendMessage", telegramBody(t, "<b"), refused(400, `Bad Request: can't parse entities: Unclosed start tag at byte offset 0`), "half a tag"},
		{"sendMessage", telegramBody(t, "<span>a</span>"), refused(400, `Bad Request: can't parse entities: Tag "span" must have class "tg-spoiler" at byte offset 0`), "a span that is no spoiler"},
		{"sendMessage", `{"chat_id":7}`, refused(400, "Bad Request: message text is empty"), "no text"},
		{"sendMessage", telegramBody(t, "<b> \u200b</b>"), refused(400, "Bad Request: text must be non-empty"), "nothing to read"},
		{"sendMessage", `{"chat_id":7,"text":"a","reply_parameters":{"message_id":99}}`, refused(400, "Bad Request: message to be replied not found"), "a reply to nothing"},
		{"sendMessage", `{"chat_id":7,"text":"a","reply_parameters":{"message_id":99,"allow_sending_without_reply":true}}`, "", "unless that is no matter"},
		{"sendMessage", `{"text":"a"}`, refused(400, "Bad Request: chat_id is empty"), "no chat"},
		{"sendMessage", `{"chat_id":70,"text":"a"}`, refused(400, "Bad Request: chat not found"), "another chat"},
		{"sendMessage", `{"chat_id":"@Forum","text":"a","message_thread_id":12}`, "", "a chat by name, and a topic of it"},
		{"sendMessage", `{"chat_id":-100500,"text":"a","message_thread_id":13}`, refused(400, "Bad Request: message thread not found"), "no topic of it"},
		{"sendMessage", `{"chat_id":8,"text":"a"}`, refused(403, "Forbidden: bot was blocked by the user"), "blocked"},
		{"sendMessage", `{"chat_id":-9,"text":"a"}`, `{"description":"Bad Request: group chat was upgraded to a supergroup chat","error_code":400,"ok":false,"parameters":{"migrate_to_chat_id":-100900}}`, "a group that has moved"},
		{"sendMessage", `{"chat_id`, refused(400, "Bad Request: can't parse request as JSON object"), "no JSON"},
		{"editMessageText", `{"chat_id":7,"message_id":1,"text":"a"}`, refused(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"), "the same again"},
		{"editMessageText", `{"chat_id":7,"message_id":1,"text":"b"}`, "", "another text"},
		{"editMessageText", `{"chat_id":7,"message_id":99,"text":"b"}`, refused(400, "Bad Request: message to edit not found"), "no such message"},
		{"deleteMessage", `{"chat_id":7,"message_id":1}`, `{"ok":true,"result":true}`, "taken back"},
		{"deleteMessage", `{"chat_id":7,"message_id":1}`, refused(400, "Bad Request: message to delete not found"), "taken back twice"},
		{"sendRichMessage", `{"chat_id":7}`, refused(404, "Not Found: method not found"), "a method that it does not have"},
	} {
		status, got := askTelegram(t, g, k.method, k.body)
		if k.want == "" {
			if status != 200 || !strings.HasPrefix(got, `{"ok":true,"result":{`) {
				t.Errorf("%s: %d %s", k.why, status, got)
			}
			continue
		}
		got = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(got)
		if got != k.want {
			t.Errorf("%s: %d %s\nwant %s", k.why, status, got, k.want)
		}
	}
}

func TestTelegramToken(t *testing.T) {
	g := NewTelegram(TelegramOptions{Token: "1:other"})
	defer g.Close()
	if status, got := askTelegram(t, g, "getMe", ""); status != 401 || got != `{"description":"Unauthorized","error_code":401,"ok":false}` {
		t.Errorf("another token: %d %s", status, got)
	}
	for path, status := range map[string]int{"/bot1:other/getMe": 200, "/getMe": 404, "/bot1:other": 404} {
		a, err := http.Get(g.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != status {
			t.Errorf("%s: %d, want %d", path, a.StatusCode, status)
		}
	}
}

// TestTelegramKeeps sends a form, as some libraries do.
func TestTelegramKeeps(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := NewTelegram(TelegramOptions{Now: func() time.Time { return at }})
	defer g.Close()
	post := func(values url.Values) {
		t.Helper()
		a, err := http.PostForm(g.URL+"/bot"+TelegramToken+"/sendMessage", values)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != 200 {
			t.Fatalf("%v: %s", values, a.Status)
		}
	}
	post(url.Values{
		"chat_id": {"-100"}, "text": {"<b>hi</b> @carol <code>@dave</code> &lt;😀<i>x</i>\t\r"}, "parse_mode": {"html"},
		"message_thread_id": {"3"}, "disable_notification": {"true"}, "link_preview_options": {`{"is_disabled":true}`},
	})
	post(url.Values{"chat_id": {"-100"}, "text": {"<b>"}, "reply_parameters": {`{"message_id":1}`}})
	want := []TelegramMessage{{
		ID: 1, Chat: -100, Thread: 3, Raw: "<b>hi</b> @carol <code>@dave</code> &lt;😀<i>x</i>\t\r", Mode: "html",
		Text: "hi @carol @dave <😀x", Entities: []TelegramEntity{{Type: "bold", Length: 2}, {Type: "code", Offset: 10, Length: 5}, {Type: "italic", Offset: 19, Length: 1}},
		Notified: []string{"@carol"}, Silent: true, Time: at,
	}, {ID: 2, Chat: -100, ReplyTo: 1, Raw: "<b>", Text: "<b>", Preview: true, Time: at}}
	if got := g.Messages(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestTelegramMarkup(t *testing.T) {
	for _, k := range []struct {
		in, text string
		want     string // type:offset+length, what is notified behind it
		why      string
	}{
		{`<a href="https://x.org/">a</a>`, "a", "[text_link:0+1] []", "a link"},
		{`<a href="javascript:x">@abc</a>`, "@abc", "[] [@abc]", "a link that is lost leaves its label, which is live"},
		{`<a href="http://localhost/">a</a>`, "a", "[] []", "a host without a dot"},
		{`<a href="tg://user?id=5">a</a>`, "a", "[text_link:0+1] [tg://user?id=5]", "a link to a user"},
		{`<a href="https://x.org/">x <code>y</code></a>`, "x y", "[text_link:0+3] []", "code in a link"},
		{`<pre><code class="language-go">a</code></pre>`, "a", "[pre:0+1] []", "code that fills a pre is one with it"},
		{`<b>a<code>b</code></b>`, "ab", "[bold:0+2 code:1+1] []", "code in bold"},
		{`<code><b>a</b></code>`, "a", "[code:0+1] []", "bold in code"},
		{`<blockquote>a<blockquote>b</blockquote></blockquote>`, "ab", "[blockquote:0+2] []", "a quote in a quote"},
		{`<B>a</B> & &nbsp; &#39; &#x41;`, "a & &nbsp; ' A", "[bold:0+1] []", "large tags; other entities"},
		{`&#64;abc x@abc @abc`, "@abc x@abc @abc", "[] [@abc @abc]", "names, and an e-mail address"},
		{`https://a.bc/@abc`, "https://a.bc/@abc", "[] []", "a name in an address"},
	} {
		text, entities, err := parseTelegramHTML(k.in)
		if err != nil {
			t.Errorf("%s: %v", k.why, err)
			continue
		}
		all := make([]string, len(entities))
		for i, e := range entities {
			all[i] = fmt.Sprintf("%s:%d+%d", e.Type, e.Offset, e.Length)
		}
		if got := fmt.Sprint(all, " ", telegramMentions(text, entities)); text != k.text || got != k.want {
			t.Errorf("%s: %q %s, want %q %s", k.why, text, got, k.text, k.want)
		}
	}
}

// TestTelegramEntities loses what is beyond 100 pieces of markup, without a word.
func TestTelegramEntities(t *testing.T) {
	g := NewTelegram(TelegramOptions{})
	defer g.Close()
	if status, got := askTelegram(t, g, "sendMessage", telegramBody(t, strings.Repeat("<b>a</b> ", 101))); status != 200 {
		t.Fatalf("%d %s", status, got)
	}
	if m := g.Messages()[0]; len(m.Entities) != 100 || len(m.Text) != 201 {
		t.Errorf("%d pieces of markup, %d characters", len(m.Entities), len(m.Text))
	}
}

func TestTelegramPaces(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := NewTelegram(TelegramOptions{PerChat: 2, Now: func() time.Time { return at }})
	defer g.Close()
	for i, want := range []int{200, 200, 429} {
		if status, got := askTelegram(t, g, "sendMessage", telegramBody(t, "a")); status != want || want == 429 && got != `{"description":"Too Many Requests: retry after 60","error_code":429,"ok":false,"parameters":{"retry_after":60}}` {
			t.Errorf("message %d: %d %s", i, status, got)
		}
	}
	if status, _ := askTelegram(t, g, "sendMessage", `{"chat_id":9,"text":"a"}`); status != 200 {
		t.Error("another chat waits, too")
	}
	at = at.Add(time.Minute)
	if status, _ := askTelegram(t, g, "sendMessage", telegramBody(t, "a")); status != 200 {
		t.Error("it waits after its time")
	}
}
