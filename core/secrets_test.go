package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestNoAccountIsTold plants a marker in every place of an account, and finds it
// in no error, no log and nothing that is shown, whatever is wrong beside it.
func TestNoAccountIsTold(t *testing.T) {
	const marker = "t-planted4711"
	for _, k := range []struct {
		file, environ, set string
		fails              bool
		why                string
	}{
		{"[surfaces.mail.account]\ntoken = '%s'\n", "", "", true, "a secret in the file"},
		{"[surfaces.mail.account]\ntoken = ['%s']\n", "", "", true, "a list of them"},
		{"[surfaces.mail.account]\ntoken = 'env:X'\nsize = '%s'\n", "", "", true, "a value of the wrong type"},
		{"[surfaces.mail.account]\ntoken = 'env:X'\nsise = '%s'\n", "", "", true, "a key that there is not"},
		{"[surfaces.mail]\naccount = '%s'\n", "", "", true, "an account that is a text"},
		{"[surfaces.mail.accounts]\nwork = '%s'\n", "", "", true, "another one"},
		{"[surfaces.mail.accounts.'a b']\ntoken = '%s'\n", "", "", true, "a name that there is not"},
		{"[surfaces.mail.account]\ntoken = %s\n", "", "", true, "no TOML"},
		{"[surfaces.mail.account]\ntoken = '%s'\ntoken = '%[1]s'\n", "", "", true, "a key twice"},
		{"[surfaces.log.account]\ntoken = '%s'\n", "", "", true, "an account of a surface that has none"},
		{"", "VAK_SURFACES__MAIL__ACCOUNT__TOKEN", "", true, "a secret in the environment"},
		{"", "VAK_CHANNELS__MAIL__ACCOUNT", "", true, "an account in the environment"},
		{"", "", "surfaces.mail.account.token=", true, "a secret in a flag"},
		{"", "", "surfaces.mail.account ", true, "a flag without a ="},
		{"[surfaces.fax.account]\ntoken = '%s'\nmore = ['%[1]s', {a = '%[1]s'}]\n", "", "", false, "a surface that nobody has"},
		{"[surfaces.mail.account]\ntoken = 'env:VAK_TEST_PLANTED'\nnote = '%s'\n", "", "", false, "a text that is no secret by the schema"},
		{"[surfaces.mail.account]\ntoken = 'env:VAK_TEST_PLANTED'\n", "VAK_TEST_PLANTED", "", false, "what a reference stands for"},
	} {
		home := t.TempDir()
		text := k.file
		if strings.Contains(text, "%") {
			text = fmt.Sprintf(text, marker)
		}
		write(t, filepath.Join(home, "vak.toml"), text)
		c := core.Config{Home: home, ReadOnly: true, InProcess: []surface.Plugin{noted()}}
		if k.set != "" {
			c.Set = []string{k.set + marker}
		}
		var log strings.Builder
		c.Log = hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Trace})
		said, failed := func() (string, bool) {
			if k.environ != "" {
				os.Setenv(k.environ, marker)
				defer os.Unsetenv(k.environ)
			}
			c, err := core.Open(t.Context(), c)
			if err != nil {
				return fmt.Sprintf("%v %+v", err, errors.Unwrap(err)), true
			}
			defer c.Close()
			b, err := json.Marshal(c.Configuration(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			return string(b), false
		}()
		if failed != k.fails {
			t.Errorf("%s: %s", k.why, said)
		}
		if strings.Contains(said+log.String(), "planted4711") {
			t.Errorf("%s: it is told: %s\n%s", k.why, said, log.String())
		}
		if !failed && k.file != "" && !strings.Contains(said, `(set)`) && !strings.Contains(said, "env:VAK_TEST_PLANTED") {
			t.Errorf("%s: it is not shown at all: %s", k.why, said)
		}
	}
}

// noted is a mailbox whose account may hold a note.
func noted() surface.Plugin {
	p := mailbox(nil, nil)
	p.Info.Account = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["token"],"properties":{
		"token":{"type":"string","writeOnly":true,"pattern":"^t-"},"size":{"type":"integer","maximum":9},"note":{"type":"string"}}}`)
	return p
}
