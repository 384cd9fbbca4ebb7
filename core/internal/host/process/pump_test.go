package process

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
)

func bufferLog() (hclog.Logger, *bytes.Buffer) {
	b := &bytes.Buffer{}
	return hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: b, JSONFormat: true}), b
}

// pumped is what the log holds of text, a line a time.
func pumped(t testing.TB, text string) (lines []map[string]any, tail string) {
	t.Helper()
	log, written := bufferLog()
	p := newPump(log)
	ended := make(chan struct{})
	close(ended)
	p.run(strings.NewReader(text), ended)
	for line := range strings.Lines(written.String()) {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber() // 1e999 is a number, too
		if err := d.Decode(&m); err != nil {
			t.Fatalf("the log holds %q: %v", line, err)
		}
		delete(m, "@timestamp")
		lines = append(lines, m)
	}
	return lines, p.tail()
}

func TestPump(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{`{"@level":"warn","@message":"hello","@timestamp":"1970","@caller":"x","n":3,"s":"t"}`, `{"@level":"warn","@message":"hello","n":3,"s":"t"}`, "hclog's own form; the plugin's time is dropped"},
		{`{"@message": 5}`, `{"@level":"debug","@message":"plugin output"}`, "crashes go-plugin's own reader"},
		{`{"@level":["x"],"@message":{},"@timestamp":{}}`, `{"@level":"debug","@message":"plugin output"}`, "wrong types"},
		{`{"@message":"m","plugin":"admin","pid":1,"a b\n":2}`, `{"@level":"debug","@message":"m","a_b_n":2,"its_pid":1,"its_plugin":"admin"}`, "reserved and odd keys"},
		{`{"@message":"a\u001b[2Jb","k":"\u0000"}`, `{"@level":"debug","@message":"a\\x1b[2Jb","k":"\\x00"}`, "what a terminal would obey is escaped"},
		{`{"deep":{"a":[1,2]}}`, `{"@level":"debug","@message":"plugin output","deep":"{\"a\":[1,2]}"}`, "nested values are flattened"},
		{"plain text", `{"@level":"debug","@message":"plugin output","text":"plain text"}`, "no JSON"},
		{"panic: oh", `{"@level":"error","@message":"plugin output","text":"panic: oh"}`, "a Go panic"},
		{"{\"cut", `{"@level":"debug","@message":"plugin output","text":"{\"cut"}`, "half a line"},
		{"[1,2]", `{"@level":"debug","@message":"plugin output","text":"[1,2]"}`, "JSON, but no object"},
		{"\xff\x00", `{"@level":"debug","@message":"plugin output","text":"\ufffd\\x00"}`, "no UTF-8"},
		{"\n\n  \n", ``, "blank lines say nothing"},
	} {
		lines, _ := pumped(t, c.in)
		var got string
		if len(lines) > 0 {
			b, err := json.Marshal(lines[0])
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		var want bytes.Buffer
		if c.want != "" {
			var m map[string]any
			if err := json.Unmarshal([]byte(c.want), &m); err != nil {
				t.Fatal(err)
			}
			b, _ := json.Marshal(m)
			want.Write(b)
		}
		if got != want.String() || len(lines) > 1 {
			t.Errorf("%s: %q becomes\n%s, want\n%s (%d lines)", c.why, c.in, got, &want, len(lines))
		}
	}
}

func TestPumpBoundsLines(t *testing.T) {
	lines, tail := pumped(t, strings.Repeat("x", 1<<20)+"\nnext\n")
	if len(lines) != 2 || lines[1]["text"] != "next" {
		t.Fatalf("got %d lines", len(lines))
	}
	if n := len(lines[0]["text"].(string)); n > maxFact+8 {
		t.Errorf("a line of %d bytes", n)
	}
	if len(tail) > maxTail+8 || !strings.HasSuffix(tail, "next\n") {
		t.Errorf("a tail of %d bytes, ending in %q", len(tail), tail[len(tail)-10:])
	}
}

func TestPumpDropsAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var flood strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&flood, "line %d\n", i)
		}
		lines, tail := pumped(t, flood.String())
		if len(lines) != linesBurst+1 {
			t.Errorf("%d lines, want %d and one that counts the dropped", len(lines), linesBurst)
		}
		if last := lines[len(lines)-1]; fmt.Sprint(last["count"]) != fmt.Sprint(5000-linesBurst) {
			t.Errorf("the last line is %v", last)
		}
		if !strings.HasSuffix(tail, "line 4999\n") {
			t.Error("the tail stops early")
		}
	})
}

func TestPumpStallsAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPump(hclog.NewNullLogger())
		r, w := io.Pipe()
		done := make(chan struct{})
		go func() {
			p.run(r, make(chan struct{}))
			close(done)
		}()
		began := time.Now()
		line := []byte(strings.Repeat("y", 1<<10-1) + "\n")
		for range 8 << 10 { // 8 MiB: 4 at once, 4 at 1 MiB a second
			w.Write(line)
		}
		w.Close()
		<-done
		if took := time.Since(began); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("8 MiB took %v, want about 4 s", took)
		}
	})
}

func FuzzPump(f *testing.F) {
	for _, s := range []string{`{"@message": 5}`, `{"@level":"warn","@message":"x","k":[1]}`, "text\n\xff\n", "{", `{"a":1e999}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		lines, tail := pumped(t, string(b))
		if !utf8.ValidString(tail) {
			t.Errorf("tail %q", tail)
		}
		for _, l := range lines {
			for k, v := range l {
				if k == "plugin" || k == "pid" {
					t.Errorf("the plugin set %s", k)
				}
				if s, ok := v.(string); ok && k == "@message" && strings.ContainsAny(s, "\x1b\x00\n") {
					t.Errorf("message %q", s)
				}
			}
		}
	})
}
