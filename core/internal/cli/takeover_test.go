package cli

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// printed is what do writes to standard output.
func printed(t *testing.T, do func(*app) error) (string, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = do(&app{out: w})
	w.Close()
	b, readErr := io.ReadAll(r)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(b), err
}

// TestTookOver has what is said of a change be what the holder of the home made of it.
func TestTookOver(t *testing.T) {
	const hash, other = "5f2b", "77aa"
	failed := &control.Error{Kind: control.Failed, What: "vak.toml:3: no", Mend: "mend it"}
	old := control.Plugin{ID: "acme", PID: 7, SHA256: other, Path: "/h/plugins/store/" + hash + "/acme"}
	held := control.Plugin{ID: "acme", Turns: []string{"chat/40", "chat/12"}}
	for _, c := range []struct {
		why     string
		plugins []control.Plugin // nil: it does not tell
		change  change
		epoch   uint64
		failed  error
		says    string
		fails   string
		code    int
	}{
		{"a change", []control.Plugin{}, change{id: "acme"}, 7, nil, "It counts from the next turn on (epoch 7).\n", "", exitOK},
		{"without an epoch", []control.Plugin{}, change{id: "acme"}, 0, nil, "It counts from the next turn on.\n", "", exitOK},
		{"held by turns", []control.Plugin{held, {ID: "other", Turns: []string{"x/1"}}, {ID: "acme", Current: true, Turns: []string{"y/1"}}}, change{id: "acme"}, 7, nil,
			"It counts from the next turn on (epoch 7); what was before is held by turn chat/12, chat/40.\n", "", exitOK},
		{"stopped", []control.Plugin{held}, change{id: "acme", ended: []string{hash}}, 7, nil, "It is stopped: its processes are ended, and turns that hold it do without it (epoch 7).\n", "", exitOK},
		{"contents that still run", []control.Plugin{old}, change{id: "acme", ended: []string{hash}}, 7, nil, "", "has not ended its processes 7", exitHome},
		{"a binary that still runs", []control.Plugin{old}, change{ended: []string{other}}, 7, nil, "", "has not ended its processes 7", exitHome},
		{"another one runs", []control.Plugin{old}, change{ended: []string{"0000"}}, 7, nil, "It is stopped", "", exitOK},
		{"nobody knows whether it runs", nil, change{ended: []string{hash}}, 7, nil, "", "does not say whether its processes have ended", exitHome},
		{"nobody knows who holds it", nil, change{id: "acme"}, 7, nil, "It counts from the next turn on (epoch 7).\n", "", exitOK},
		{"something cannot be used", []control.Plugin{}, change{id: "acme"}, 0, failed, "", "cannot use all that it finds: vak.toml:3: no; mend it", exitInput},
		{"and it runs", []control.Plugin{old}, change{ended: []string{hash}}, 0, failed, "", "has not ended its processes 7", exitHome},
	} {
		client := control.Local(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.plugins == nil {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			json.NewEncoder(w).Encode(c.plugins)
		}))
		out, err := printed(t, func(a *app) error {
			return a.tookOver(t.Context(), c.change, client, home.Holder{PID: 12, Version: "1"}, control.Epoch{Number: c.epoch}, c.failed)
		})
		if !strings.HasPrefix(out, c.says) || c.says == "" && out != "" || exitCode(t.Context(), err) != c.code || c.fails != "" && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: it says %q, %v", c.why, out, err)
		}
	}
}

// TestChangedUnheard has the home held by a process that cannot be asked.
func TestChangedUnheard(t *testing.T) {
	dir := t.TempDir()
	l, err := home.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if err := l.Say(home.Holder{PID: os.Getpid(), Version: "1"}); err != nil {
		t.Fatal(err)
	}
	changed := func(c change) (string, error) {
		return printed(t, func(a *app) error {
			a.home = dir
			return a.changed(t.Context(), c)
		})
	}
	out, err := changed(change{what: "acme 1.0.0  installed"})
	if err != nil || !strings.HasPrefix(out, "acme 1.0.0  installed\nProcess ") || !strings.HasSuffix(out, "could not be asked: it looks by itself within two seconds.\n") {
		t.Errorf("%q, %v", out, err)
	}
	out, err = changed(change{what: "revoked", ended: []string{"x"}})
	var p *problem
	if !errors.As(err, &p) || p.code != exitHome || out != "revoked\n" || !strings.Contains(p.text, "could not be asked whether its processes have ended") {
		t.Errorf("%q, %v", out, err)
	}
}
