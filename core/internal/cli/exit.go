package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install"
)

// The exit codes.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitInput       = 3
	exitSurface     = 4
	exitDegraded    = 5
	exitHome        = 6
	exitWaiting     = 7
	exitDead        = 8
	exitStore       = 9
	exitInterrupted = 130
)

const exitHelp = `Exit codes: 0 done, 1 internal error or a failed check, 2 wrong usage, 3 input or
a directory that cannot be used, or that conflicts with what was accepted, 4
unknown surface, plugin, job, session or type, 5 rendered plain although a plugin was
there (only with --strict), 6 the home is held by another process, or by none or
a silent one where one has to answer, 7 accepted and not delivered yet, 8 a dead
letter: it will not arrive by itself, 9 the disk is full or the store broken,
130 interrupted.`

// A problem is an error that knows its exit code. Its text names what is wrong
// and what to do.
type problem struct {
	code int
	text string
}

func (p *problem) Error() string { return p.text }

func usagef(format string, args ...any) error {
	return &problem{exitUsage, fmt.Sprintf(format, args...)}
}

// asUsage is err, which arose before any command ran, with the way to the help
// of the command that was meant.
func asUsage(root *cobra.Command, args []string, err error) error {
	var p *problem
	if errors.As(err, &p) {
		return err
	}
	cmd, rest, findErr := root.Find(args)
	if findErr != nil || cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		name := firstWord(args)
		text := fmt.Sprintf("there is no command %s", quoted(name))
		if near := root.SuggestionsFor(name); len(near) > 0 {
			return usagef("%s; did you mean \"vak %s\"?", text, near[0])
		}
		return usagef("%s; run \"vak --help\"", text)
	}
	return usagef("%s; run \"%s --help\"", err, cmd.CommandPath())
}

func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// exitCode is the code for err. A reader that went away has seen what it
// wanted, so that is no error; a control socket that hangs up is one, though it
// may end in the same broken pipe.
func exitCode(ctx context.Context, err error) int {
	var p *problem
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, control.Unreachable):
		return exitHome
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return exitOK
	case errors.As(err, &p):
		return p.code
	case ctx.Err() != nil:
		return exitInterrupted
	case is(err, core.ErrTooLarge, core.ErrConfig, core.ErrTrust, core.ErrPlugins, core.ErrHome, core.ErrControl, home.ErrUnusable, control.TooLarge, control.Conflict, control.BadState, install.ErrBundle, install.ErrConsent, install.ErrRevoked, install.ErrConflict):
		return exitInput
	case is(err, core.ErrUnknownSurface, core.ErrNotFound, control.UnknownSurface, control.NotFound, install.ErrNotInstalled):
		return exitSurface
	case is(err, core.ErrHeld, control.NotRunning):
		return exitHome
	case is(err, core.ErrFull, core.ErrStore, control.Full, control.Store, install.ErrStore):
		return exitStore
	case is(err, core.ErrSetting, core.ErrDraft, core.ErrTemplate, control.Invalid, control.BadRequest):
		return exitUsage
	}
	return exitInternal
}

// is reports whether err is of one of kinds.
func is(err error, kinds ...error) bool {
	return slices.ContainsFunc(kinds, func(k error) bool { return errors.Is(err, k) })
}

// told is an error in one line. Of many faults it is the first.
func told(err error) string {
	first, rest, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(" (and %d more; \"vak config check\" tells all)", strings.Count(rest, "\n")+1)
	}
	return oneLine(first)
}

// oneLine is s without line breaks and control characters.
func oneLine(s string) string { return visible(strings.Join(strings.Fields(s), " ")) }

// quoted is s as it may stand in an error: in quotes, cut to size.
func quoted(s string) string {
	if r := []rune(s); len(r) > 120 {
		s = string(r[:119]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
