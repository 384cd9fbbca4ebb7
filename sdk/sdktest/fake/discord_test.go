package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	discordRoom   = "1100000000000000042"
	discordClosed = "1100000000000000043"
)

// askDiscord makes a request as a bot does, and returns the status, the body and its
// header.
func askDiscord(t *testing.T, d *Discord, method, path, body string, change ...func(http.Header)) (int, string, http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, d.API()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("User-Agent", "DiscordBot (https://example.org, 1.0)")
	q.Header.Set("Authorization", "Bot discord-token")
	q.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(q.Header)
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
	return a.StatusCode, string(b), a.Header
}

func TestDiscordRefuses(t *testing.T) {
	d := NewDiscord(DiscordOptions{Channels: map[string]int{discordRoom: 0, discordClosed: 50013}})
	defer d.Close()
	messages := "/channels/" + discordRoom + "/messages"
	content := func(s string) string {
		b, err := json.Marshal(map[string]string{"content": s})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, k := range []struct {
		method, path, body string
		header             func(http.Header)
		status             int
		want               string
		why                string
	}{
		{"POST", messages, content("a"), nil, 200, `"content":"a"`, "a message is taken"},
		{"POST", messages, content(strings.Repeat("😀", 2000)), nil, 200, `"id":"`, "2000 characters, whatever their size"},
		{"POST", messages, content(strings.Repeat("a", 2001)), nil, 400, `"errors":{"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH"`, "one more is none too few"},
		{"POST", messages, content(" \n"), nil, 400, `"code":50006`, "nothing to read"},
		{"POST", messages, `{}`, nil, 400, `"code":50006`, "no content"},
		{"POST", messages, `{"content`, nil, 400, `"code":50109`, "no JSON"},
		{"POST", messages, `{"content":"a","nonce":"12345678901234567890123456"}`, nil, 400, `"errors":{"nonce":`, "a nonce of 26"},
		{"POST", messages, `{"content":"a","nonce":["x"]}`, nil, 400, `"BASE_TYPE_BAD_TYPE"`, "a nonce that is none"},
		{"POST", messages, `{"content":"a","allowed_mentions":{"parse":["all"]}}`, nil, 400, `"errors":{"allowed_mentions":`, "no such mention"},
		{"POST", messages, `{"content":"a","allowed_mentions":{"parse":["users"],"users":["1"]}}`, nil, 400, `mutually exclusive`, "both ways to allow"},
		{"POST", messages, `{"content":"a","message_reference":{"message_id":"1"}}`, nil, 400, `"errors":{"message_reference":`, "a reply to nothing"},
		{"POST", messages, `{"content":"a","message_reference":{"message_id":"1","fail_if_not_exists":false}}`, nil, 200, `"type":0`, "unless that is no matter"},
		{"POST", "/channels/" + discordClosed + "/messages", content("a"), nil, 403, `"code":50013`, "a channel that refuses"},
		{"POST", "/channels/1100000000000000044/messages", content("a"), nil, 404, `"code":10003`, "no such channel"},
		{"POST", "/channels/general/messages", content("a"), nil, 400, `is not snowflake`, "a name is no id"},
		{"PATCH", messages + "/1100000000000000099", content("a"), nil, 404, `"code":10008`, "no such message"},
		{"DELETE", messages + "/1100000000000000099", "", nil, 404, `"code":10008`, "no such message to delete"},
		{"PUT", messages, content("a"), nil, 405, `Method Not Allowed`, "another method"},
		{"POST", "/channels/" + discordRoom, content("a"), nil, 404, `404: Not Found`, "another path"},
		{"POST", messages, content("a"), func(h http.Header) { h.Set("Authorization", "discord-token") }, 401, `401: Unauthorized`, "the word Bot is missing"},
		{"POST", messages, content("a"), func(h http.Header) { h.Set("User-Agent", "curl/8") }, 403, `"code":40333`, "a program that says not what it is"},
		{"POST", messages, content("a"), func(h http.Header) { h.Set("Content-Type", "text/plain") }, 400, `"code":50035`, "no JSON by its type"},
	} {
		var change []func(http.Header)
		if k.header != nil {
			change = append(change, k.header)
		}
		status, body, _ := askDiscord(t, d, k.method, k.path, k.body, change...)
		if status != k.status || !strings.Contains(strings.ToUpper(body), strings.ToUpper(k.want)) {
			t.Errorf("%s: %d %.200s, want %d %s", k.why, status, body, k.status, k.want)
		}
	}
}

func TestDiscordKeeps(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := NewDiscord(DiscordOptions{Now: func() time.Time { return now }, Burst: 3, Per: time.Second})
	defer d.Close()
	messages := "/channels/" + discordRoom + "/messages"
	post := func(body string) (status int, id string) {
		status, said, _ := askDiscord(t, d, "POST", messages, body)
		var m struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal([]byte(said), &m); err != nil {
			t.Fatal(err)
		}
		return status, m.ID
	}
	const once = `{"content":"a","nonce":"n","enforce_nonce":true}`
	_, first := post(once)
	if _, again := post(once); again != first || first == "" {
		t.Errorf("the same nonce makes %q and %q", first, again)
	}
	if _, other := post(`{"content":"a","nonce":"n"}`); other == first {
		t.Error("a nonce that is not enforced is")
	}
	now = now.Add(4 * time.Minute)
	if _, later := post(once); later == first {
		t.Error("a nonce is remembered for ever")
	}
	status, reply := post(`{"content":"b","flags":4100,"message_reference":{"message_id":"` + first + `"}}`)
	if status != 200 {
		t.Fatal(status)
	}
	post(`{"content":"@everyone <@1> ` + "`<@2>`" + `  \\@here <@&3>"}`)
	status, said, h := askDiscord(t, d, "POST", messages, `{"content":"one too many"}`)
	if status != 429 || !strings.Contains(said, `"retry_after":1.000`) || h.Get("Retry-After") != "1" || h.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("a burst gets %d %s %v", status, said, h)
	}
	now = now.Add(time.Second)
	if status, _, _ := askDiscord(t, d, "PATCH", messages+"/"+reply, `{"content":"<@1><@&2>@here","allowed_mentions":{"parse":["users"]}}`); status != 200 {
		t.Error(status)
	}
	if status, _, _ := askDiscord(t, d, "DELETE", messages+"/"+first, ""); status != 204 {
		t.Error(status)
	}
	all := d.Messages()
	if len(all) != 5 {
		t.Fatalf("%d messages", len(all))
	}
	if m := all[0]; m.ID != first || !m.Deleted || m.Nonce != "n" || m.Channel != discordRoom {
		t.Errorf("%+v", m)
	}
	if m := all[3]; m.ID != reply || m.ReplyTo != first || !m.Silent || m.Flags != 4100 || m.Edited != 1 || !slices.Equal(m.Notified, []string{"<@1>"}) {
		t.Errorf("%+v", m)
	}
	if m := all[4]; !slices.Equal(m.Notified, []string{"@everyone", "<@1>", "<@&3>"}) {
		t.Errorf("without allowed_mentions: %v", m.Notified)
	}
	all[4].Notified[0] = "changed"
	if d.Messages()[4].Notified[0] != "@everyone" {
		t.Error("what is returned is shared")
	}
}
