package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layered writes files and loads what they come to.
func layered(t *testing.T, project, user, main string, environ, set []string) (*File, error) {
	t.Helper()
	dir := t.TempDir()
	s := Sources{Environ: environ, Set: set}
	for _, f := range []struct {
		text, name string
		path       *string
	}{{project, "project.toml", &s.Project}, {user, "user.toml", &s.User}, {main, "main.toml", &s.Main}} {
		if *f.path = filepath.Join(dir, f.name); f.text == "" {
			continue
		}
		if err := os.WriteFile(*f.path, []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load(s)
}

// TestLayers has each layer win over the one below, and over no other value.
func TestLayers(t *testing.T) {
	project := "[policy]\nurgency = 'ambient'\ncadence = 'digest'\nunknown = 'park'\nmax_parts = 3\nquiet = '01:00-02:00'\n"
	user := "[policy]\ncadence = 'on_completion'\nunknown = 'resend_marked'\nmax_parts = 4\nquiet = '02:00-03:00'\n"
	main := "\n[policy]\nunknown = 'park'\nmax_parts = 5\nquiet = '03:00-04:00'\n"
	environ := []string{"VAK_POLICY__MAX_PARTS=6", "VAK_POLICY__QUIET=04:00-05:00"}
	set := []string{"policy.quiet=05:00-06:00"}
	f, err := layered(t, project, user, main, environ, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, got, want, from, why string }{
		{"mentions", f.Policy.Mentions, "off", "default", "nobody says anything"},
		{"json_appendix", f.Policy.Appendix, "auto", "default", "nor of cards"},
		{"urgency", f.Policy.Urgency, "ambient", "project.toml:2", "the project over the default"},
		{"cadence", f.Policy.Cadence, "on_completion", "user.toml:2", "the user over the project"},
		{"unknown", f.Policy.Unknown, "park", "main.toml:3", "vak.toml over output.toml"},
		{"max_parts", string(rune('0' + f.Policy.MaxParts)), "6", "environment", "the environment over all files"},
		{"quiet", f.Policy.Quiet[0].String(), "05:00", "--set", "a flag over the environment"},
	} {
		if from := filepath.Base(f.From("policy", c.key)); c.got != c.want || from != c.from {
			t.Errorf("%s: %s is %s from %s, want %s from %s", c.why, c.key, c.got, from, c.want, c.from)
		}
	}
	names := []string{}
	for _, path := range f.Files {
		names = append(names, filepath.Base(path))
	}
	if !slices.Equal(names, []string{"project.toml", "user.toml", "main.toml"}) {
		t.Errorf("files that were read: %v", names)
	}
	if f.From("policy", "nothing") != "" || f.From("surfaces", "x") != "" {
		t.Error("what nobody says is from somewhere")
	}
}

// TestDefaults has all of them be what the reader takes.
func TestDefaults(t *testing.T) {
	f, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	p := f.Policy
	if p.Cadence != "immediate" || p.Urgency != "normal" || p.Unknown != "resend_marked" || p.MaxParts != 20 || len(p.Digest) != 1 || p.Digest[0] != 9*60 ||
		p.Timezone.String() != "UTC" || p.Template != "" || p.Mentions != "off" || p.Appendix != "auto" || p.Quiet != [2]Minute{} {
		t.Errorf("defaults %+v", p)
	}
	keys := []string{}
	for _, d := range Defaults() {
		keys = append(keys, d.Key)
	}
	slices.Sort(keys)
	if !slices.Equal(keys, PolicyKeys()) {
		t.Errorf("defaults are of %v, policies of %v", keys, PolicyKeys())
	}
}

// TestTemplatesWhole has a template of one file hide one of another as a whole.
func TestTemplatesWhole(t *testing.T) {
	f, err := layered(t,
		"[templates.a]\nrevision = 9\nformat = 'project a'\n[templates.b]\nrevision = 2\nformat = 'project b'\n[surfaces.x]\ntemplate = 'b'\n",
		"[templates.a]\nformat = 'user a'\n[templates.c]\nrevision = 3\nformat = 'user c'\n",
		"[templates.c]\nformat = 'main c'\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Template{"a": {1, "user a", false}, "b": {2, "project b", true}, "c": {1, "main c", false}}
	if !maps.Equal(f.Templates, want) || f.Surfaces["x"].Template != "b" {
		t.Errorf("templates %+v, want %+v", f.Templates, want)
	}
}

// TestChannels reads the other names of surfaces and of max, in every layer.
func TestChannels(t *testing.T) {
	f, err := layered(t, "[channels.x]\nmax_chars = 100\nlinks = 'bare'\n[channels.z]\nmax = 70\n", "[surfaces.y]\nmax = 200\n[channels.y]\nlinks = 'bare'\n",
		"[surfaces.x]\nmax = 300\n", []string{"VAK_CHANNELS__Y__MAX_CHARS=400"}, []string{"channels.z.max_chars=500"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, key, want, from, why string }{
		{"x", "max", "300", "main.toml:2", "vak.toml says surfaces, the project channels"},
		{"x", "links", "bare", "project.toml:3", "what a channel alone says"},
		{"y", "max", "400", "environment", "the environment says channels"},
		{"y", "links", "bare", "user.toml:4", "both names in one file"},
		{"z", "max", "500", "--set", "a flag says channels"},
	} {
		if got, from := f.Surfaces[c.id].Settings[c.key], filepath.Base(f.From("surfaces", c.id, c.key)); got != c.want || from != c.from {
			t.Errorf("%s: %s of %s is %q from %q, want %q from %q", c.why, c.key, c.id, got, from, c.want, c.from)
		}
	}
}

// TestLayerProblems has each problem name the layer that it is of, also where a
// layer above would hide it.
func TestLayerProblems(t *testing.T) {
	for _, c := range []struct {
		project, user, main string
		environ, set        []string
		want                string
		why                 string
	}{
		{project: "[policy]\ncadence = 'now'", want: "project.toml:2: /policy/cadence: there is no such cadence", why: "of a project"},
		{project: "\n[targets.a]\nto = 'x:y'", want: "project.toml:2: /targets: a project names no targets; put them into vak.toml", why: "a project's target"},
		{project: "[surfaces.x.account]\ntoken = 'secret-text'", want: "project.toml:1: /surfaces/x/account: a project has no accounts; put them into vak.toml", why: "a project's account"},
		{project: "[channels.x.accounts.a]\ntoken = 'secret-text'", want: "project.toml:1: /channels/x/accounts: a project has no accounts", why: "one under the other name"},
		{user: "[policy]\nmax_parts = 0", main: "[policy]\nmax_parts = 3", want: "user.toml:2: /policy/max_parts: it is no number", why: "hidden by a right one"},
		{user: "[targets.a]\nurgency = 'ambient'\n", want: "user.toml:1: /targets/a: it does not say where it is", why: "what all layers leave out"},
		{main: "x = [", want: "main.toml:1: it is no TOML", why: "no TOML, in one of them"},
		{user: "x = [", main: "[policy]\n", want: "user.toml:1: it is no TOML", why: "no TOML, in another"},
		{environ: []string{"VAK_POLICY__URGENCY=secret-text"}, want: "environment: /policy/urgency: there is no such urgency", why: "of the environment"},
		{environ: []string{"VAK_POLICY=1"}, want: "", why: "a variable without a path is none of ours"},
		{environ: []string{"VAK_TEMPLATES__A__FORMAT=x"}, want: "environment: /templates: a template is written into a file", why: "a template of the environment"},
		{set: []string{"policy.urgency=secret-text"}, want: "--set: /policy/urgency: there is no such urgency; use ambient, normal, interrupt", why: "of a flag"},
		{set: []string{"policy.urgency"}, want: "--set: it has no value", why: "a flag without a value"},
		{set: []string{"a b=secret-text"}, want: "--set: what stands before the = is no path", why: "a flag without a path"},
		{set: []string{"nothing.x=secret-text"}, want: "--set: /nothing: there is no such table", why: "a flag for no table"},
	} {
		_, err := layered(t, c.project, c.user, c.main, c.environ, c.set)
		ps, _ := errors.AsType[Problems](err)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.why, err)
			}
			continue
		}
		if len(ps) != 1 || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret-text") {
			t.Errorf("%s: %v\nwant %s", c.why, err, c.want)
		}
	}
	_, err := layered(t, "[policy]\nx = 1\n", "\n[policy]\ny = 2\n", "[policy]\nz = 3\n", nil, []string{"policy.w=1"})
	ps, _ := errors.AsType[Problems](err)
	order := []string{}
	for _, p := range ps {
		order = append(order, p.Pointer)
	}
	if !slices.Equal(order, []string{"/policy/x", "/policy/y", "/policy/z", "/policy/w"}) {
		t.Errorf("the lowest layer comes first: %v", err)
	}
}

// TestAccounts has layers lay their accounts over each other, too.
func TestAccounts(t *testing.T) {
	f, err := layered(t, "", "[surfaces.x.account]\ntoken = 'env:A'\napi = 'https://a'\n", "[surfaces.x.account]\ntoken = 'env:B'\n", []string{"VAK_SURFACES__X__ACCOUNTS__WORK__TOKEN=env:C"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := f.Surfaces["x"]
	if string(x.Accounts[""]) != `{"api":"https://a","token":"env:B"}` || string(x.Accounts["work"]) != `{"token":"env:C"}` {
		t.Errorf("accounts %s", x.Accounts)
	}
	if p := f.Problem([]string{"surfaces", "x", "account", "api"}, "x", ""); filepath.Base(p.File) != "user.toml" || p.Line != 3 {
		t.Errorf("a problem of what the lower layer says: %v", p)
	}
	if p := f.Problem([]string{"surfaces", "x", "account", "more", "0"}, "x", ""); filepath.Base(p.File) != "main.toml" || p.Line != 1 || p.Pointer != "/surfaces/x/account/more/0" {
		t.Errorf("a problem of what nobody says: %v", p)
	}
}

func TestAssignment(t *testing.T) {
	for _, c := range []struct {
		in    string
		path  []string
		value string
		why   string
	}{
		{"policy.unknown=park", []string{"policy", "unknown"}, "park", "plain"},
		{`targets."on.call".to=log:a=b`, []string{"targets", "on.call", "to"}, "log:a=b", "a dot in a name, and a = in the value"},
		{"a.b=", []string{"a", "b"}, "", "an empty value"},
		{" a . b = c", []string{"a", "b"}, " c", "spaces"},
		{"a.b", nil, "", "no value"},
		{"=x", nil, "", "no path"},
		{"a..b=x", nil, "", "a part without a name"},
		{"a=1\nb=x", []string{"a"}, "1\nb=x", "a line break in the value"},
		{"[a]\nb=x", nil, "", "a table"},
		{"a#b=x", nil, "", "a comment"},
	} {
		path, value, err := Assignment(c.in)
		if !slices.Equal(path, c.path) || err == nil && value != c.value || (err == nil) != (c.path != nil) {
			t.Errorf("%s: %q, %q, %v", c.why, path, value, err)
		}
	}
}
