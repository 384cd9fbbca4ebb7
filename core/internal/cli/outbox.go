package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func (a *app) outboxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "outbox",
		Short: "See what waits to be delivered, and act on it",
		Long: `See what waits to be delivered, and act on it. A job is one answer for one
target. Where a process holds the home, that one is asked; where none does, this
one holds it for as long as it looks, and sends nothing.

` + exitHelp,
		Example: `  vak outbox list
  vak outbox show JOB
  vak outbox retry JOB
  vak outbox retry --state dead_letter --target telegram:-1001234 --dry-run
  vak outbox targets`,
		RunE: group("outbox"),
	}
	a.hasHome(cmd)
	a.overrides(cmd)
	cmd.AddCommand(a.outboxListCommand(), a.outboxShowCommand(), a.outboxHistoryCommand(), a.outboxTargetsCommand())
	for _, row := range control.Actions {
		cmd.AddCommand(a.outboxActCommand(row.Action, row.Does, row.Done, row.States))
	}
	return cmd
}

// group is what a command does that only has commands below it.
func group(name string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("there is no command \"%s %s\"; run \"vak %s --help\"", name, args[0], name)
		}
		return cmd.Help()
	}
}

// filterFlags choose jobs.
type filterFlags struct {
	states         []string
	target, reason string
}

func (f *filterFlags) register(a *app, cmd *cobra.Command, states string) {
	cmd.Flags().StringSliceVar(&f.states, "state", nil, "jobs in these `STATES`, with commas: "+strings.Join(stateWords(), ", ")+", or all (default: "+states+")")
	cmd.Flags().StringVar(&f.target, "target", "", "jobs for `TARGET`")
	cmd.Flags().StringVar(&f.reason, "reason", "", "jobs that are held or dead for `REASON`, such as no_transport")
	cmd.RegisterFlagCompletionFunc("state", fixed(append(stateWords(), "all")...))
	cmd.RegisterFlagCompletionFunc("target", a.targetNames())
	cmd.RegisterFlagCompletionFunc("reason", fixed(reasonWords()...))
}

func stateWords() []string {
	out := make([]string, len(control.JobStates))
	for i, s := range control.JobStates {
		out[i] = string(s)
	}
	return out
}

func reasonWords() []string {
	var out []string
	for _, r := range control.Reasons {
		if r.Of != "target" {
			out = append(out, r.Reason)
		}
	}
	return out
}

// filter is what the flags choose.
func (f *filterFlags) filter() (control.JobFilter, error) {
	out := control.JobFilter{Target: f.target, Reason: f.reason}
	for _, s := range f.states {
		switch s = strings.TrimSpace(s); {
		case s == "all":
			out.States = append(out.States, control.JobStates...)
		case slices.Contains(stateWords(), s):
			out.States = append(out.States, control.JobState(s))
		default:
			return out, usagef("--state cannot be %s; use all or some of %s", quoted(s), strings.Join(stateWords(), ", "))
		}
	}
	if f.reason != "" && !slices.Contains(reasonWords(), f.reason) {
		return out, usagef("--reason cannot be %s; use one of %s", quoted(f.reason), strings.Join(reasonWords(), ", "))
	}
	if f.target != "" {
		t, err := surface.ParseTarget(f.target)
		if err != nil {
			return out, usagef("--target %s: %v; \"vak outbox targets\" shows some", quoted(f.target), err)
		}
		out.Target = t.String()
	}
	return out, nil
}

func (a *app) outboxListCommand() *cobra.Command {
	var f filterFlags
	var asJSON, watch bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs, by target in the order in which they will go",
		Long: `List jobs, by target in the order in which they will go: those that wait, unless
--state names others. Finished ones follow, the latest first; they are kept for
30 days.

PARTS is how many messages arrived and of how many; "-" stands until it is
rendered. ATTEMPTS is of failed ones. NEXT is when something happens by itself.

--watch shows it on a terminal again and again, until q or Ctrl-C.`,
		Example: `  vak outbox list
  vak outbox list --watch
  vak outbox list --state dead_letter
  vak outbox list --target telegram:-1001234 --state all
  vak outbox list --state held --json | jq -r '.[] | "\(.id) \(.reason)"'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter()
			if err != nil {
				return err
			}
			if watch && asJSON {
				return usagef("--watch and --json exclude each other; --watch is for a terminal")
			}
			if watch && a.canWatch() {
				return a.watch(cmd.Context(), filter)
			}
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				l, err := listing(cmd.Context(), who, filter, 0)
				if err != nil {
					return err
				}
				if asJSON {
					return a.writeJSON(l.jobs)
				}
				_, err = a.out.WriteString(l.text(time.Now()))
				return err
			})
		},
	}
	f.register(a, cmd, "pending, sending and held")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again and again")
	return cmd
}

func (a *app) outboxShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show JOB",
		Short: "Show all about a job: what happened, why it is where it is, what to do",
		Long: `Show all about a job: what happened, why it is held or dead, what to do about it,
and the receipts of the messages that arrived. It shows no text of the answer;
"vak ledger show" has that, and "vak outbox history" what was sent.`,
		Example: `  vak outbox show deploys/1:1:telegram:-1001234
  vak outbox show deploys/1:1:telegram:-1001234 --json | jq .state`,
		ValidArgsFunction: a.jobIDs(control.JobStates...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one job; \"vak outbox list\" shows them")
			}
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				j, err := who.Job(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return a.writeJSON(j)
				}
				events, err := who.History(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				_, err = a.out.WriteString(story(j, events, time.Now()))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func (a *app) outboxHistoryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history JOB",
		Short: "Write what happened to a job as the store keeps it, one JSON object a line",
		Long: `Write what happened to a job as the store keeps it, one JSON object a line. It
holds the messages as they were sent.`,
		Example: `  vak outbox history deploys/1:1:log:answers
  vak outbox history deploys/1:1:log:answers | jq -r 'select(.kind == "failed") | .body.code'`,
		ValidArgsFunction: a.jobIDs(control.JobStates...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one job; \"vak outbox list\" shows them")
			}
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				events, err := who.History(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				var b []byte
				for _, e := range events {
					line, err := json.Marshal(e)
					if err != nil {
						return err
					}
					b = append(append(b, line...), '\n')
				}
				_, err = a.out.Write(b)
				return err
			})
		},
	}
}

func (a *app) outboxTargetsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "targets",
		Short: "List the targets that something waits for, or that are closed or paused",
		Example: `  vak outbox targets
  vak outbox targets --json | jq -r '.[] | select(.closed) | .target'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				all, err := who.Targets(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.writeJSON(all)
				}
				_, err = a.out.WriteString(targetsText(all, time.Now()))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	return cmd
}

func targetsText(all []control.Target, now time.Time) string {
	if len(all) == 0 {
		return "Nothing waits for any target, and none is closed or paused.\n"
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TARGET\tPENDING\tSENDING\tHELD\tOLDEST\tSTATE")
	for _, x := range all {
		oldest := ""
		if !x.Oldest.IsZero() {
			oldest = control.Age(now.Sub(x.Oldest))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\n", visible(x.Target), x.Pending, x.Sending, x.Held, dash(oldest), visible(targetState(x, now)))
	}
	t.Flush()
	return trimLines(b.String())
}

// targetState is what a target is like, in a few words.
func targetState(t control.Target, now time.Time) string {
	means, _ := control.Reason(t.Why)
	switch {
	case t.Closed:
		return "closed: " + means
	case t.Until.After(now):
		return "waits " + control.Age(t.Until.Sub(now)) + ": " + means
	case t.Moved != "":
		return "moved to " + t.Moved
	}
	return "open"
}
