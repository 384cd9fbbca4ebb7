package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

func (a *app) whyCommand() *cobra.Command {
	var f previewFlags
	var tools toolsFlag
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

` + toolsHelp + `

` + exitHelp,
		Example: `  vak why answer.md
  vak why answer.md --surface telegram --json
  vak why answer.md --tools calls.json --surface log
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
			if tools.file != "" && (entry != "" || job != "") {
				return usagef("--tools is for a file; the tools of what the ledger holds are in it")
			}
			look, err := a.look(f.color, f.width)
			if err != nil {
				return err
			}
			all, err := a.whys(cmd.Context(), &f, &tools, args, entry, job, cmd.Flags().Changed("surface"))
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(all)
			}
			var b []byte
			for i, w := range all {
				if i > 0 {
					b = append(b, '\n')
				}
				b = look.why(b, w)
			}
			_, err = a.out.Write(b)
			return err
		},
	}
	a.hasHome(cmd)
	f.register(a, cmd)
	tools.register(cmd)
	cmd.Flags().StringVar(&entry, "entry", "", "tell of the entry `SESSION/NUMBER` of the ledger")
	cmd.Flags().StringVar(&job, "job", "", "tell of the job `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RegisterFlagCompletionFunc("job", a.jobIDs())
	return cmd
}

// whys finds out about whatever was asked for.
func (a *app) whys(ctx context.Context, f *previewFlags, tools *toolsFlag, args []string, entry, job string, chosen bool) (all []control.Why, err error) {
	if entry == "" && job == "" {
		return a.whyOfText(ctx, f, tools, args)
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
func (a *app) whyOfText(ctx context.Context, f *previewFlags, tools *toolsFlag, args []string) ([]control.Why, error) {
	c, surfaces, err := f.open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	source, err := tools.answer(ctx, a, args, "why")
	if err != nil {
		return nil, err
	}
	calls, err := tools.read()
	if err != nil {
		return nil, err
	}
	answer, err := c.Prepare(core.Draft{Markdown: source, Tools: calls})
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
