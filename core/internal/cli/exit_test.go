package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

// TestExitCodes holds errors to the codes that the help names, whoever says them:
// this process, or the one that holds the home.
func TestExitCodes(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		err  error
		want int
		why  string
	}{
		{nil, exitOK, "nothing is wrong"},
		{errors.New("x"), exitInternal, "nobody knows what"},
		{&control.Error{Kind: control.Internal}, exitInternal, "vak failed"},
		{&control.Error{Kind: control.Failed}, exitInternal, "it was tried"},
		{&control.Error{Kind: control.Invalid}, exitUsage, "it cannot be meant so"},
		{&control.Error{Kind: control.BadRequest}, exitUsage, "it cannot be read"},
		{&control.Error{Kind: control.TooLarge}, exitInput, "too large"},
		{&control.Error{Kind: control.Conflict}, exitInput, "other content"},
		{&control.Error{Kind: control.BadState}, exitInput, "another state"},
		{&control.Error{Kind: control.UnknownSurface}, exitSurface, "no surface"},
		{&control.Error{Kind: control.NotFound}, exitSurface, "no job"},
		{&control.Error{Kind: control.NotRunning}, exitHome, "nothing runs"},
		{&control.Error{Kind: control.Unreachable, Err: syscall.EPIPE}, exitHome, "it hung up"},
		{&control.Error{Kind: control.Full}, exitStore, "no room"},
		{&control.Error{Kind: control.Store}, exitStore, "broken"},
		{&core.Error{Kind: core.ErrStore}, exitStore, "broken, found here"},
		{&core.Error{Kind: core.ErrFull}, exitStore, "no room, found here"},
		{&core.Error{Kind: core.ErrHeld}, exitHome, "somebody holds it"},
		{&problem{exitDead, "x"}, exitDead, "a dead letter"},
		{fmt.Errorf("x: %w", syscall.EPIPE), exitOK, "the reader has gone"},
	} {
		if got := exitCode(t.Context(), c.err); got != c.want {
			t.Errorf("%s: %v gives %d, want %d", c.why, c.err, got, c.want)
		}
	}
	if got := exitCode(interrupted, context.Canceled); got != exitInterrupted {
		t.Errorf("an interrupt gives %d", got)
	}
}
