package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// doctorTime is how long a process that holds the home may take to examine
// itself before it counts as one that hangs.
const doctorTime = 10 * time.Second

// fullTime is how long it may read all sessions.
const fullTime = 10 * time.Minute

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, full bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that vak needs, and say how to mend what is wrong",
		Long: `Check everything that vak needs: the home, its lock and who holds it, the
directory of sockets, the sandbox that the kernel offers, the journal and its
disk, what waits in the outbox and cannot go, every plugin's manifest and hash,
limits. --full reads every session as well and holds it to its chain.

Nothing is changed or sent and no plugin is started. Where a process holds the
home, that one examines itself. Where none does, only --full opens the journal; it
holds the home meanwhile, as a start of "vak serve" would: what an interrupted
write left is set aside then. The exit code is 1 when a check fails.`,
		Example: `  vak doctor
  vak doctor --full
  vak doctor --home /var/lib/vak
  vak doctor --json | jq '.checks[] | select(.result != "ok")'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.examine(cmd.Context(), full)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.writeJSON(r)
			} else {
				_, err = a.out.WriteString(reportText(r))
			}
			if err != nil {
				return err
			}
			failed := 0
			for _, c := range r.Checks {
				if c.Result == control.Fail {
					failed++
				}
			}
			if failed > 0 {
				return &problem{exitInternal, count(failed, "check") + " failed; what to do stands beside each"}
			}
			return nil
		},
	}
	a.hasHome(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	cmd.Flags().BoolVar(&full, "full", false, "read every session as well")
	return cmd
}

// examine has the process that holds the home examine itself. Where that does
// not answer, which is a finding, and where there is none, this one looks.
func (a *app) examine(ctx context.Context, full bool) (control.Report, error) {
	who, err := a.ask(ctx)
	var unreachable error
	if err == nil && who.held {
		within := doctorTime
		if full {
			within = fullTime
		}
		asked, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		began := time.Now()
		r, err := who.Doctor(asked, full)
		if err == nil {
			r.Add("control", control.Fine, fmt.Sprintf("%s answered in %s", who.holder, time.Since(began).Round(time.Millisecond)), "")
			return r, nil
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		unreachable = err
	} else if errors.Is(err, control.Unreachable) {
		unreachable = err
	} else if err != nil && !errors.Is(err, home.ErrUnusable) { // which is a finding
		return control.Report{}, err
	}
	if who == nil || who.held {
		if who, err = a.askHere(ctx); err != nil {
			return control.Report{}, err
		}
	}
	defer who.close()
	r, err := who.Doctor(ctx, false)
	if err != nil {
		return r, err
	}
	if unreachable == nil && full {
		if err := a.examineKept(ctx, &r); err != nil {
			return r, err
		}
	}
	if unreachable != nil {
		what, mend := unreachable.Error(), ""
		if e, ok := errors.AsType[*control.Error](unreachable); ok {
			mend = e.Mend
			what = strings.TrimSuffix(e.Error(), "; "+mend)
		} else if errors.Is(unreachable, context.DeadlineExceeded) {
			what, mend = fmt.Sprintf("the process that holds the home did not answer within %s", doctorTime), "see its log; if it hangs, stop it and start it again"
		}
		r.Add("control", control.Fail, what, mend)
	}
	return r, nil
}

// examineKept adds the checks of what is kept in a home that nobody holds. It has
// to be held for that, and there has to be something.
func (a *app) examineKept(ctx context.Context, r *control.Report) error {
	dir, err := home.Dir(a.home)
	if err != nil {
		return nil // which is a finding already
	}
	if _, err := os.Stat(filepath.Join(dir, "journal")); err != nil {
		return nil
	}
	who, err := a.keepHere(ctx, dir, looks)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, core.ErrHeld): // with --plugins, which are looked for here
		return nil
	case err != nil:
		what, mend := err.Error(), ""
		if e, ok := errors.AsType[*core.Error](err); ok {
			mend = e.Mend
			what = strings.TrimSuffix(e.Error(), "; "+mend)
		}
		r.Replace([]control.Check{{Name: "journal", Result: control.Fail, What: "cannot be opened: " + what, Mend: mend}}, "journal")
		return nil
	}
	defer who.close()
	kept, err := who.Doctor(ctx, true)
	if err != nil {
		return err
	}
	known := map[string]bool{"journal": false, "torn": false, "disk": false}
	for _, c := range r.Checks {
		if _, anew := known[c.Name]; !anew {
			known[c.Name] = true
		}
	}
	more := slices.DeleteFunc(kept.Checks, func(c control.Check) bool { return known[c.Name] })
	r.Replace(more, "journal", "torn", "disk")
	return nil
}

// reportText is a report with a line for each check.
func reportText(r control.Report) string {
	var b strings.Builder
	widest := 0
	for _, c := range r.Checks {
		widest = max(widest, len(visible(c.Name)))
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-4s  %-*s  %s", c.Result, widest, visible(c.Name), oneLine(c.What))
		if c.Mend != "" {
			b.WriteString(" → " + oneLine(c.Mend))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
