package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"syscall"

	"golang.org/x/sys/unix"
)

// restrict restricts the thread by what is in with, which the kernel has.
func restrict(p Policy, attr *syscall.SysProcAttr, with Level) (Level, error) {
	if err := p.check(attr); err != nil {
		return Level{}, &Error{Op: "check", Err: err}
	}
	if unix.Gettid() == unix.Getpid() {
		return Level{}, &Error{Op: "check", Err: ErrMainThread}
	}
	if filtered() {
		return Level{}, &Error{Op: "check", Err: ErrRestricted}
	}
	// Package os finds out once, by cloning, whether the kernel has pidfds. On
	// this thread it would be told no, and go without them in the whole host.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Release()
	}

	rules, err := p.rules()
	if err != nil {
		return Level{}, err
	}
	defer rules.close()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return Level{}, &Error{Op: "no_new_privs", Err: err}
	}
	if err := dropCapabilities(); err != nil {
		return Level{}, &Error{Op: "capset", Err: err}
	}
	if with.Landlock > 0 {
		if err := rules.enforce(with.Landlock); err != nil {
			return Level{}, &Error{Op: "landlock", Err: err}
		}
	}
	if with.Seccomp {
		token := newToken()
		if err := install(program(thisArch(), p.Network, with, token)); err != nil {
			return Level{Landlock: with.Landlock}, &Error{Op: "seccomp", Err: err}
		}
		attr.Cloneflags = token.flags()
	}
	return with, nil
}

func supported() Level {
	return Level{Landlock: min(landlockABI(), newestABI), Seccomp: seccompWorks()}
}

// check refuses what would fail late, or silently.
func (p Policy) check(attr *syscall.SysProcAttr) error {
	if attr == nil {
		return fmt.Errorf("%w: no attributes for the process", ErrPolicy)
	}
	rest := *attr
	rest.Setpgid, rest.Pdeathsig, rest.PidFD = false, 0, nil
	if attr.Pdeathsig != 0 && attr.Pdeathsig != unix.SIGKILL || !reflect.ValueOf(rest).IsZero() {
		return fmt.Errorf("%w: attributes other than Setpgid, Pdeathsig SIGKILL and PidFD", ErrPolicy)
	}
	paths := append(append([]string{}, p.Read...), p.Execute...)
	for _, path := range []string{p.Socket, p.Interpreter} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("%w: %q is not an absolute path", ErrPolicy, path)
		}
	}
	return nil
}

// dropCapabilities takes the capabilities of root from the thread. With
// no_new_privs it does not get them back by executing a file as root.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have, none [2]unix.CapUserData
	if err := unix.Capget(&head, &have[0]); err != nil {
		return err
	}
	if have == none {
		return nil
	}
	return unix.Capset(&head, &none[0])
}

// missing reports whether an error says that a file is not there.
func missing(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) }
