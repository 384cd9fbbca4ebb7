package core

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// A hold is a home that this process holds, with the socket at which it can be
// asked.
type hold struct {
	dir    string
	lock   *home.Lock
	server *control.Server // nil: no control socket
	log    hclog.Logger
}

// holdHome takes the home and makes the control socket. The socket is there
// before the lock file names it, so that whoever reads of it can connect, and
// waits there until serve.
func holdHome(c Config, started time.Time) (*hold, error) {
	dir, err := home.Dir(c.Home)
	if err != nil {
		return nil, homeError(err)
	}
	lock, err := home.Take(dir)
	if err != nil {
		return nil, homeError(err)
	}
	h := &hold{dir: dir, lock: lock, log: c.Log}
	control.Discard(lock.Left().Control)
	if !c.NoControl && control.Available {
		if h.server, err = control.Listen(c.Log.Named("control")); err != nil {
			lock.Release()
			return nil, homeError(err)
		}
	}
	if err := lock.Say(home.Holder{PID: os.Getpid(), Started: started.UTC(), Version: c.Version, Control: h.socket()}); err != nil {
		h.hangUp()
		h.release()
		return nil, &Error{Kind: ErrHome, What: "cannot write the lock of the home " + dir, Mend: "check the space on its disk", Err: err}
	}
	return h, nil
}

// homeError tells what went wrong with the home in the terms of this package.
func homeError(err error) error {
	e, ok := errors.AsType[*home.Error](err)
	if !ok {
		return &Error{Kind: ErrControl, What: "cannot make the control socket", Err: err}
	}
	kind := ErrHome
	switch e.Kind {
	case home.ErrHeld:
		kind = ErrHeld
	case home.ErrRuntimeDir, home.ErrPathTooLong:
		kind = ErrControl
	}
	return &Error{Kind: kind, What: e.What, Mend: e.Mend, Err: e.Err}
}

// socket is the path of the control socket, or nothing.
func (h *hold) socket() string {
	if h.server == nil {
		return ""
	}
	return h.server.Path()
}

// serve answers at the control socket for c.
func (h *hold) serve(c *Core) {
	if h.server != nil {
		log := h.log.Named("control")
		h.server.Serve(control.Handler(backend{c}, log), backend{c}.guests, log)
	}
}

// hangUp closes and removes the control socket.
func (h *hold) hangUp() error {
	if h.server == nil {
		return nil
	}
	return h.server.Close()
}

// release lets go of the home.
func (h *hold) release() error { return h.lock.Release() }

// modulePath is of the module that this package is in.
const modulePath = "github.com/seed-1ae66336/vak"

// version is what a program says of itself, else what the build knows of the
// module that this package is in.
func version(said string) string {
	if said != "" {
		return said
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath && m.Version != "" {
			return m.Version
		}
	}
	return "unknown"
}

// Home is the directory that the Core holds; of one that is read only, the
// directory that it would hold, or nothing if there is none to be known.
func (c *Core) Home() string {
	dir, err := home.Dir(c.config.Home)
	if c.hold != nil {
		dir, err = c.hold.dir, nil
	}
	if err != nil {
		return ""
	}
	return filepath.Clean(dir)
}

// ControlSocket is the path of the socket at which the vak command asks this
// process, or nothing if there is none.
func (c *Core) ControlSocket() string {
	if c.hold == nil {
		return ""
	}
	return c.hold.socket()
}
