package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// sendFlags are the flags of send.
type sendFlags struct {
	to, ids                 []string
	cadence, urgency        string
	kind, severity, expires string
	options                 []string
	done, total             int
	tool                    string
	failed                  bool
	session, turnKey        string
	noWait, asJSON          bool
	timeout                 time.Duration
	meta                    metaFlags
}

var kinds = []string{"assistant", "task_summary", "user", "alert", "approval", "progress", "tool_result"}

func (a *app) sendCommand() *cobra.Command {
	var f sendFlags
	cmd := &cobra.Command{
		Use:   "send [FILE|-] --to TARGET",
		Short: "Have an answer delivered, and wait until it has arrived",
		Long: `Have an answer, written in markdown, delivered to every target. It is on disk
once it is accepted. Then the command waits until every job has settled, and
writes one line for each: it arrived, was given up, or is held.

A target is surface:address[/thread][:account], each part percent-encoded where
it holds a separator: telegram:-1001234, slack:C0123:work, log:answers.

Where "vak serve" holds the home, that one sends. Where no process does, this one
holds it and sends, until its own jobs have settled.

--id makes a delivery happen once: the same again is not sent again, and other
content under the same id is refused. So does --session with --turn-key, for all
targets at once; the answer is then the end of that turn in the session's ledger.
The time that --expires names is part of the content, so a script that may run
twice gives a time rather than a duration.

` + exitHelp,
		Example: `  vak send answer.md --to log:answers
  make test 2>&1 | tail -5 | vak send --to telegram:-1001234 --severity critical
  vak send ask.md --to slack:C0123 --option yes=Deploy --option no=Wait --expires 2h
  vak send --to telegram:42 --done 3 --total 10
  vak send answer.md --to log:answers --title "Nightly run" --meta source=ci
  vak send out.txt --to log:tools --tool tests --failed
  vak send answer.md --to telegram:42 --to log:answers --session deploys --turn-key build-4711
  vak send answer.md --to log:answers --no-wait --json | jq -r '.jobs[].id'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := f.delivery(cmd, time.Now())
			if err != nil {
				return err
			}
			if d.Progress == nil || len(args) > 0 { // a progress needs no words
				if d.Markdown, err = a.readSource(cmd.Context(), args, "send"); err != nil {
					return err
				}
			}
			return a.send(cmd.Context(), d, &f)
		},
	}
	a.hasHome(cmd)
	a.overrides(cmd)
	a.runsPlugins(cmd)
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.to, "to", "t", nil, "deliver to `TARGET` (may be given again)")
	flags.StringArrayVar(&f.ids, "id", nil, "`ID` of the job, for each --to in order: it is accepted once")
	flags.StringVar(&f.cadence, "cadence", "", "when: `CADENCE` is immediate, on_completion or digest")
	flags.StringVar(&f.urgency, "urgency", "", "how much it presses: `URGENCY` is normal, ambient (silent) or interrupt")
	flags.StringVar(&f.kind, "kind", "", "`KIND`: "+strings.Join(kinds, ", ")+" (default: by the flags below, else assistant)")
	flags.StringVar(&f.severity, "severity", "", "an alert: `SEVERITY` is info, warning or critical")
	flags.StringArrayVar(&f.options, "option", nil, "an approval: one way to answer, `ID=VERB` (may be given again)")
	flags.StringVar(&f.expires, "expires", "", "an approval: for so long, or until `TIME` (2h, 2027-01-31T12:00:00Z)")
	flags.IntVar(&f.done, "done", 0, "a progress: `N` are done")
	flags.IntVar(&f.total, "total", 0, "a progress: of `N`")
	flags.StringVar(&f.tool, "tool", "", "a tool's result: `NAME` of the tool")
	flags.BoolVar(&f.failed, "failed", false, "a tool's result: it failed")
	f.meta.register(cmd)
	flags.StringVar(&f.session, "session", "", "complete a turn of the session `ID` with it")
	flags.StringVar(&f.turnKey, "turn-key", "", "`KEY` of the turn: it is completed once")
	flags.BoolVar(&f.noWait, "no-wait", false, "return once it is accepted")
	flags.DurationVar(&f.timeout, "timeout", 0, "wait for `DURATION` at most (0: until it has settled)")
	flags.BoolVar(&f.asJSON, "json", false, "write a JSON object")
	cmd.RegisterFlagCompletionFunc("to", a.targetNames())
	cmd.RegisterFlagCompletionFunc("session", a.sessionNames())
	cmd.RegisterFlagCompletionFunc("kind", fixed(kinds...))
	cmd.RegisterFlagCompletionFunc("severity", fixed("info", "warning", "critical"))
	cmd.RegisterFlagCompletionFunc("cadence", fixed("immediate", "on_completion", "digest"))
	cmd.RegisterFlagCompletionFunc("urgency", fixed("normal", "ambient", "interrupt"))
	return cmd
}

// delivery is what the flags ask for, without the text.
func (f *sendFlags) delivery(cmd *cobra.Command, now time.Time) (control.Delivery, error) {
	d := control.Delivery{Session: f.session, TurnKey: f.turnKey}
	switch {
	case len(f.to) == 0:
		return d, usagef("name a target with --to, such as --to log:answers or --to telegram:-1001234")
	case len(f.ids) > 0 && len(f.ids) != len(f.to):
		return d, usagef("there are %s and %s; give --id once for each --to, in their order", count(len(f.to), "target"), count(len(f.ids), "id"))
	case f.turnKey != "" && f.session == "":
		return d, usagef("--turn-key needs the --session that the turn is of")
	case f.timeout < 0:
		return d, usagef("--timeout cannot be %s; use 0 or more", f.timeout)
	case f.kind != "" && !slices.Contains(kinds, f.kind):
		return d, usagef("--kind cannot be %s; use %s", quoted(f.kind), strings.Join(kinds, ", "))
	}
	for i, t := range f.to {
		to := control.To{Target: t, Cadence: f.cadence, Urgency: f.urgency}
		if len(f.ids) > 0 {
			if to.ID = f.ids[i]; to.ID == "" {
				return d, usagef("--id is empty; leave it away to have one made")
			}
		}
		d.Deliveries = append(d.Deliveries, to)
	}
	var err error
	if d.Metadata, err = f.meta.metadata(); err != nil {
		return d, err
	}
	return d, f.content(cmd, &d, now)
}

// content sets the kind and the typed content. A flag of one kind makes the draft
// one of it.
func (f *sendFlags) content(cmd *cobra.Command, d *control.Delivery, now time.Time) error {
	groups := []struct {
		kind  string
		flags []string
	}{
		{"alert", []string{"severity"}},
		{"approval", []string{"option", "expires"}},
		{"progress", []string{"done", "total"}},
		{"tool_result", []string{"tool", "failed"}},
	}
	kind, by := f.kind, "kind "+f.kind
	for _, g := range groups {
		for _, name := range g.flags {
			if !cmd.Flags().Changed(name) || kind == g.kind {
				continue
			}
			if kind != "" {
				return usagef("--%s is for %s, and --%s makes it another kind; leave one of them away", name, withArticle(g.kind), by)
			}
			kind, by = g.kind, name
		}
	}
	switch kind {
	case "alert":
		if f.severity == "" {
			f.severity = string(core.Warning)
		}
		d.Alert = control.Raw(core.Alert{Severity: core.Severity(f.severity)})
	case "approval":
		a, err := f.approval(now)
		if err != nil {
			return err
		}
		d.Approval = control.Raw(a)
	case "progress":
		d.Progress = control.Raw(core.Progress{Done: f.done, Total: f.total})
	case "tool_result":
		d.ToolResult = control.Raw(core.ToolResult{Tool: f.tool, OK: !f.failed})
	default:
		d.Kind = surface.Kind(kind)
	}
	return nil
}

func withArticle(kind string) string {
	kind = strings.ReplaceAll(kind, "_", " ")
	if strings.HasPrefix(kind, "a") {
		return "an " + kind
	}
	return "a " + kind
}

func (f *sendFlags) approval(now time.Time) (core.Approval, error) {
	var a core.Approval
	for _, o := range f.options {
		id, verb, ok := strings.Cut(o, "=")
		if !ok {
			return a, usagef("--option %s has no verb; write ID=VERB, such as yes=Deploy", quoted(o))
		}
		a.Options = append(a.Options, core.Option{ID: id, Verb: verb})
	}
	if len(a.Options) == 0 {
		return a, usagef("an approval needs a way to answer it; give --option ID=VERB, such as --option yes=Deploy")
	}
	if f.expires == "" {
		return a, nil
	}
	if in, err := time.ParseDuration(f.expires); err == nil && in > 0 {
		a.Expires = now.Add(in).UTC().Truncate(time.Second)
		return a, nil
	}
	at, err := time.Parse(time.RFC3339, f.expires)
	if err != nil || !at.After(now) {
		return a, usagef("--expires cannot be %s; use a duration such as 2h, or a time to come such as %s", quoted(f.expires), now.Add(24*time.Hour).UTC().Format(time.RFC3339))
	}
	a.Expires = at.UTC()
	return a, nil
}

// send has d accepted, and waits for it.
func (a *app) send(ctx context.Context, d control.Delivery, f *sendFlags) error {
	as := delivers
	if f.noWait {
		as = leaves
	}
	w := &waiting{app: a, flags: f}
	if !f.asJSON && term.IsTerminal(int(a.out.Fd())) {
		w.look, _ = a.look("auto", 0)
		w.live = w.look.color || !dumb()
	}
	d.Key = rand.Text()
	// What was accepted is not sent once more, whatever comes of waiting for it.
	var outcome error
	err := a.withKeeper(ctx, as, func(who *answerer) (err error) {
		if w.accepted, err = who.Deliver(ctx, d); cutOff(err) {
			return repeatable{err} // it has a key
		} else if err != nil {
			return err
		}
		w.jobs = w.accepted.Jobs
		if f.noWait {
			outcome = w.write(ctx, who)
		} else {
			outcome = w.wait(ctx, who)
		}
		return nil
	})
	return cmp.Or(err, outcome)
}
