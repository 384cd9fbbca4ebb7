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

// askSlack calls a method as a bot does.
func askSlack(t *testing.T, s *Slack, method, body, token string) (*http.Response, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), "POST", s.API()+"/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json; charset=utf-8")
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a, strings.TrimSpace(string(b))
}

func slackArguments(t *testing.T, values map[string]any) string {
	t.Helper()
	b, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSlackRefuses(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	s := NewSlack(SlackOptions{Now: func() time.Time { return at }, Channels: []SlackChannel{
		{ID: "C1", Threads: []string{"1600000000.000001"}}, {ID: "C2", Refused: "is_archived"},
	}})
	defer s.Close()
	post := func(values map[string]any) string {
		values["channel"] = "C1"
		return slackArguments(t, values)
	}
	const first = "1700000000.000001"
	for _, k := range []struct {
		method, body, want, why string // want is a code, or empty
	}{
		{"chat.postMessage", post(map[string]any{"text": "a"}), "", "a message is taken"},
		{"chat.postMessage", post(map[string]any{"text": " "}), "no_text", "nothing to read"},
		{"chat.postMessage", post(map[string]any{}), "no_text", "no text"},
		{"chat.postMessage", `{"channel":"C9","text":"a"}`, "channel_not_found", "no such channel"},
		{"chat.postMessage", `{"text":"a"}`, "channel_not_found", "no channel"},
		{"chat.postMessage", `{"channel":"C2","text":"a"}`, "is_archived", "a channel that refuses"},
		{"chat.postMessage", `{"channel`, "invalid_json", "no JSON"},
		{"chat.postMessage", post(map[string]any{"text": "a", "thread_ts": first}), "", "a reply"},
		{"chat.postMessage", post(map[string]any{"text": "a", "thread_ts": "1600000000.000001"}), "", "a reply to somebody else"},
		{"chat.postMessage", post(map[string]any{"text": "a", "thread_ts": "1600000000.000002"}), "thread_not_found", "a reply to nothing"},
		{"chat.update", post(map[string]any{"text": strings.Repeat("ü", 2000), "ts": first}), "", "4,000 bytes"},
		{"chat.update", post(map[string]any{"text": strings.Repeat("ü", 2000) + "a", "ts": first}), "msg_too_long", "one more is one too many"},
		{"chat.update", post(map[string]any{"text": "a", "ts": "1.000001"}), "message_not_found", "no such message"},
		{"chat.update", post(map[string]any{"text": "", "ts": first}), "no_text", "an edit to nothing"},
		{"chat.delete", post(map[string]any{"ts": first}), "", "taken back"},
		{"chat.delete", post(map[string]any{"ts": first}), "message_not_found", "taken back twice"},
		{"auth.test", `{}`, "", "who am I"},
		{"chat.shout", `{}`, "unknown_method", "a method that there is not"},
	} {
		a, got := askSlack(t, s, k.method, k.body, SlackToken)
		var said struct {
			OK    bool   `json:"ok"`
			Error string `json:"error"`
		}
		if err := json.Unmarshal([]byte(got), &said); err != nil || a.StatusCode != 200 || said.OK != (k.want == "") || said.Error != k.want {
			t.Errorf("%s: %s %s, want %q", k.why, a.Status, got, k.want)
		}
	}
	for token, want := range map[string]string{"": "not_authed", "xoxb-other": "invalid_auth"} {
		if _, got := askSlack(t, s, "auth.test", `{}`, token); got != fmt.Sprintf(`{"error":%q,"ok":false}`, want) {
			t.Errorf("token %q: %s", token, got)
		}
	}
}

func TestSlackKeeps(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	s := NewSlack(SlackOptions{Now: func() time.Time { return at }})
	defer s.Close()
	_, got := askSlack(t, s, "chat.postMessage", `{"channel":"U1","text":"*a* <!channel> `+"`<@U2|x>`"+` <!subteam^S1> &lt;!here&gt; @all","mrkdwn":false,"unfurl_links":false,"unfurl_media":false}`, SlackToken)
	if want := `{"channel":"D1","message":{"bot_id":"B0FAKE000","text":"*a* <!channel> ` + "`<@U2|x>`" + ` <!subteam^S1> &lt;!here&gt; @all","ts":"1700000000.000001","type":"message","user":"U0FAKE000"},"ok":true,"ts":"1700000000.000001"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	a, err := http.PostForm(s.API()+"/chat.postMessage", url.Values{"token": {SlackToken}, "channel": {"C1"}, "text": {"hi @carol"}, "link_names": {"1"}, "thread_ts": {"1.2"}})
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	askSlack(t, s, "chat.postMessage", slackArguments(t, map[string]any{"channel": "C1", "text": strings.Repeat("😀", 40_001)}), SlackToken)
	want := []SlackMessage{
		{Channel: "D1", TS: "1700000000.000001", Text: "*a* <!channel> `<@U2|x>` <!subteam^S1> &lt;!here&gt; @all", Notified: []string{"<!channel>", "<@U2|x>", "<!subteam^S1>"}, Time: at},
		{Channel: "C1", TS: "1700000000.000002", Thread: "1.2", Text: "hi @carol", Mrkdwn: true, Notified: []string{"@carol"}, Unfurls: true, Time: at},
		{Channel: "C1", TS: "1700000000.000003", Text: strings.Repeat("😀", 40_000), Cut: true, Mrkdwn: true, Unfurls: true, Time: at},
	}
	if got := s.Messages(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	askSlack(t, s, "chat.update", `{"channel":"C1","ts":"1700000000.000002","text":"hi @dave"}`, SlackToken)
	if m := s.Messages()[1]; m.Edits != 1 || m.Text != "hi @dave" || fmt.Sprint(m.Notified) != "[@dave]" {
		t.Errorf("an edit that does not say how to parse: %+v", m)
	}
	askSlack(t, s, "chat.update", `{"channel":"C1","ts":"1700000000.000002","text":"hi @erin","parse":"none"}`, SlackToken)
	if m := s.Messages()[1]; len(m.Notified) != 0 {
		t.Errorf("an edit that does: %+v", m)
	}
}

func TestSlackPaces(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	s := NewSlack(SlackOptions{PerChannel: 1, Window: 30 * time.Second, Now: func() time.Time { return at }})
	defer s.Close()
	const body = `{"channel":"C1","text":"a"}`
	if a, got := askSlack(t, s, "chat.postMessage", body, SlackToken); a.StatusCode != 200 {
		t.Errorf("the first: %s", got)
	}
	if a, got := askSlack(t, s, "chat.postMessage", body, SlackToken); a.StatusCode != 429 || a.Header.Get("Retry-After") != "30" || got != `{"error":"ratelimited","ok":false}` {
		t.Errorf("the second: %s %s", a.Status, got)
	}
	if a, _ := askSlack(t, s, "chat.postMessage", `{"channel":"C2","text":"a"}`, SlackToken); a.StatusCode != 200 {
		t.Error("another channel waits, too")
	}
	at = at.Add(30 * time.Second)
	if a, _ := askSlack(t, s, "chat.postMessage", body, SlackToken); a.StatusCode != 200 {
		t.Error("it waits after its time")
	}
}
