package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

func (a *app) outboxActCommand(do control.Action, does, done string, states []control.JobState) *cobra.Command {
	var f filterFlags
	var dryRun, yes bool
	var of []string
	for _, s := range states {
		of = append(of, string(s))
	}
	cmd := &cobra.Command{
		Use:   string(do) + " JOB… | --state STATES | --target TARGET | --reason REASON",
		Short: strings.ToUpper(does[:1]) + does[1:],
		Long: strings.ToUpper(does[:1]) + does[1:] + `.

Name the jobs, or choose them with --state, --target and --reason. What is chosen
so is counted and has to be confirmed: at a terminal, or with --yes. A job that
goes on by itself before its turn comes is left alone.`,
		Example: fmt.Sprintf(`  vak outbox %[1]s deploys/1:1:telegram:-1001234
  vak outbox %[1]s --target telegram:-1001234 --dry-run
  vak outbox %[1]s --state %[2]s --yes`, do, states[len(states)-1]),
		ValidArgsFunction: a.jobIDs(states...),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := len(f.states) > 0 || f.target != "" || f.reason != ""
			switch {
			case chosen && len(args) > 0:
				return usagef("name jobs, or choose them with --state, --target and --reason, not both")
			case !chosen && len(args) == 0:
				return usagef("name the jobs, or choose them with --state, --target or --reason; \"vak outbox list\" shows them")
			case !chosen && (dryRun || yes):
				return usagef("--dry-run and --yes are for jobs that are chosen with --state, --target or --reason")
			case !chosen:
				return a.actOnEach(cmd.Context(), do, done, args)
			}
			filter, err := f.filter()
			if err != nil {
				return err
			}
			q := control.ActRequest{Action: do, States: filter.States, Target: filter.Target, Reason: filter.Reason}
			return a.actOnAll(cmd.Context(), q, dryRun, yes)
		},
	}
	f.register(a, cmd, strings.Join(of, ", "))
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say how many jobs it would be done to")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without being asked")
	return cmd
}

// actOnEach does an action to jobs that were named. All are tried; the first error
// is returned, and the others are said.
func (a *app) actOnEach(ctx context.Context, do control.Action, done string, ids []string) error {
	return a.withKeeper(ctx, looks, func(who *answerer) error {
		var first error
		for _, id := range ids {
			_, err := who.Act(ctx, do, id)
			if gone(err) || ctx.Err() != nil {
				return err
			}
			if err == nil {
				_, err = fmt.Fprintf(a.out, "%s %s\n", visible(id), done)
				if err != nil {
					return err
				}
				continue
			}
			if first != nil {
				fmt.Fprintln(a.err, "vak: "+oneLine(first.Error()))
			}
			first = err
		}
		if first == nil {
			return a.notYet(who, do)
		}
		return first
	})
}

// notYet says that what is to go does not go yet.
func (a *app) notYet(who *answerer, do control.Action) error {
	if who.held || do != control.ActRetry && do != control.ActRelease {
		return nil
	}
	_, err := fmt.Fprintln(a.out, "No process holds the home, so nothing goes before \"vak serve\" runs.")
	return err
}

// actOnAll does an action to all jobs that a request chooses.
func (a *app) actOnAll(ctx context.Context, q control.ActRequest, dryRun, yes bool) error {
	return a.withKeeper(ctx, looks, func(who *answerer) error {
		rehearsal := q
		rehearsal.DryRun = true
		would, err := who.ActOn(ctx, rehearsal)
		if err != nil {
			return err
		}
		n := count(would.Count, "job")
		if would.More {
			n = "more than " + n
		}
		if dryRun || would.Count == 0 {
			_, err := fmt.Fprintf(a.out, "%s would be chosen for %s.\n%s", n, q.Action, firstOf(would))
			return err
		}
		if !yes {
			if ok, err := a.confirm(ctx, fmt.Sprintf("%s %s? [y/N] ", q.Action, n)); err != nil || !ok {
				return err
			}
		}
		total := 0
		for {
			acted, err := who.ActOn(ctx, q)
			total += acted.Count
			if err != nil {
				if total > 0 {
					fmt.Fprintf(a.err, "vak: %s done before it failed\n", count(total, "job"))
				}
				return err
			}
			// One that is retried while it is pending stays so, and would be
			// retried for ever.
			if !acted.More || acted.Count == 0 || ctx.Err() != nil || stays(q) {
				break
			}
		}
		if _, err := fmt.Fprintf(a.out, "%s: %s.\n", q.Action, count(total, "job")); err != nil {
			return err
		}
		return a.notYet(who, q.Action)
	})
}

// stays reports whether what was done leaves jobs where the request finds them
// again.
func stays(q control.ActRequest) bool {
	for _, s := range q.States {
		if q.Action == control.ActRetry && s == control.Pending || q.Action == control.ActDead && s == control.DeadLetter || q.Action == control.ActDiscard && s == control.Discarded || q.Action == control.ActHold && s == control.Held {
			return true
		}
	}
	return false
}

// firstOf lists the first ids of many.
func firstOf(x control.Acted) string {
	var b strings.Builder
	for i, id := range x.IDs {
		if i == 10 {
			fmt.Fprintf(&b, "  and %s more\n", thousands(x.Count-i))
			break
		}
		b.WriteString("  " + visible(id) + "\n")
	}
	return b.String()
}

// confirm asks at a terminal. Anything but y or yes is no.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	if !term.IsTerminal(int(a.in.Fd())) || !term.IsTerminal(int(a.out.Fd())) {
		return false, usagef("give --yes to do it to all jobs that are chosen, or --dry-run to see how many they are")
	}
	fmt.Fprint(a.out, question)
	answered := make(chan string, 1)
	go func() { // a read from a terminal cannot be called off, so it is left behind
		line, _ := bufio.NewReader(a.in).ReadString('\n')
		answered <- line
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case line := <-answered:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		}
		_, err := fmt.Fprintln(a.out, "Nothing was done.")
		return false, err
	}
}
