package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A Patient is what a doctor looks at.
type Patient struct {
	Status  Status
	Plugins []Plugin

	// Sandbox says what sandbox plugins get on this machine.
	Sandbox Check

	Kept *Kept // nil: this process keeps nothing
}

// Examine checks everything, writes nothing and starts nothing. The order of the
// checks is that in which what they find hinders what follows.
func Examine(ctx context.Context, p Patient) Report {
	var r Report
	r.Add("version", Fine, fmt.Sprintf("vak %s, %s, %s", p.Status.Version, p.Status.Go, p.Status.Platform), "")
	r.home(p.Status)
	r.lock(p.Status)
	r.runtime(p.Status)
	r.sockets()
	r.add(p.Sandbox)
	if p.Kept != nil {
		r.kept(p.Kept, time.Now())
	} else {
		r.files(p.Status.Home)
	}
	r.installed(p.Status.Home)
	r.plugins(ctx, p.Plugins)
	r.process()
	return r
}

func (r *Report) add(c Check) { r.Add(c.Name, c.Result, c.What, c.Mend) }

func (r *Report) home(s Status) {
	const name = "home"
	st, err := os.Stat(s.Home)
	switch {
	case s.Home == "":
		r.Add(name, Fail, "there is none: neither a home nor the user's data directory is known", "name one with --home or "+home.Env)
	case errors.Is(err, os.ErrNotExist):
		r.Add(name, Fine, s.Home+" is not there yet; the first to hold it makes it", "")
	case err != nil:
		r.Add(name, Fail, fmt.Sprintf("cannot look at %s: %v", s.Home, err), "check its permissions")
	case !st.IsDir():
		r.Add(name, Fail, s.Home+" is not a directory", "name another one with --home or "+home.Env)
	case !writable(s.Home):
		r.Add(name, Fail, s.Home+" cannot be written to by this user", "run vak as the user that owns it")
	case runtime.GOOS == "windows":
		r.Add(name, Fine, s.Home, "")
	case st.Mode().Perm()&0o002 != 0:
		r.Add(name, Fail, fmt.Sprintf("%s can be written to by everybody (mode %#o)", s.Home, st.Mode().Perm()), "chmod 700 "+s.Home)
	case st.Mode().Perm()&0o077 != 0:
		r.Add(name, Warn, fmt.Sprintf("%s is open to others (mode %#o)", s.Home, st.Mode().Perm()), "chmod 700 "+s.Home)
	default:
		r.Add(name, Fine, fmt.Sprintf("%s, writable, mode %#o", s.Home, st.Mode().Perm()), "")
	}
}

func (r *Report) lock(s Status) {
	const name = "lock"
	if s.Home == "" {
		return
	}
	if s.Held {
		r.Add(name, Fine, fmt.Sprintf("held by process %d, which answers", s.PID), "")
		return
	}
	h, held, err := home.Find(s.Home)
	switch {
	case err != nil:
		r.Add(name, Fail, err.Error(), "")
	case held && h.PID == 0:
		r.Add(name, Warn, "held by a process that does not say who it is", "look for it with \"fuser "+filepath.Join(s.Home, home.LockName)+"\"")
	case held:
		r.Add(name, Fine, "held by "+h.String(), "")
	case h.PID != 0:
		r.Add(name, Fine, fmt.Sprintf("free; process %d was killed while it held it, the next takes over", h.PID), "")
	default:
		r.Add(name, Fine, "free", "")
	}
}

func (r *Report) runtime(s Status) {
	const name = "runtime"
	if !Available {
		r.Add(name, Warn, ErrUnavailable.Error()+", so commands cannot ask a running vak", "stop it before you use commands that need the home")
		return
	}
	longest := strings.Repeat("x", len(prefix)+8+len(suffix))
	var bad []string
	for _, dir := range home.RuntimeDirs() {
		err := home.Usable(dir, longest)
		if err == nil {
			what := fmt.Sprintf("%s, mode 0700, sockets' paths have %d of %d bytes", dir, len(dir)+1+len(longest), home.MaxSocketPath())
			if len(bad) > 0 {
				r.Add(name, Warn, what+"; not used: "+strings.Join(bad, ", "), "set XDG_RUNTIME_DIR to a short directory of your own with mode 0700")
				return
			}
			r.Add(name, Fine, what, "")
			return
		}
		bad = append(bad, err.Error())
	}
	r.Add(name, Fail, "no safe directory for sockets: "+strings.Join(bad, ", "), "set XDG_RUNTIME_DIR to a short directory of your own with mode 0700")
}

func (r *Report) sockets() {
	if !Available {
		return
	}
	if left := Stale(); len(left) > 0 {
		r.Add("sockets", Warn, fmt.Sprintf("%d control sockets were left by processes that were killed: %s", len(left), strings.Join(left, ", ")), "the next \"vak serve\" removes those older than a minute")
		return
	}
	r.Add("sockets", Fine, "no control socket is stale", "")
}

func (r *Report) plugins(ctx context.Context, all []Plugin) {
	n := 0
	for _, p := range all {
		name := "plugin " + p.ID
		if p.State == Builtin {
			continue
		}
		transport := p.Role == hostapi.RoleTransport // of a plugin that has an entry for its renderer
		if transport {
			name += strings.TrimSuffix(" transport/"+p.Account, "/")
		}
		n++
		switch p.State {
		case Broken:
			v := Fail
			if p.Error != nil && p.Error.Kind == "duplicate" {
				v = Warn // the other one works
			}
			r.Add(name, v, "broken: "+faultMessage(p), faultHint(p))
			continue
		case Quarantined:
			r.Add(name, Fail, "quarantined: "+faultMessage(p), faultHint(p))
			continue
		case BackingOff:
			r.Add(name, Warn, "backing off: "+faultMessage(p), faultHint(p))
			continue
		}
		if transport {
			r.Add(name, Fine, string(p.State), "")
			continue
		}
		sum, err := hash(ctx, p.Path)
		switch {
		case err != nil:
			r.Add(name, Fail, fmt.Sprintf("cannot read its binary: %v", err), "install the plugin again")
		case sum != p.SHA256:
			r.Add(name, Fail, p.Path+" is not the file that its manifest names (sha256 differs)", "install the plugin again; if you built it yourself, make the manifest anew")
		default:
			owns := ""
			if n := len(p.Types); n > 0 {
				owns = fmt.Sprintf("; it owns %d types of card", n)
			}
			r.Add(name, Fine, fmt.Sprintf("%s, %s, manifest and sha256 are right%s", strings.TrimSpace(p.Version), p.State, owns), "")
		}
	}
	if n == 0 {
		r.Add("plugins", Warn, "no plugin is installed, only what is part of vak", "name a directory of plugins with --plugins")
	}
}

func faultMessage(p Plugin) string {
	if p.Error == nil {
		return "it does not say why"
	}
	return p.Error.Message
}

func faultHint(p Plugin) string {
	if p.Error == nil || p.Error.Hint == "" {
		return p.State.Mend()
	}
	return p.Error.Hint
}

// maxBinary bounds what is read of a binary.
const maxBinary = 1 << 30

func hash(ctx context.Context, path string) (string, error) {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(&reader{ctx, f}, maxBinary)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A reader ends with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
