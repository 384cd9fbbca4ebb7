package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// doctorTime is how long a process that holds the home may take to examine
// itself before it counts as one that hangs.
const doctorTime = 10 * time.Second

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that vak needs, and say how to mend what is wrong",
		Long: `Check everything that vak needs: the home, its lock and who holds it, the
directory of sockets, the sandbox that the kernel offers, every plugin's manifest
and hash, limits. Nothing is changed and no plugin is started.

Where a process holds the home, that one examines itself. The exit code is 1 when
a check fails.`,
		Example: `  vak doctor
  vak doctor --home /var/lib/vak
  vak doctor --json | jq '.checks[] | select(.result != "ok")'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.examine(cmd.Context())
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
	return cmd
}

// examine has the process that holds the home examine itself. Where that does
// not answer, which is a finding, and where there is none, this one looks.
func (a *app) examine(ctx context.Context) (control.Report, error) {
	who, err := a.ask(ctx)
	var unreachable error
	if err == nil && who.held {
		asked, cancel := context.WithTimeout(ctx, doctorTime)
		defer cancel()
		began := time.Now()
		r, err := who.Doctor(asked)
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
	r, err := who.Doctor(ctx)
	if err != nil {
		return r, err
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
