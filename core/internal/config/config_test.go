package config

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func load(t *testing.T, text string, environ ...string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(Sources{Main: path, Need: true, Environ: environ})
}

const whole = `# a comment
[surfaces.telegram]
max = 3500
links = "bare"

[surfaces.telegram.account]
token = "env:TOKEN"
list = ["a", "file:/x"]

[surfaces.telegram.accounts.work]
token = "file:/run/work"

[channels.slack]
max = 100

[targets.ops]
to = "telegram:-1001:work"
urgency = "ambient"

[targets."on.call"]
to = "slack:C1"
max_parts = 5

[policy]
unknown = "park"
digest = ["09:00", "17:30"]
quiet = "22:00-07:00"
timezone = "Europe/Berlin"
`

func TestLoad(t *testing.T) {
	f, err := load(t, whole, "VAK_POLICY__CADENCE=digest", "VAK_SURFACES__TELEGRAM__MAX=900", "VAK_HOME=/x", "VAK_OTHER__THING=1", "PATH=/bin")
	if err != nil {
		t.Fatal(err)
	}
	tg := f.Surfaces["telegram"]
	if tg.Settings["max"] != "900" || tg.Settings["links"] != "bare" || len(tg.Settings) != 2 {
		t.Errorf("settings %v: the environment wins over the file", tg.Settings)
	}
	if string(tg.Accounts[""]) != `{"list":["a","file:/x"],"token":"env:TOKEN"}` || string(tg.Accounts["work"]) != `{"token":"file:/run/work"}` {
		t.Errorf("accounts %s", tg.Accounts)
	}
	if f.Surfaces["slack"].Settings["max"] != "100" {
		t.Error("channels are no alias of surfaces")
	}
	ops := f.Targets["ops"]
	if p := ops.Policy.Over(f.Policy); ops.To != "telegram:-1001:work" || p.Urgency != "ambient" || p.Unknown != "park" || p.Cadence != "digest" {
		t.Errorf("target %+v, policy %+v", ops, p)
	}
	p := f.Targets["on.call"].Policy.Over(f.Policy)
	if len(p.Digest) != 2 || p.Digest[1].String() != "17:30" || p.Quiet != [2]Minute{22 * 60, 7 * 60} || p.Timezone.String() != "Europe/Berlin" {
		t.Errorf("times %+v", p)
	}
	if f.Targets["on.call"].Policy.MaxParts != 5 {
		t.Errorf("targets %+v", f.Targets)
	}
	if p := f.Problem([]string{"surfaces", "telegram", "account", "token"}, "x", ""); p.Line != 7 {
		t.Errorf("the token is on line %d", p.Line)
	}
}

func TestTemplates(t *testing.T) {
	f, err := load(t, `[templates.short]
format = "{body}"
[templates."team.report"]
revision = 7
format = """
# {title}
{body}
"""
[surfaces.slack]
template = "short"
[targets.ops]
to = "slack:C1"
template = ""
max = 900
links = "bare"
[policy]
template = "team.report"
`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Templates["short"], (Template{Revision: 1, Format: "{body}"}); got != want {
		t.Errorf("without a revision: %+v", got)
	}
	if got, want := f.Templates["team.report"], (Template{Revision: 7, Format: "# {title}\n{body}\n"}); got != want {
		t.Errorf("with all: %+v", got)
	}
	ops := f.Targets["ops"]
	if f.Surfaces["slack"].Template != "short" || f.Policy.Template != "team.report" || ops.Policy.Template != NoTemplate {
		t.Errorf("choices %q, %q, %q", f.Surfaces["slack"].Template, f.Policy.Template, ops.Policy.Template)
	}
	if !maps.Equal(ops.Settings, map[string]string{"max": "900", "links": "bare"}) || len(f.Surfaces["slack"].Settings) != 0 {
		t.Errorf("settings %v, %v", ops.Settings, f.Surfaces["slack"].Settings)
	}
}

func TestNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	f, err := Load(Sources{Main: path})
	if err != nil || f.Path != "" || len(f.Files)+len(f.Surfaces)+len(f.Targets) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Load(Sources{Main: path, Need: true}); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("a file that has to be there: %v", err)
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, want, why string }{
		{"[surfaces.telegram\n", ":1", "no TOML"},
		{"a = 1\na = 2\n", ":2", "a key twice"},
		{"\n[surfacs.x]\n", ":2: /surfacs: there is no such table; use surfaces, targets, templates or policy", "a table misspelt"},
		{"surfaces = 1", ":1: /surfaces: it is no table", "no table"},
		{"[targets.a]\nurgency = 'now'\nto='x:y'", ":2: /targets/a/urgency: there is no such urgency; use ambient, normal, interrupt", "a word that there is not"},
		{"[targets.a]\n", ":1: /targets/a: it does not say where it is", "no address"},
		{"[targets.a]\nto='x:y'\nmax=[3]", ":3: /targets/a/max: its value is neither a text nor a number", "a list for a setting"},
		{"[policy]\nmax_part=3", ":2: /policy/max_part: there is no such key; use cadence, digest, json_appendix, max_parts, mentions, quiet, template, timezone, unknown, urgency", "a key misspelt"},
		{"[policy]\ntemplate = 3", `:2: /policy/template: it is no id of a template; use the id of one in [templates], or "none"`, "a number for an id"},
		{"[targets.a]\nto='x:y'\ntemplate = 'a b'", ":3: /targets/a/template: it is no id of a template", "an id with a space"},
		{"[templates.'a/b']\nformat='x'", ":1: /templates/a~1b: no template can be called so", "an id with a slash"},
		{"[templates.none]\nformat='x'", ":1: /templates/none: no template can be called so", "the word for no template"},
		{"[templates.a]\n", `:1: /templates/a: it has no format; add format = "{body}"`, "no format"},
		{"[templates.a]\nformat=1", ":2: /templates/a/format: it is no format", "a number"},
		{"[templates.a]\nformat='" + strings.Repeat("x", 64<<10+1) + "'", ":2: /templates/a/format: it is no format; use a text of at most 65536 bytes", "too long a format"},
		{"[templates.a]\nformat='x'\nrevision=0", ":3: /templates/a/revision: it is no revision", "before the first"},
		{"[templates.a]\nformat='x'\nrevision=1.5", ":3: /templates/a/revision: it is no revision", "between two"},
		{"[templates.a]\nformat='x'\nrevison=2", ":3: /templates/a/revison: there is no such key; use format, revision", "a key misspelt"},
		{"[targets.'a b']\nto='x:y'", `:1: /targets/a b: no target can be called so`, "a name with a space"},
		{"[policy]\nmax_parts = 0", ":2: /policy/max_parts: it is no number of messages", "none"},
		{"[policy]\ndigest = '9 am'", ":2: /policy/digest: it is no list of times of day", "words for a time"},
		{"[policy]\nquiet = '22:00'", ":2: /policy/quiet: it is no span of a day", "half a span"},
		{"[policy]\ntimezone = 'Mars/Base'", ":2: /policy/timezone: there is no such time zone", "a zone that there is not"},
		{"[surfaces.x]\nmax = 1.5", ":2: /surfaces/x/max: its value is neither a text nor a number", "a fraction"},
		{"[surfaces.x]\nmentions = 'all'", ":2: /surfaces/x/mentions: there is no such mentions; use live, off", "a word that there is not, of a surface"},
		{"[channels.x]\nmax_chars = [1]", ":2: /channels/x/max_chars: its value is neither", "under the other names"},
		{"channels = 1", ":1: /channels: it is no table", "channels that are no table"},
		{"[surfaces.x]\nmax=100\n[channels.x]\nmax_chars=200", ":4: /channels/x/max_chars: it is the same as /surfaces/x/max, which is there, too; keep one of them", "one value by both names"},
		{"[surfaces.x]\nmax=100\n[channels.x]\nmax=200", ":4: /channels/x/max: it is the same as /surfaces/x/max", "one table by both names"},
		{"[targets.'a~b/c d']\nto='x:y'", ":1: /targets/a~0b~1c d: no target can be called so", "a pointer's own characters"},
		{"[targets.a]\nto = 3", ":2: /targets/a/to: it is no target", "a number for a target"},
		{"[surfaces.x]\naccount = 'secret-text'", ":2: /surfaces/x/account: it is no table", "an account that is a text"},
	} {
		_, err := load(t, c.text)
		ps, ok := errors.AsType[Problems](err)
		if !ok || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret-text") {
			t.Errorf("%s: %v\nwant %s", c.why, err, c.want)
		}
		if ok && len(ps) != 1 {
			t.Errorf("%s: %d problems: %v", c.why, len(ps), ps)
		}
	}
	_, err := load(t, "[policy]\nx=1\ny=2\n[targets.a]\n")
	if ps, _ := errors.AsType[Problems](err); len(ps) != 3 || ps[0].Line != 2 || ps[2].Line != 4 {
		t.Errorf("all are told, by line: %v", err)
	}
}

func TestSecrets(t *testing.T) {
	t.Setenv("VAK_TEST_TOKEN", "planted")
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := json.RawMessage(`{"a":"env:VAK_TEST_TOKEN","b":["file:` + path + `","plain"],"c":{"d":1}}`)
	got, err := Resolve(context.Background(), in, Secret)
	if err != nil || string(got) != `{"a":"planted","b":["from-a-file","plain"],"c":{"d":1}}` {
		t.Errorf("%s, %v", got, err)
	}
	for _, ref := range []string{"env:VAK_TEST_NONE", "file:/there/is/none", "file:" + t.TempDir(), "other"} {
		if v, err := Secret(context.Background(), ref); err == nil {
			t.Errorf("%s is %q", ref, v)
		}
	}
}

// FuzzLoad finds that no files make it panic, and that what it says is of one of
// the layers.
func FuzzLoad(f *testing.F) {
	f.Add(whole, "")
	f.Add("[a.b]\nc = {d = 1}\n[[a.e]]\n", "")
	f.Add("[surfaces.x]\nmax = 100\n", "[channels.x]\nmax_chars = 3\n[templates.a]\nformat = '{body}'\n[policy]\ntemplate = 'a'\n")
	f.Add("surfaces = 1", "[channels.x.account]\na = 1\n[targets.x]\n")
	f.Fuzz(func(t *testing.T, main, project string) {
		if len(main)+len(project) > 1<<16 {
			return
		}
		dir := t.TempDir()
		s := Sources{
			Main: filepath.Join(dir, Name), Project: filepath.Join(dir, Output),
			Environ: []string{"VAK_POLICY__CADENCE__X=1", "VAK_SURFACES=2"}, Set: []string{"targets.a.to=x:y"},
		}
		for path, text := range map[string]string{s.Main: main, s.Project: project} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		file, err := Load(s)
		problems, _ := errors.AsType[Problems](err)
		if file == nil && len(problems) == 0 {
			t.Fatal("neither a file nor a problem")
		}
		for _, p := range problems {
			if p.File != s.Main && p.File != s.Project && p.File != FromEnvironment && p.File != FromSet {
				t.Errorf("a problem of %q: %v", p.File, p)
			}
		}
		if file != nil && len(file.Surfaces) > 0 {
			for id := range file.Surfaces {
				if file.From("surfaces", id) == "" {
					t.Errorf("the surface %q is from nowhere", id)
				}
			}
		}
	})
}
