package endtoend

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

var hostile struct {
	once sync.Once
	dir  string
	err  error
}

// hostilePlugins returns a directory with the shipped plugins, each built from its
// own source with testdata/renderer.go in place of its main.go: what sends is the
// real thing, what renders means harm.
func hostilePlugins(t *testing.T) string {
	t.Helper()
	hostile.once.Do(func() { hostile.dir, hostile.err = buildHostile() })
	if hostile.err != nil {
		t.Fatal(hostile.err)
	}
	return hostile.dir
}

func removeHostile() {
	if hostile.dir != "" {
		os.RemoveAll(hostile.dir)
	}
}

func buildHostile() (dir string, err error) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", err)
	}
	root := strings.TrimSpace(string(module))
	renderer, err := filepath.Abs(filepath.Join("testdata", "renderer.go"))
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "vak-test-"); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for id := range platforms {
		replace[filepath.Join(root, "plugins", id, "main.go")] = renderer
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return dir, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return dir, err
	}
	for id := range platforms {
		bin := filepath.Join(dir, id, id)
		if runtime.GOOS == "windows" {
			bin += ".exe"
		}
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", file, "-o", bin, "./plugins/"+id)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, errors.Join(fmt.Errorf("go build: %w", err), errors.New(string(out)))
		}
		manifest, err := exec.Command(bin, "manifest").Output()
		if err != nil {
			return dir, fmt.Errorf("%s manifest: %w", id, err)
		}
		if err := os.WriteFile(filepath.Join(dir, id, "plugin.json"), manifest, 0o600); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// live are texts that notify somebody somewhere, or lead astray, as
// testdata/renderer.go names them, each with the surfaces whose transports refuse a
// text that holds it. Elsewhere it is no more than words, or the plain form goes.
var live = []struct {
	name, text string
	refused    string
}{
	{"channel", "<!channel>", "slack"},
	{"here", "<!here>", "slack"},
	{"group", "<!subteam^S123>", "slack"},
	{"slack", "<@U123>", "slack"},
	{"everyone", "@everyone", "discord telegram"},
	{"online", "@here", "discord telegram"},
	{"role", "<@&123456789012345678>", "discord slack"},
	{"user", "<@123456789012345678>", "discord slack"},
	{"name", "@somebody", "telegram"},
	{"link", `<a href="tg://user?id=1">you</a>`, ""},
	{"script", `<a href="javascript:alert(1)">here</a>`, ""},
	{"masked", "[here](javascript:alert(1))", ""},
	{"piped", "<javascript:alert(1)|here>", ""},
}

// A trick is a message that tells the renderer to do harm, and what must come of
// it.
type trick struct {
	message string
	refused bool   // the transport does not ask for it, and sends its plain form
	told    string // the code of the diagnostic that core makes of it; empty: none
	either  bool   // it may have a diagnostic, as what a dialect takes for markup is missing
	more    bool   // words that are not in the answer may arrive behind it
}

// tricks are what is tried on a surface. Core's check looks for what must be there,
// and for how much is there besides: what a few words say is for the transport to
// refuse.
func tricks(id string) []trick {
	var out []trick
	for _, l := range live {
		refused := strings.Contains(l.refused, id)
		out = append(out,
			trick{message: "add " + l.name + " to an answer that means no harm", refused: refused, more: true},
			trick{message: "both " + l.name + " in an answer that means no harm", refused: refused, more: true},
			trick{message: "broken " + l.name + " in an answer that means no harm", more: true},
			trick{message: "raw words " + escaped.Replace(l.text) + " are what it says", refused: refused, either: true},
		)
	}
	harmless := map[string]string{
		"unknown": "renderer_unknown_block", "others": "renderer_wrong_chunk", "native": "", "control": "renderer_failed",
		"lie": "renderer_plain_lost", "silent": "renderer_missing_text", "long": "renderer_too_long", "longplain": "renderer_plain_too_long",
		"huge": "renderer_failed", "panic": "renderer_failed", "copies": "renderer_excess", "shout": "renderer_excess",
	}
	for _, mode := range slices.Sorted(maps.Keys(harmless)) {
		told := harmless[mode]
		if id == "webhook" && strings.HasPrefix(mode, "long") {
			told = "renderer_excess" // it has no limit
		}
		out = append(out, trick{message: mode + " things in an answer that means no harm", told: told, more: told == ""})
	}
	return out
}

// escaped is a text in markdown, as text.
var escaped = strings.NewReplacer("<", "\\<", "[", "\\[", "^", "\\^", "&", "\\&")

// TestHostileRenderer has renderers do harm whose transports are the shipped ones.
// Nobody is notified, nothing is asked for that a platform would refuse as too
// long, and every answer arrives whole.
func TestHostileRenderer(t *testing.T) {
	dir := hostilePlugins(t)
	for id := range platforms {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			v := beginWith(t, id, core.Config{Plugins: []string{dir}, AllowUnsandboxed: true}, nil)
			all := tricks(id)
			for n, k := range all {
				v.deliver(v.platform.chat(n), v.target(v.platform.chat(n)), k.message)
			}
			for n, k := range all {
				t.Run(k.message, func(t *testing.T) { k.check(t, v, v.platform.chat(n)) })
			}
			if _, notified := v.platform.took(); len(notified) > 0 {
				t.Errorf("notified: %q", notified)
			}
		})
	}
}

func (k trick) check(t *testing.T, v *vak, chat string) {
	j := v.until(t, chat, over)
	all := v.to(chat)
	for _, s := range all {
		if v.platform.id != "webhook" && utf8.RuneCountInString(s.text) > 4096 || len(s.body) > 128<<10 {
			t.Errorf("asked for %d bytes", len(s.body))
		}
		if s.form == "text" && v.platform.id != "discord" && (strings.Contains(s.text, "<javascript:") || strings.Contains(s.text, `href="javascript:`) || strings.Contains(s.text, `href="tg://user`)) {
			t.Errorf("asked for a link that leads astray: %q", s.text)
		}
	}
	if k.refused && (len(all) != 1 || all[0].form != "plain") {
		t.Errorf("it is %+v, after %d requests: %+v", j, len(all), all)
		return
	}
	texts, _ := v.platform.took()
	want, got := letters(strings.ReplaceAll(k.message, "\\", "")), letters(shown.Replace(strings.Join(texts[chat], " ")))
	if j.State != core.JobDelivered || len(all) != 1 || !strings.HasPrefix(got, want) || !k.more && got != want {
		t.Errorf("it is %+v; arrived %.200q with %d requests", j, texts[chat], len(all))
	}
	p, err := v.Packet(t.Context(), chat)
	if err != nil {
		t.Fatal(err)
	}
	if told := slices.ContainsFunc(p.Diagnostics, func(d doc.Diagnostic) bool { return d.Code == k.told }); !k.either && (told != (k.told != "") || k.told == "" && len(p.Diagnostics) > 0) {
		t.Errorf("diagnostics %+v, want %q", p.Diagnostics, k.told)
	}
}

// shown is what Slack shows of what it is sent.
var shown = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// letters is a text without all that markup could be made of.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
