package send

import (
	"errors"
	"strings"
	"testing"
)

func TestBase(t *testing.T) {
	const usual = "https://platform.example/api"
	for _, k := range []struct {
		api    string
		want   string // empty: refused
		nearby bool   // taken where near ones may be in the clear
		why    string
	}{
		{"", usual, false, "none: the usual one"},
		{"https://proxy.example/api//", "https://proxy.example/api", false, "slashes at the end"},
		{"HTTPS://proxy.example", "HTTPS://proxy.example", false, "a scheme in capitals"},
		{"http://localhost:8081/api", "http://localhost:8081/api", false, "this machine by name"},
		{"http://127.0.0.1:8081", "http://127.0.0.1:8081", false, "by address"},
		{"http://[::1]:8081", "http://[::1]:8081", false, "by the other one"},
		{"http://10.1.2.3:8081", "", true, "a private network"},
		{"http://[fd00::1]", "", true, "a private one of the new kind"},
		{"http://bot-api:8081", "", true, "a name in a network of containers"},
		{"http://169.254.169.254", "", false, "the machine's own cloud"},
		{"http://8.8.8.8", "", false, "the open net by address"},
		{"http://platform.example", "", false, "the open net by name"},
		{"http://localhost.evil.example", "", false, "a name that begins like this machine's"},
		{"https://u:p@platform.example", "", false, "a name and a password"},
		{"https://@platform.example", "", false, "an empty name"},
		{"https://platform.example/?a=b", "", false, "a query"},
		{"https://platform.example/#a", "", false, "a fragment"},
		{"https://:443/", "", false, "no host"},
		{"https:///api", "", false, "none at all"},
		{"ftp://platform.example", "", false, "no web"},
		{"platform.example", "", false, "no scheme"},
		{"https://[::1", "", false, "no address"},
	} {
		got, ok := Base(k.api, usual, Loopback)
		if ok != (k.want != "") || ok && got != k.want {
			t.Errorf("%s: %q is %q, %v", k.why, k.api, got, ok)
		}
		if _, ok := Base(k.api, usual, Nearby); ok != (k.want != "" || k.nearby) {
			t.Errorf("%s: %q is %v where near ones may be in the clear", k.why, k.api, ok)
		}
	}
}

func TestSettings(t *testing.T) {
	type settings struct{ Token string }
	for _, k := range []struct {
		in  string
		ok  bool
		why string
	}{
		{`{"token":"planted"}`, true, "what is known"},
		{` {} `, true, "nothing"},
		{``, false, "no object"},
		{`[]`, false, "a list"},
		{`{"token":5}`, false, "another type"},
		{`{"token":"planted","planted":1}`, false, "a member that is not known"},
		{`{} {}`, false, "more behind"},
		{`{"token":"planted"`, false, "half of it"},
	} {
		var s settings
		err := Settings([]byte(k.in), &s)
		if (err == nil) != k.ok || err != nil && (!errors.Is(err, ErrSettings) || strings.Contains(err.Error(), "planted")) {
			t.Errorf("%s: %v", k.why, err)
		}
	}
}
