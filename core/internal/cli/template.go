package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func (a *app) templateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "template",
		Short: "See and check templates, and decide about those that agents propose",
		Long: `See and check templates, and decide about those that agents propose. A template
puts words around an answer; targets choose one in the configuration:

  [templates.report]
  format = """
  {?title}
  # {title}
  {/title}

  {body}
  """

  [targets.ops]
  to = "log:ops"
  template = "report"

docs/templates.md tells all that a format can hold.`,
		Example: `  vak template check report.md
  vak preview answer.md --template report.md --title "Nightly run"
  vak template list
  vak template show report
  vak template activate report --revision 2`,
		RunE: group("template"),
	}
	a.hasHome(cmd)
	cmd.AddCommand(a.templateListCommand(), a.templateShowCommand(), a.templateCheckCommand(), a.templateProposeCommand(), a.templateActCommand(control.Activate), a.templateActCommand(control.Deactivate), a.templateActCommand(control.Reject))
	return cmd
}

func (a *app) templateListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the templates, who wrote them and who uses them",
		Long: `List the templates, who wrote them and who uses them. Of the same id, one of the
user goes before one of a project, that before a proposal that is active, and that
before a built-in one.`,
		Example: `  vak template list
  vak template list --json | jq -r '.[] | select(.active) | .id'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			who, err := a.ask(cmd.Context())
			if err != nil {
				return err
			}
			defer who.close()
			all, err := who.Templates(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(all)
			}
			_, err = a.out.WriteString(templateTable(all))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	return cmd
}

// templateTable is a line for each template, and below what is wrong with them.
func templateTable(all []control.Template) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tREVISION\tORIGIN\tSTATE\tUSED BY")
	for _, t := range all {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", visible(t.ID), t.Revision, originOf(t.Origin), templateState(t), dash(strings.Join(t.UsedBy, ", ")))
	}
	w.Flush()
	for _, t := range all {
		for _, what := range []string{t.Problem, t.Warning} {
			if what != "" {
				fmt.Fprintf(&b, "\n%s %d (%s): %s\n", visible(t.ID), t.Revision, originOf(t.Origin), oneLine(what))
			}
		}
	}
	return trimLines(b.String())
}

func originOf(origin string) string {
	if origin == string(core.TemplateBuiltIn) {
		return "built in"
	}
	return visible(origin)
}

// templateState says what a template does.
func templateState(t control.Template) string {
	switch {
	case t.Active:
		return "active"
	case t.Problem != "":
		return "refused"
	case t.Overridden != "":
		return "overridden (" + originOf(t.Overridden) + ")"
	case t.Origin == string(core.TemplateProposal):
		return "proposed"
	}
	return "-"
}

func (a *app) templateShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show ID",
		Short:             "Show the formats of a template, whoever wrote them",
		Example:           "  vak template show report\n  vak template show report --json | jq -r '.[0].format'",
		ValidArgsFunction: a.completeTemplates(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one template; \"vak template list\" shows them")
			}
			who, err := a.ask(cmd.Context())
			if err != nil {
				return err
			}
			defer who.close()
			all, err := who.Template(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(all)
			}
			var b strings.Builder
			for i, t := range all {
				if i > 0 {
					b.WriteByte('\n')
				}
				fmt.Fprintf(&b, "%s, revision %d, %s: %s\n", visible(t.ID), t.Revision, originOf(t.Origin), templateState(t))
				for _, what := range []string{t.About, t.Problem, t.Warning} {
					if what != "" {
						b.WriteString(oneLine(what) + "\n")
					}
				}
				b.WriteByte('\n')
				for line := range strings.Lines(strings.TrimRight(t.Format, "\n") + "\n") {
					b.WriteString(strings.TrimRight("    "+visible(strings.TrimRight(line, "\r\n")), " ") + "\n")
				}
			}
			_, err = a.out.WriteString(b.String())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	return cmd
}

func (a *app) templateCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE|-",
		Short: "Say what is wrong with a format, with line and column",
		Long: `Say what is wrong with a format, with line and column. It needs no home and
changes nothing. It fails where something is wrong.

` + exitHelp,
		Example: "  vak template check report.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one file, or - for standard input")
			}
			format, err := a.readFormat(cmd.Context(), args)
			if err != nil {
				return err
			}
			if err := core.CheckTemplate(format); err != nil {
				fmt.Fprintf(a.out, "%s: %s\n", visible(args[0]), visible(err.Error()))
				return &problem{exitInput, "the format cannot be used"}
			}
			_, err = fmt.Fprintf(a.out, "ok  %s\n", visible(args[0]))
			return err
		},
	}
}

// readFormat reads the format that args name.
func (a *app) readFormat(ctx context.Context, args []string) (string, error) {
	return a.readSource(ctx, args, "template check")
}

func (a *app) templateProposeCommand() *cobra.Command {
	var revision int
	cmd := &cobra.Command{
		Use:   "propose ID FILE|-",
		Short: "Keep a template as a proposal, which nothing uses before it is activated",
		Long: `Keep a template as a proposal, which nothing uses before it is activated. Agents
do the same over the control socket. A proposal takes the place of the one before
it that was not activated, and needs a higher revision.`,
		Example: `  vak template propose report report.md
  vak template propose report - --revision 4 < report.md`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("name the template and a file, such as: vak template propose report report.md")
			}
			if revision < 0 {
				return usagef("--revision cannot be %d; use 1 or more", revision)
			}
			format, err := a.readFormat(cmd.Context(), args[1:])
			if err != nil {
				return err
			}
			return a.withKeeper(cmd.Context(), leaves, func(who *answerer) error {
				t, err := who.Propose(cmd.Context(), control.TemplateProposal{ID: args[0], Revision: revision, Format: format})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "%s %d is proposed; \"vak template activate %[1]s --revision %[2]d\" has it used\n", visible(t.ID), t.Revision)
				return err
			})
		},
	}
	cmd.Flags().IntVar(&revision, "revision", 0, "`N`, higher than before (0: the next one)")
	return cmd
}

// templateActs says what the actions do.
var templateActs = map[control.TemplateAction]struct{ does, long, done string }{
	control.Activate: {
		"Have a proposal used, wherever its id is wanted",
		`Have a proposal used, wherever its id is wanted and neither the user nor a project
has a template of that id. Read it first: "vak template show ID". Without
--revision the latest is meant.`, "is active"},
	control.Deactivate: {"Have a proposal used no longer", "Have a proposal used no longer. It stays one, and can be activated again.", "is not active any more"},
	control.Reject:     {"Throw a proposal away that is not active", "Throw a proposal away that is not active. Without --revision the latest is meant.", "is rejected"},
}

func (a *app) templateActCommand(do control.TemplateAction) *cobra.Command {
	var revision int
	act := templateActs[do]
	cmd := &cobra.Command{
		Use: string(do) + " ID", Short: act.does, Long: act.long,
		Example:           "  vak template " + string(do) + " report",
		ValidArgsFunction: a.completeTemplates(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one proposal; \"vak template list\" shows them")
			}
			return a.withKeeper(cmd.Context(), leaves, func(who *answerer) error {
				n := revision
				if n == 0 && do != control.Deactivate {
					var err error
					if n, err = latest(cmd.Context(), who, args[0]); err != nil {
						return err
					}
				}
				t, err := who.ActOnTemplate(cmd.Context(), do, args[0], n)
				if err != nil {
					return err
				}
				text := fmt.Sprintf("%s %d %s", visible(t.ID), t.Revision, act.done)
				if do == control.Activate && t.Overridden != "" {
					text = fmt.Sprintf("%s, and overridden by the one of the %s", text, t.Overridden)
				}
				_, err = fmt.Fprintln(a.out, text)
				return err
			})
		},
	}
	if do != control.Deactivate {
		cmd.Flags().IntVar(&revision, "revision", 0, "`N` that was read (0: the latest)")
	}
	return cmd
}

// latest is the latest revision of a proposal that is not active.
func latest(ctx context.Context, who *answerer, id string) (int, error) {
	all, err := who.Templates(ctx)
	if err != nil {
		return 0, err
	}
	n, active := 0, 0
	for _, t := range all {
		switch {
		case t.ID != id || t.Origin != string(core.TemplateProposal):
		case t.Active || t.Overridden != "":
			active = t.Revision
		default:
			n = max(n, t.Revision)
		}
	}
	switch {
	case n > 0:
		return n, nil
	case active > 0:
		return active, nil
	}
	return 0, &problem{exitSurface, fmt.Sprintf("there is no proposal %s; \"vak template list\" shows them", quoted(id))}
}

// completeTemplates completes ids of templates, or of proposals only.
func (a *app) completeTemplates(proposals bool) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		who, err := a.ask(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer who.close()
		all, err := who.Templates(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var ids []string
		for _, t := range all {
			if !proposals || t.Origin == string(core.TemplateProposal) {
				ids = append(ids, cobra.CompletionWithDesc(t.ID, fmt.Sprintf("revision %d, %s, %s", t.Revision, originOf(t.Origin), templateState(t))))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// metaFlags are the flags for what a template can show beside the answer.
type metaFlags struct {
	title string
	meta  []string
}

func (f *metaFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.title, "title", "", "metadata: the `TITLE`, for templates that show one")
	cmd.Flags().StringArrayVar(&f.meta, "meta", nil, "metadata: `KEY=VALUE`, for templates that show it (may be given again)")
	cmd.RegisterFlagCompletionFunc("title", cobra.NoFileCompletions)
	cmd.RegisterFlagCompletionFunc("meta", cobra.NoFileCompletions)
}

// metadata is what the flags say, nil where they say nothing.
func (f *metaFlags) metadata() (map[string]string, error) {
	var out map[string]string
	for _, pair := range f.meta {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usagef("--meta %s has no value; write KEY=VALUE, such as --meta source=ci", quoted(pair))
		}
		if _, twice := out[key]; twice {
			return nil, usagef("--meta gives %s twice", quoted(key))
		}
		if out == nil {
			out = map[string]string{}
		}
		out[key] = value
	}
	if f.title == "" {
		return out, nil
	}
	if _, twice := out["title"]; twice {
		return nil, usagef("--title and --meta title=… are the same; leave one of them away")
	}
	if out == nil {
		out = map[string]string{}
	}
	out["title"] = f.title
	return out, nil
}

// shownWith is what a preview shows beside the answers themselves.
type shownWith struct {
	meta     metaFlags
	tools    toolsFlag
	template string
}

// always is what is shown beside every answer.
type always struct {
	metadata map[string]string
	tools    []core.ToolUse
	try      *tryout
}

func (s *shownWith) register(a *app, cmd *cobra.Command) {
	s.meta.register(cmd)
	s.tools.register(cmd)
	cmd.Flags().StringVar(&s.template, "template", "", "try a template: `ID`, ID@REVISION, a file, or none")
	cmd.RegisterFlagCompletionFunc("template", a.completeTemplates(false))
}

// resolve reads what the flags name.
func (s *shownWith) resolve(ctx context.Context, a *app, c *core.Core) (w always, err error) {
	if w.metadata, err = s.meta.metadata(); err != nil {
		return w, err
	}
	if w.tools, err = s.tools.read(); err != nil {
		return w, err
	}
	w.try, err = a.tryTemplate(ctx, c, s.template)
	return w, err
}

// render renders one answer for every target.
func (s *shownWith) render(ctx context.Context, a *app, c *core.Core, source string, to []surface.Target) ([]packet.Packet, error) {
	with, err := s.resolve(ctx, a, c)
	if err != nil {
		return nil, err
	}
	d := core.Draft{Markdown: source, Metadata: with.metadata, Tools: with.tools}
	if with.try == nil {
		return c.Render(ctx, d, to...)
	}
	answer, err := c.Prepare(d)
	if err != nil {
		return nil, err
	}
	if answer, err = with.try.in(answer); err != nil {
		return nil, err
	}
	packets := make([]packet.Packet, len(to))
	errs := make([]error, len(to))
	var wg sync.WaitGroup
	for i, t := range to {
		wg.Go(func() { packets[i], errs[i] = answer.Render(ctx, t) })
	}
	wg.Wait()
	return packets, errors.Join(errs...)
}

// A tryout is a template that a preview uses whatever is configured.
type tryout struct {
	id       string
	revision int
	format   string
}

// in is the answer in the template that is tried, if any is.
func (t *tryout) in(a *core.Answer) (*core.Answer, error) {
	if t == nil {
		return a, nil
	}
	out, err := a.WithTemplate(t.id, t.revision, t.format)
	if e, ok := errors.AsType[*core.Error](err); ok {
		return nil, &problem{exitInput, e.What}
	}
	return out, err
}

// tryTemplate finds what --template names: an id, with @ and a revision to tell one
// from others, a file, or none.
func (a *app) tryTemplate(ctx context.Context, c *core.Core, name string) (*tryout, error) {
	switch name {
	case "":
		return nil, nil
	case "none":
		return &tryout{}, nil
	}
	id, of, _ := strings.Cut(name, "@")
	revision, _ := strconv.Atoi(of)
	all, err := c.Templates(ctx)
	if err != nil {
		return nil, err
	}
	var found *core.Template
	for i, t := range all {
		if t.ID == id && (revision == t.Revision || of == "" && (found == nil || t.Active)) {
			found = &all[i]
		}
	}
	if found != nil {
		return &tryout{found.ID, found.Revision, found.Format}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &problem{exitInput, fmt.Sprintf("--template %s is neither a template nor a file that can be read; \"vak template list\" shows the templates", quoted(name))}
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, core.MaxSource+1))
	if err != nil {
		return nil, &problem{exitInput, fmt.Sprintf("cannot read %s: %v", quoted(name), unwrapPath(err))}
	}
	if len(b) == 0 {
		return nil, &problem{exitInput, fmt.Sprintf("the template %s is empty; write at least {body}", quoted(name))}
	}
	return &tryout{id: name, format: string(b)}, nil
}
