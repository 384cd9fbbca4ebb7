package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check and show the configuration",
		Long: `Check and show the configuration. Its layers, each over the one before:

  what is done where nothing is said
  .vak/output.toml of the project in the working directory, if it is trusted
  output.toml in the home
  vak.toml in the home, or the file that --config names
  the environment: VAK_ and the path to a value in capitals, with two
  underscores between its parts, as in VAK_TARGETS__OPS__URGENCY
  --set, as in --set targets.ops.urgency=ambient

The files have the same tables. A process that serves the home reads them again
when they change.

  [surfaces.telegram.account]      # an account, by the plugin's schema
  token = "env:TELEGRAM_TOKEN"     # a secret is env:NAME or file:PATH

  [targets.ops]                    # a name for a target, and what it wants
  to = "telegram:-1001234"
  urgency = "ambient"

"vak trust --help" tells of projects.`,
		Example: `  vak config check
  vak config show --json
  vak config show --set policy.urgency=ambient
  vak config check --config /etc/vak/vak.toml`,
		RunE: group("config"),
	}
	a.hasHome(cmd)
	a.overrides(cmd)
	cmd.AddCommand(a.configCheckCommand(), a.configShowCommand())
	return cmd
}

func (a *app) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Say what is wrong with the configuration, line by line",
		Long: `Say what is wrong with the configuration, line by line, and whether every secret
can be read from here. It starts nothing and asks no platform; "vak target test"
does. It fails where something is wrong.

` + exitHelp,
		Example: `  vak config check
  vak config check --config new.toml && mv new.toml ~/.local/share/vak/vak.toml`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.open(cmd.Context())
			if e, ok := errors.AsType[*core.Error](err); ok && e.Kind == core.ErrConfig {
				lines := strings.Split(e.What, "\n")
				for _, l := range lines {
					fmt.Fprintln(a.out, visible(l))
				}
				return &problem{exitInput, fmt.Sprintf("%s in the configuration", count(len(lines), "fault"))}
			}
			if err != nil {
				return err
			}
			defer c.Close()
			return a.checkConfig(c.Configuration(cmd.Context()))
		},
	}
}

func (a *app) checkConfig(now core.Configuration) error {
	for _, f := range now.Files {
		fmt.Fprintln(a.out, "read  "+visible(f))
	}
	faults := 0
	for _, w := range now.Warnings {
		if w != now.Ignored { // a project that somebody else wrote is no fault
			faults++
		}
		fmt.Fprintln(a.out, visible(w))
	}
	for _, c := range now.Accounts {
		if c.Missing != "" {
			faults++
			fmt.Fprintf(a.out, "account of %s: %s\n", visible(accountName(c)), visible(c.Missing))
		}
	}
	if faults > 0 {
		return &problem{exitInput, fmt.Sprintf("%s in the configuration", count(faults, "fault"))}
	}
	if len(now.Files) == 0 {
		_, err := fmt.Fprintln(a.out, "There is no configuration; all is as it comes.")
		return err
	}
	_, err := fmt.Fprintf(a.out, "ok    %s, %s\n", count(len(now.Accounts), "account"), count(len(now.Targets), "target"))
	return err
}

func (a *app) configShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show what the configuration comes to",
		Long: `Show what the configuration comes to: settings, accounts, and targets with all
that they want, each value with where it comes from. Of an account only the
references to secrets are shown; every other text is "(set)". --json also has
those values of the targets' profiles that are as the plugin has them.`,
		Example: `  vak config show
  vak config show --json | jq '.targets[]'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer c.Close()
			now := c.Configuration(cmd.Context())
			if asJSON {
				return a.writeJSON(now)
			}
			return a.showConfig(now)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func (a *app) showConfig(now core.Configuration) error {
	var rows [][]string // who, key, value, where from
	for _, s := range slices.Sorted(maps.Keys(now.Settings)) {
		for _, v := range now.Settings[s] {
			rows = append(rows, []string{"surface " + s, v.Key, v.Value, v.From})
		}
	}
	for _, c := range now.Accounts {
		rows = append(rows, []string{"account " + accountName(c), "", string(c.Settings), c.Missing})
	}
	for _, t := range now.Targets {
		rows = append(rows, []string{"target " + t.Name, "", t.Target, ""})
		for _, v := range t.Values {
			if v.From != config.FromDefault || policyKey(v.Key) {
				rows = append(rows, []string{"target " + t.Name, v.Key, v.Value, v.From})
			}
		}
	}
	for _, w := range now.Warnings {
		rows = append(rows, []string{"warning", "", w, ""})
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.out, "There is no configuration; all is as it comes.")
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.StripEscape)
	for i, r := range rows {
		who := r[0]
		if i > 0 && rows[i-1][0] == who && who != "warning" {
			who = ""
		}
		cells := []string{visible(who)}
		if r[1] == "" { // it is a line for all that follows
			cells = append(cells, strings.TrimSpace(visible(r[2])+"  "+visible(r[3])))
		} else {
			cells = append(cells, visible(r[1]), visible(r[2]), visible(r[3]))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	return w.Flush()
}

// policyKey reports whether a key is of a policy, which is shown whole.
func policyKey(key string) bool { return slices.Contains(config.PolicyKeys(), key) }

func accountName(c core.ConfiguredAccount) string {
	if c.Name == "" {
		return c.Surface
	}
	return c.Surface + ":" + c.Name
}

func (a *app) targetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "target",
		Short: "List the targets that have names, and try one",
		Example: `  vak target list
  vak target test ops`,
		RunE: group("target"),
	}
	a.hasHome(cmd)
	a.overrides(cmd)
	cmd.AddCommand(a.targetListCommand(), a.targetTestCommand())
	return cmd
}

func (a *app) targetListCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "list",
		Short:             "List the targets of the configuration",
		Example:           "  vak target list",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer c.Close()
			targets := c.Configuration(cmd.Context()).Targets
			if len(targets) == 0 {
				_, err := fmt.Fprintln(a.out, "No target has a name; \"vak config --help\" shows how to give one.")
				return err
			}
			for _, t := range targets {
				if _, err := fmt.Fprintf(a.out, "%s  %s\n", t.Name, t.Target); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a *app) targetTestCommand() *cobra.Command {
	var f sendFlags
	cmd := &cobra.Command{
		Use:   "test TARGET",
		Short: "Send one short message to a target, and wait until it has arrived",
		Long: `Send one short message to a target, by its name or as surface:address, and wait
until it has arrived. It goes the way of every other: through the outbox and the
transport's own process.

` + exitHelp,
		Example: `  vak target test ops
  vak target test telegram:-1001234 --timeout 20s`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeTargets,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.to = args
			d, err := f.delivery(cmd, time.Now())
			if err != nil {
				return err
			}
			d.Markdown = "This is a test message of vak. If you read it, this target works."
			return a.send(cmd.Context(), d, &f)
		},
	}
	a.runsPlugins(cmd)
	cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "wait for `DURATION` at most (0: until it has settled)")
	return cmd
}

// completeTargets completes the names of targets.
func (a *app) completeTargets(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := a.open(context.WithoutCancel(cmd.Context()))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.Close()
	var out []cobra.Completion
	for _, t := range c.Configuration(cmd.Context()).Targets {
		out = append(out, cobra.CompletionWithDesc(t.Name, t.Target))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
