package sdktest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestBinary(t *testing.T) {
	t.Setenv("VAK_TEST_SECRET", "x")
	path := Build(t, "testdata/shout")
	goroutines := runtime.NumGoroutine()
	t.Run("serves", func(t *testing.T) {
		r := Binary(t, path)
		if r.Info().ID != "shout" {
			t.Errorf("Info = %+v", r.Info())
		}
		for _, c := range []struct{ say, want string }{{"hello", "HELLO"}, {"environment", ""}} {
			out, err := r.Render(t.Context(), surface.RenderRequest{Doc: &doc.Document{Version: doc.SchemaVersion, Blocks: []doc.Block{
				&doc.Paragraph{ID: "1", Inlines: []doc.Inline{&doc.Text{Text: c.say}}},
			}}})
			if err != nil || len(out.Chunks) != 1 {
				t.Fatalf("got %+v, %v", out, err)
			}
			got := out.Chunks[0].Text
			if n, _ := strconv.Atoi(got); c.want != "" && got != c.want || c.want == "" && n > 12 {
				t.Errorf("%s: got %q", c.say, got)
			}
		}
	})
	if n := settle(goroutines); n > goroutines {
		t.Errorf("%d goroutines before, %d after", goroutines, n)
	}

	for _, c := range []struct {
		why, says string
		spoil     func() error
	}{
		{"another name", "names the binary", func() error { return os.Rename(path, path+"2") }},
		{"other bytes", "sha256 differs", func() error { return os.WriteFile(path, []byte("x"), 0o755) }},
		{"no manifest", "plugin.json", func() error { return os.Remove(filepath.Join(filepath.Dir(path), "plugin.json")) }},
	} {
		if err := c.spoil(); err != nil {
			t.Fatal(err)
		}
		name := path
		if c.why == "another name" {
			name += "2"
		}
		if _, err := readManifest(name); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: err = %v, want %q", c.why, err, c.says)
		}
	}
}

func TestPlatform(t *testing.T) {
	p := NewPlatform(t, Answer{Body: "fine"})
	p.Next(Answer{Status: 429, Header: http.Header{"Retry-After": {"7"}}, Body: "slow"}, Answer{Cut: true}, Answer{After: time.Hour})
	client := http.Client{Timeout: 300 * time.Millisecond}
	post := func(body string) (int, string, string) {
		r, err := client.Post(p.URL+"/send?to=me", "text/plain", strings.NewReader(body))
		if err != nil {
			return 0, "", ""
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode, string(b), r.Header.Get("Retry-After")
	}
	if code, body, after := post("one"); code != 429 || body != "slow" || after != "7" {
		t.Errorf("got %d %q %q", code, body, after)
	}
	for _, say := range []string{"two", "three"} { // cut, and too late
		if code, _, _ := post(say); code != 0 {
			t.Errorf("%s: got %d, want no answer", say, code)
		}
	}
	if code, body, _ := post("four"); code != 200 || body != "fine" {
		t.Errorf("got %d %q", code, body)
	}
	var bodies []string
	for _, a := range p.Requests() {
		if a.Method != "POST" || a.Path != "/send?to=me" || a.Header.Get("Content-Type") != "text/plain" {
			t.Errorf("asked %+v", a)
		}
		bodies = append(bodies, a.Body)
	}
	if got := strings.Join(bodies, " "); got != "one two three four" {
		t.Errorf("asked %q", got)
	}
}
