package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// A stance is what a command does with a home that nobody holds.
type stance int

const (
	looks    stance = iota // holds it, and sends nothing
	delivers               // holds it, and sends what is due
	leaves                 // holds it to accept something, which is left to others to send
)

// takeTime is how long a command waits for another that holds the home for a
// moment.
const takeTime = 5 * time.Second

// keeper finds whom to ask about what is kept: the process that holds the home, or
// this one, which holds it until the answerer is closed.
func (a *app) keeper(ctx context.Context, as stance) (*answerer, error) {
	dir, err := home.Dir(a.home)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(takeTime); ; {
		client, holder, held, err := control.Find(dir)
		if err != nil {
			return nil, err
		}
		if held {
			if err := cmp.Or(a.refusePlugins(), a.refuseSet(holder)); err != nil {
				return nil, err
			}
			return &answerer{client, holder, true, func() error { return nil }}, nil
		}
		who, err := a.keepHere(ctx, dir, as)
		if !errors.Is(err, core.ErrHeld) || time.Now().After(until) {
			return who, err
		}
		select { // another command was faster, and may be done soon
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// keepHere holds the home. One that only looks makes none.
func (a *app) keepHere(ctx context.Context, dir string, as stance) (*answerer, error) {
	if _, err := os.Stat(filepath.Join(dir, "journal")); as == looks && errors.Is(err, os.ErrNotExist) {
		return nil, &problem{exitInput, fmt.Sprintf("nothing was ever sent from the home %s; name another one with --home, or begin with \"vak send\"", quoted(dir))}
	}
	config, err := a.coreConfig()
	if err != nil {
		return nil, err
	}
	if config.Log, err = a.logger(); err != nil {
		return nil, err
	}
	config.NoDelivery, config.Project = as != delivers, here()
	c, err := core.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	return &answerer{Client: control.Local(c.Handler()), close: c.Close}, nil
}

// patience is how long a command looks for somebody to ask, while those whom it
// finds end.
const patience = 8 * time.Second

// withKeeper calls do with whom to ask. A process that held the home and has just
// ended is asked no more: the next one is. So do is called again where nothing can
// have come of the call before.
func (a *app) withKeeper(ctx context.Context, as stance, do func(*answerer) error) error {
	for until := time.Now().Add(patience); ; {
		who, err := a.keeper(ctx, as)
		if err != nil {
			return err
		}
		err = do(who)
		if closed := who.close(); err == nil {
			err = closed
		}
		if _, safe := errors.AsType[repeatable](err); time.Now().After(until) || !safe && !gone(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond): // one that ends takes a moment to let go of the home
		}
	}
}

// A repeatable error is of a request of which nobody knows what became, and which
// may be made again.
type repeatable struct{ error }

func (r repeatable) Unwrap() error { return r.error }

// cutOff reports whether the one that was asked ended before it had answered.
func cutOff(err error) bool {
	return errors.Is(err, control.Unreachable) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE))
}

// gone reports whether nobody was there to be asked.
func gone(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" && errors.Is(err, control.Unreachable)
}

// completing completes arguments with what list finds, if there is a home.
func (a *app) completing(list func(context.Context, *answerer) ([]string, error)) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, _ []string, _ string) (found []string, _ cobra.ShellCompDirective) {
		err := a.withKeeper(cmd.Context(), looks, func(who *answerer) (err error) {
			found, err = list(cmd.Context(), who)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// maxCompleted bounds what completion offers.
const maxCompleted = 200

// jobIDs completes ids of jobs in some states; none: live ones.
func (a *app) jobIDs(states ...control.JobState) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.completing(func(ctx context.Context, who *answerer) (ids []string, _ error) {
		for j, err := range who.Jobs(ctx, control.JobFilter{States: states}) {
			if err != nil {
				return nil, err
			}
			if ids = append(ids, cobra.CompletionWithDesc(j.ID, stateOf(j)+", "+j.Target)); len(ids) == maxCompleted {
				break
			}
		}
		return ids, nil
	})
}

// targetNames completes targets that something waits for.
func (a *app) targetNames() func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.completing(func(ctx context.Context, who *answerer) (names []string, _ error) {
		all, err := who.Targets(ctx)
		for _, t := range all {
			names = append(names, t.Target)
		}
		return names, err
	})
}

// sessionNames completes sessions.
func (a *app) sessionNames() func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.completing(func(ctx context.Context, who *answerer) (names []string, _ error) {
		all, err := who.Sessions(ctx)
		for _, s := range all {
			names = append(names, s.ID)
		}
		return names, err
	})
}
