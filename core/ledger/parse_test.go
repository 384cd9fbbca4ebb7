package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// head starts a record that lacks nothing but its kind and body.
const head = `{"v":1,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z",`

const hash = `"667b8cfa97de6591863d946e2e1bf61375b8205b6277adf2b040e8e24aec8be6"`

func TestParseRefuses(t *testing.T) {
	note := `"kind":"activity","what":"x"`
	begin := func(rest string) string {
		return head + `"kind":"turn","turn":"s/1","phase":"begin"` + rest
	}
	for _, c := range []struct {
		line, path string
		err        error
		why        string
	}{
		{``, "", ledger.ErrSyntax, "nothing"},
		{`[]`, "", ledger.ErrInvalid, "no object"},
		{head + note, "", ledger.ErrSyntax, "cut off"},
		{head + note + `,}`, "", ledger.ErrSyntax, "a comma before the end"},
		{head + note + `} {}`, "", ledger.ErrSyntax, "two values"},
		{head + note + "}\x00", "", ledger.ErrSyntax, "a NUL behind it"},
		{head + note + "}\n", "", ledger.ErrSyntax, "the newline of the file"},
		{head + note + ",\n\"a\":1}", "", ledger.ErrSyntax, "two lines"},
		{head + note + ",\"a\":\"\xff\"}", "", ledger.ErrSyntax, "not UTF-8"},
		{head + note + ",\"a\":\"\x01\"}", "", ledger.ErrSyntax, "a control character"},
		{head + note + `,"a":"\q"}`, "", ledger.ErrSyntax, "no such escape"},
		{head + note + `,"a":"\u12g4"}`, "", ledger.ErrSyntax, "no such digit"},
		{head + note + `,"a":01}`, "", ledger.ErrSyntax, "a leading zero"},
		{head + note + `,"a":1.}`, "", ledger.ErrSyntax, "a fraction without digits"},
		{head + note + `,"a":1e}`, "", ledger.ErrSyntax, "an exponent without digits"},
		{head + note + `,"a":-}`, "", ledger.ErrSyntax, "a sign alone"},
		{head + note + `,"a":nul}`, "", ledger.ErrSyntax, "half a word"},
		{head + note + `,"a":}`, "", ledger.ErrSyntax, "no value"},
		{head + note + `,"a"}`, "", ledger.ErrSyntax, "no colon"},
		{head + note + `,a:1}`, "", ledger.ErrSyntax, "a name without quotes"},
		{head + note + `,"a":"\`, "", ledger.ErrSyntax, "ends in an escape"},
		{head + note + `,"what":"x"}`, "", ledger.ErrInvalid, "a member twice"},
		{head + note + `,"wh\u0061t":"x"}`, "", ledger.ErrInvalid, "a member twice, once in disguise"},
		{head + note + `,"a":1,"a":2}`, "", ledger.ErrInvalid, "a member that is not known twice"},
		{head + note + `,"v":1}`, "", ledger.ErrInvalid, "v twice"},
		{`{"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z",` + note + `}`, "", ledger.ErrInvalid, "no v"},
		{`{"v":0,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z",` + note + `}`, "", ledger.ErrInvalid, "v is 0"},
		{`{"v":1,"seq":1,"time":"2026-03-01T09:00:00.000Z",` + note + `}`, "", ledger.ErrInvalid, "no session"},
		{`{"v":1,"session":"s","time":"2026-03-01T09:00:00.000Z",` + note + `}`, "", ledger.ErrInvalid, "no seq"},
		{`{"v":1,"session":"s","seq":1,` + note + `}`, "", ledger.ErrInvalid, "no time"},
		{head + `"what":"x"}`, "", ledger.ErrInvalid, "no kind"},
		{strings.TrimSuffix(head, ",") + `}`, "", ledger.ErrInvalid, "no kind and no body"},
		{head + `"kind":"A thing"}`, "kind", ledger.ErrInvalid, "a kind that is no word"},
		{head + `"kind":""}`, "kind", ledger.ErrInvalid, "an empty kind"},
		{head + `"kind":7}`, "kind", ledger.ErrInvalid, "a kind that is no string"},
		{`{"v":1,"session":"../s","seq":1`, "session", ledger.ErrInvalid, "a session that leads out of a folder"},
		{`{"v":1,"session":".s","seq":1`, "session", ledger.ErrInvalid, "a hidden file"},
		{`{"v":1,"session":"` + strings.Repeat("s", 65) + `","seq":1`, "session", ledger.ErrInvalid, "a long session"},
		{`{"v":1,"session":"s","seq":-1`, "seq", ledger.ErrInvalid, "a negative number"},
		{`{"v":1,"session":"s","seq":1.0`, "seq", ledger.ErrInvalid, "a fraction"},
		{`{"v":1,"session":"s","seq":01`, "seq", ledger.ErrInvalid, "a leading zero"},
		{`{"v":1,"session":"s","seq":18446744073709551616`, "seq", ledger.ErrInvalid, "2^64"},
		{`{"v":1,"session":"s","seq":"1"`, "seq", ledger.ErrInvalid, "a number in quotes"},
		{`{"v":1,"time":"2026-03-01T09:00:00Z"`, "time", ledger.ErrInvalid, "no milliseconds"},
		{`{"v":1,"time":"2026-03-01T10:00:00.000+01:00"`, "time", ledger.ErrInvalid, "another zone"},
		{`{"v":1,"time":"2026-02-29T09:00:00.000Z"`, "time", ledger.ErrInvalid, "no leap year"},
		{`{"v":1,"time":"2026-03-00T09:00:00.000Z"`, "time", ledger.ErrInvalid, "day 0"},
		{`{"v":1,"time":"2026-13-01T09:00:00.000Z"`, "time", ledger.ErrInvalid, "month 13"},
		{`{"v":1,"time":"2026-00-01T09:00:00.000Z"`, "time", ledger.ErrInvalid, "month 0"},
		{`{"v":1,"time":"2026-03-01T24:00:00.000Z"`, "time", ledger.ErrInvalid, "hour 24"},
		{`{"v":1,"time":"2026-03-01T09:60:00.000Z"`, "time", ledger.ErrInvalid, "minute 60"},
		{`{"v":1,"time":"2026-03-01T09:00:60.000Z"`, "time", ledger.ErrInvalid, "second 60"},
		{head + `"prev":` + hash + `,` + note + `}`, "", ledger.ErrInvalid, "a first record with one before it"},
		{strings.Replace(head, `"seq":1`, `"seq":2`, 1) + note + `}`, "", ledger.ErrInvalid, "a second record without one before it"},
		{head + `"prev":` + strings.ToUpper(hash), "prev", ledger.ErrInvalid, "upper-case digits"},
		{head + `"prev":"66"`, "prev", ledger.ErrInvalid, "a short hash"},
		{head + `"prev":"` + strings.Repeat("0", 64) + `"`, "prev", ledger.ErrInvalid, "the zero hash is none"},
		{head + `"turn":"s/1",` + note + `}`, "", ledger.ErrInvalid, "a record that did not begin its turn"},
		{head + `"turn":"t/1",` + note + `}`, "", ledger.ErrInvalid, "a turn of another session"},
		{head + `"turn":"s/0"`, "turn", ledger.ErrInvalid, "record 0"},
		{head + `"turn":"s/01"`, "turn", ledger.ErrInvalid, "a leading zero in an id"},
		{head + `"turn":"s/+1"`, "turn", ledger.ErrInvalid, "a sign in an id"},
		{head + `"turn":"s"`, "turn", ledger.ErrInvalid, "a session alone"},
		{head + `"kind":"turn","phase":"begin"}`, "", ledger.ErrInvalid, "a begin outside its turn"},
		{begin(`,"status":"complete"}`), "", ledger.ErrInvalid, "a begin with a status"},
		{head + `"kind":"turn","turn":"s/1"}`, "", ledger.ErrInvalid, "no phase"},
		{head + `"kind":"turn","phase":"end","status":"failed"}`, "", ledger.ErrInvalid, "the end of no turn"},
		{head + `"kind":"turn","phase":"middle"}`, "phase", ledger.ErrInvalid, "no such phase"},
		{head + `"kind":"turn","status":"done"}`, "status", ledger.ErrInvalid, "no such status"},
		{begin(`,"epoch":-7}`), "epoch", ledger.ErrInvalid, "a negative epoch"},
		{head + `"kind":"message","markdown":"a"}`, "", ledger.ErrInvalid, "no role"},
		{head + `"kind":"message","role":"admin"}`, "role", ledger.ErrInvalid, "no such role"},
		{head + `"kind":"message","role":"user","markdown":7}`, "markdown", ledger.ErrInvalid, "a text that is a number"},
		{head + `"kind":"message","role":"user","markdown":"a","markdown_b64":"Yg=="}`, "markdown_b64", ledger.ErrInvalid, "other bytes than the text"},
		{head + `"kind":"message","role":"user","markdown":"a","markdown_b64":"Y"}`, "markdown_b64", ledger.ErrInvalid, "no base64"},
		{head + `"kind":"message","role":"user","markdown_b64":"/w==","markdown":"\ufffd"}`, "markdown_b64", ledger.ErrInvalid, "bytes before the text"},
		{head + `"kind":"message","role":"user","control":"Repair!"}`, "control", ledger.ErrInvalid, "a control that is no word"},
		{head + `"kind":"message","role":"user","metadata":{"a":1}}`, "metadata", ledger.ErrInvalid, "metadata that is a number"},
		{head + `"kind":"message","role":"user","metadata":{"a":"1","a":"1"}}`, "metadata", ledger.ErrInvalid, "metadata twice"},
		{head + `"kind":"message","role":"user","metadata":[]}`, "metadata", ledger.ErrInvalid, "metadata that is a list"},
		{head + `"kind":"tool_result","ok":1}`, "ok", ledger.ErrInvalid, "1 is not true"},
		{head + `"kind":"activity"}`, "", ledger.ErrInvalid, "nothing happened"},
		{head + `"kind":"presentation"}`, "", ledger.ErrInvalid, "of nothing"},
		{head + `"kind":"presentation","entry":"s"}`, "entry", ledger.ErrInvalid, "of no entry"},
		{head + `"kind":"presentation","renderers":[{"block":"1"},{"block":"x"}]}`, "renderers[1].block", ledger.ErrInvalid, "no id of a block"},
		{head + `"kind":"presentation","renderers":[{}]}`, "renderers[0]", ledger.ErrInvalid, "no block"},
		{head + `"kind":"presentation","trees":[{"tree":{}}]}`, "trees[0]", ledger.ErrInvalid, "a tree without its hash"},
		{head + `"kind":"presentation","trees":[{"sha256":"7"}]}`, "trees[0].sha256", ledger.ErrInvalid, "no hash"},
		{head + `"kind":"presentation","trees":{}}`, "trees", ledger.ErrInvalid, "an object that is no list"},
		{head + `"kind":"new_thing","a":tru}`, "", ledger.ErrSyntax, "a kind that is not known is still JSON"},
		{head + `"kind":"tool_call","arguments":` + strings.Repeat("[", 64), "arguments", ledger.ErrTooDeep, "65 deep"},
		{head + `"kind":"new_thing","a":` + strings.Repeat(`{"a":`, 1<<20), "", ledger.ErrTooDeep, "a million deep"},
		{head + `"kind":"new_thing","a":` + strings.Repeat("[", 1<<20), "", ledger.ErrTooDeep, "a million lists deep"},
		{head + note + members(59) + `}`, "", ledger.ErrTooMany, "more than 64 members"},
		{head + `"kind":"presentation","renderers":[` + strings.Repeat(`{"block":"1"},`, 250_001), "renderers[250000]", ledger.ErrTooMany, "too many renderers"},
		{head + note + `,"a":"` + strings.Repeat("a", 32<<20) + `"}`, "", ledger.ErrTooLarge, "more than 32 MiB"},
	} {
		r, err := ledger.Parse([]byte(c.line))
		var pe *ledger.ParseError
		if !errors.As(err, &pe) || !errors.Is(err, c.err) || pe.Path != c.path || pe.Offset < 0 || pe.Offset > len(c.line) {
			t.Errorf("%s: got %v, want %v at %q", c.why, err, c.err, c.path)
		}
		if !reflect.DeepEqual(r, ledger.Record{}) {
			t.Errorf("%s: an error and a record", c.why)
		}
	}
}

// members are n members that are not known.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"m` + strings.Repeat("m", i) + `":1`)
	}
	return b.String()
}

// TestParseTakes shows what is read although Append writes it otherwise.
func TestParseTakes(t *testing.T) {
	for _, c := range []struct{ line, want, why string }{
		{
			"  {\t\"v\" : 1 , \"session\":\"s\",\"seq\":1,\"time\":\"2026-03-01T09:00:00.000Z\",\"kind\":\"tool_call\",\"call_id\":\"\",\"name\":\"n\", \"arguments\" : [ 1 , \" a \\\" b \" , {} ] \r} ",
			head + `"kind":"tool_call","call_id":"","name":"n","arguments":[1," a \" b ",{}]}`,
			"space between tokens, none of it within strings",
		},
		{
			`{"control":"stop_guard","kind":"message","markdown":"m","metadata":{"b":"2","a":"1"},"role":"system","seq":1,"session":"s","time":"2026-03-01T09:00:00.000Z","v":1}`,
			head + `"kind":"message","role":"system","markdown":"m","control":"stop_guard","metadata":{"a":"1","b":"2"}}`,
			"members that a tool has sorted",
		},
		{
			`{"zeta":1,"v":1,"alpha":[ ],"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","kind":"activity","what":"x","what_b64":2,"epoch_b64":null}`,
			head + `"kind":"activity","what":"x","zeta":1,"alpha":[],"what_b64":2,"epoch_b64":null}`,
			"members that are not known, in their order, behind all others",
		},
		{
			head + `"kind":"message","role":"user","markdown":"\u0041\/\ud83d\ude00\ud83d \ude00\uD83D\u0041\u000a"}`,
			head + `"kind":"message","role":"user","markdown":"A/😀` + "\ufffd \ufffd\ufffd" + `A\n"}`,
			"escapes that JSON does not demand, and halves of surrogates",
		},
		{
			head + `"kind":"message","role":"user","markdown":"a","markdown_b64":"YQ=="}`,
			head + `"kind":"message","role":"user","markdown":"a"}`,
			"exact bytes that are the text",
		},
		{
			head + `"kind":"tool_result","ok":false,"json":null}`,
			head + `"kind":"tool_result","call_id":"","name":"","ok":false,"content":"","json":null}`,
			"members that are left out, and a null that is there",
		},
		{
			head + `"kind":"turn","phase":"begin","turn":"s/1","epoch":18446744073709551615,"key":""}`,
			`{"v":1,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","turn":"s/1","kind":"turn","phase":"begin","epoch":18446744073709551615}`,
			"the largest number, and an empty string that is optional",
		},
		{
			head + `"kind":"tool_call","call_id":"","name":"","arguments":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
			"", "64 deep",
		},
		{
			`{"arguments":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `,` + head[1:] + `"kind":"tool_call"}`,
			head + `"kind":"tool_call","call_id":"","name":"","arguments":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
			"64 deep, before the kind",
		},
		{head + `"kind":"activity","what":"x"` + members(58) + `}`, "", "64 members"},
	} {
		r, err := ledger.Parse([]byte(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if c.want == "" {
			c.want = c.line
		}
		got := ledger.Append([]byte("before"), &r)
		if string(got) != "before"+c.want {
			t.Errorf("%s\n got %s\nwant %s", c.why, got[6:], c.want)
		}
		again, err := ledger.Parse(got[6:])
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%s: read again: %v\n got %+v\nwant %+v", c.why, err, again, r)
		}
	}
}

// TestUnknown shows that what a newer vak has written stays as it is.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		line string
		kind ledger.Kind
		why  string
	}{
		{head + ` "kind":"hologram", "depth" : 3 }`, "hologram", "a kind that is not known, with space in it"},
		{`{"v":2,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","kind":"message","role":{"of":"many"},"markdown":[1]}`, "message", "a newer version of a known kind"},
		{`{"role":[],"kind":"message","session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","v":4294967296}`, "message", "one that is sorted"},
		{`{"v":2,"session":"s","seq":1,"turn":"s/1","time":"2026-03-01T09:00:00.000Z","kind":"turn","phase":"start"}`, "turn", "a turn that begins in a newer way"},
	} {
		line := []byte(c.line)
		r, err := ledger.Parse(line)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		clear(line) // the record shares no memory with it
		u, ok := r.Body.(*ledger.Unknown)
		if !ok || u.Kind() != c.kind || string(u.JSON) != c.line || r.Session != "s" || r.Seq != 1 || r.Time.IsZero() {
			t.Errorf("%s: got %+v", c.why, r)
		}
		if got := ledger.Append(nil, &r); string(got) != c.line {
			t.Errorf("%s: written again\n got %s\nwant %s", c.why, got, c.line)
		}
	}
}

// TestAppendMends shows what becomes of values that are not JSON: a model's
// arguments may be anything, and a line has to be one line of JSON.
func TestAppendMends(t *testing.T) {
	for _, c := range []struct{ args, want, why string }{
		{"{\n  \"a\": \"b c\",\r\n\t\"d\": []\n}\n", `{"a":"b c","d":[]}`, "JSON of several lines"},
		{`{"a": `, `"{\"a\": "`, "cut off"},
		{"{}\n{}", `"{}\n{}"`, "two values"},
		{"{\"a\":\"\n\"}", `"{\"a\":\"\n\"}"`, "a newline in a string"},
		{"rm -rf", `"rm -rf"`, "no JSON at all"},
		{"\"a\xff\"", `"\"a` + "\ufffd" + `\""`, "not UTF-8"},
		{" ", `" "`, "space alone"},
		{"{}\x00", `"{}\u0000"`, "a NUL behind it"},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), `"` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `"`, "too deep by one"},
	} {
		r := ledger.Record{Session: "s", Seq: 1, Time: at(0).Add(-5 * time.Millisecond), Body: &ledger.ToolCall{CallID: "c", Name: "n", Arguments: json.RawMessage(c.args)}}
		got := ledger.Append(nil, &r)
		want := head + `"kind":"tool_call","call_id":"c","name":"n","arguments":` + c.want + `}`
		if string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", c.why, got, want)
		}
		if _, err := ledger.Parse(got); err != nil || bytes.IndexByte(got, '\n') >= 0 {
			t.Errorf("%s: not one line that can be read: %v", c.why, err)
		}
	}
	tree := func(depth int) []byte {
		r := ledger.Record{Session: "s", Seq: 1, Body: &ledger.Presentation{Entry: ledger.EntryID{Session: "s", Seq: 1}, Trees: []ledger.Tree{
			{SHA256: ledger.HashOf(nil), Tree: json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))},
		}}}
		return ledger.Append(nil, &r)
	}
	for depth, want := range map[int]string{61: `"tree":[`, 62: `"tree":"[`} {
		line := tree(depth)
		if _, err := ledger.Parse(line); err != nil || !bytes.Contains(line, []byte(want)) {
			t.Errorf("a tree %d deep: %v, %s", depth, err, line)
		}
	}
}

// TestAppendTime shows that a line has one form of a moment.
func TestAppendTime(t *testing.T) {
	r := ledger.Record{Session: "s", Seq: 1, Body: &ledger.Activity{What: "x"}}
	r.Time = time.Date(2026, 3, 1, 10, 30, 0, 999_999, time.FixedZone("", 90*60))
	if got, want := string(ledger.Append(nil, &r)), head+`"kind":"activity","what":"x"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestErrorsSayNothing shows that no text of a message gets into an error.
func TestErrorsSayNothing(t *testing.T) {
	const secret = "swordfish"
	for _, line := range []string{
		head + `"kind":"` + secret + ` "}`,
		head + `"kind":"message","role":"` + secret + `"}`,
		head + `"kind":"message","role":"user","markdown":"` + secret + `","markdown_b64":"YQ=="}`,
		head + `"kind":"message","role":"user","` + secret + `":tru}`,
		head + `"kind":"message","role":"user","metadata":{"` + secret + `":1}}`,
		head + `"kind":"message","role":"user","` + secret + `":1,"` + secret + `":1}`,
		head + `"turn":"` + secret + `"}`,
		head + `"kind":"presentation","renderers":[{"` + secret + `":tru}]}`,
		`{"v":1,"session":"` + secret + ` "}`,
		`{"v":1,"time":"` + secret + `"}`,
		`{"v":` + secret + `}`,
	} {
		_, err := ledger.Parse([]byte(line))
		var c ledger.Chain
		_, chained := c.Add([]byte(line))
		if err == nil || chained == nil || strings.Contains(err.Error()+chained.Error(), secret) {
			t.Errorf("%s gives %v, %v", line, err, chained)
		}
	}
}
