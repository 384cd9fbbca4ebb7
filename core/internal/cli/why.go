package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

func (a *app) whyCommand() *cobra.Command {
	var f previewFlags
	var entry, job string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why [FILE|-]",
		Short: "Tell why an answer looks as it does",
		Long: `Tell why an answer looks as it does: which recipe was taken and by which signals,
which others were not and why, best first, and what shows each block.

Of a file or of standard input it tells how each surface would show it, like
"vak preview". Of an entry of the ledger (--entry) it tells the same, with the tools
of its turn. Of a job (--job) it tells what was decided when that was rendered.

` + exitHelp,
		Example: `  vak why answer.md
  vak why answer.md --surface telegram --json
  vak why --entry demo/12
  vak why --job demo/12:1:telegram:-1001`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := 0
			for _, g := range []bool{entry != "", job != "", len(args) > 0} {
				if g {
					given++
				}
			}
			if given > 1 {
				return usagef("name one of a file, --entry and --job")
			}
			all, err := a.whys(cmd.Context(), &f, args, entry, job, cmd.Flags().Changed("surface"))
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(all)
			}
			var b bytes.Buffer
			for i, w := range all {
				if i > 0 {
					b.WriteByte('\n')
				}
				showWhy(&b, w)
			}
			_, err = a.out.Write(b.Bytes())
			return err
		},
	}
	a.hasHome(cmd)
	f.register(a, cmd)
	cmd.Flags().StringVar(&entry, "entry", "", "of the entry `SESSION/NUMBER` of the ledger")
	cmd.Flags().StringVar(&job, "job", "", "of the job `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RegisterFlagCompletionFunc("job", a.jobIDs())
	return cmd
}

// whys finds out about whatever was asked for.
func (a *app) whys(ctx context.Context, f *previewFlags, args []string, entry, job string, chosen bool) (all []control.Why, err error) {
	if entry == "" && job == "" {
		return a.whyOfText(ctx, f, args)
	}
	err = a.withKeeper(ctx, looks, func(who *answerer) error {
		if job != "" {
			w, err := who.WhyJob(ctx, job)
			all = []control.Why{w}
			return err
		}
		var surfaces []string
		if chosen {
			for _, list := range f.surfaces {
				for s := range strings.SplitSeq(list, ",") {
					if s = strings.TrimSpace(s); s != "" && s != "all" {
						surfaces = append(surfaces, s)
					}
				}
			}
		}
		all, err = who.WhyEntry(ctx, entry, surfaces)
		return err
	})
	return all, err
}

// whyOfText renders an answer as preview does.
func (a *app) whyOfText(ctx context.Context, f *previewFlags, args []string) ([]control.Why, error) {
	c, surfaces, err := f.open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	source, err := a.readSource(ctx, args, "why")
	if err != nil {
		return nil, err
	}
	answer, err := c.Prepare(core.Draft{Markdown: source})
	if err != nil {
		return nil, err
	}
	out := make([]control.Why, len(surfaces))
	for i, t := range targets(surfaces) {
		w, err := answer.Why(ctx, t)
		if err != nil {
			return nil, err
		}
		w.Target = t.Surface
		b, err := json.Marshal(w)
		if err == nil {
			err = json.Unmarshal(b, &out[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// showWhy writes one for people.
func showWhy(b *bytes.Buffer, w control.Why) {
	of := w.Target
	if w.Job != "" {
		of = "job " + w.Job
	}
	fmt.Fprintf(b, "%s: recipe %s %s, shown by %s\n", visible(of), visible(w.Recipe.ID), visible(w.Recipe.Version), visible(w.Summary))
	by := visible(w.Renderer.ID)
	if w.Renderer.Version != "" {
		by += " " + visible(w.Renderer.Version)
	}
	rows := [][]string{{"rendered by", by}, {"signals", orNone(w.Signals.All())}, {"matched", orNone(w.Matched)}}
	if w.Template != nil {
		rows = append(rows, []string{"template", fmt.Sprintf("%s, revision %d", visible(w.Template.ID), w.Template.Revision)})
	}
	if w.Entry != "" {
		rows = append(rows, []string{"entry", visible(w.Entry)})
	}
	rows = append(rows, []string{"epoch", fmt.Sprint(w.Epoch)})
	aligned(b, rows)
	if len(w.Renderers) > 0 {
		fmt.Fprintln(b, "\n  blocks")
		rows = rows[:0]
		for _, d := range w.Renderers {
			rows = append(rows, []string{"  " + visible(string(d.Block)), visible(string(d.Kind)), visible(d.Renderer), visible(d.Why)})
		}
		aligned(b, rows)
	}
	if w.Unlisted > 0 {
		fmt.Fprintf(b, "    and %s more\n", count(w.Unlisted, "block"))
	}
	if len(w.Rejected) > 0 {
		fmt.Fprintln(b, "\n  not taken, best first")
		rows = rows[:0]
		for _, r := range w.Rejected {
			rows = append(rows, []string{"  " + visible(r.Recipe.ID) + " " + visible(r.Recipe.Version), visible(r.Reason)})
		}
		aligned(b, rows)
	}
	for _, d := range w.Said {
		fmt.Fprintf(b, "  %s: %s\n", visible(d.Code), visible(d.Message))
	}
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return visible(strings.Join(words, ", "))
}
