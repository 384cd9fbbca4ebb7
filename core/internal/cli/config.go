package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check and show the configuration",
		Long: `Check and show the configuration: vak.toml in the home, or the file that --config
names, and what the environment overrides of it. A process that serves the home
reads it again when it changes.

  [surfaces.telegram.account]      # an account, by the plugin's schema
  token = "env:TELEGRAM_TOKEN"     # a secret is env:NAME or file:PATH

  [targets.ops]                    # a name for a target, and what it wants
  to = "telegram:-1001234"
  urgency = "ambient"

VAK_ and the path to a value in capitals, with two underscores between its parts,
overrides it: VAK_TARGETS__OPS__URGENCY.`,
		Example: `  vak config check
  vak config show --json
  vak config check --config /etc/vak/vak.toml`,
		RunE: group("config"),
	}
	a.hasHome(cmd)
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
			c, err := a.open(cmd.Context(), core.Settings{}, nil)
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
	if now.File == "" {
		_, err := fmt.Fprintln(a.out, "There is no configuration; all is as it comes.")
		return err
	}
	faults := 0
	for _, w := range now.Warnings {
		faults++
		fmt.Fprintln(a.out, visible(w))
	}
	for _, c := range now.Accounts {
		if c.Missing != "" {
			faults++
			fmt.Fprintf(a.out, "%s: account of %s: %s\n", visible(now.File), accountName(c), visible(c.Missing))
		}
	}
	if faults > 0 {
		return &problem{exitInput, fmt.Sprintf("%s in the configuration", count(faults, "fault"))}
	}
	_, err := fmt.Fprintf(a.out, "ok  %s: %s, %s\n", visible(now.File), count(len(now.Accounts), "account"), count(len(now.Targets), "target"))
	return err
}

func (a *app) configShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show what the configuration comes to",
		Long: `Show what the configuration comes to: settings, accounts, and targets with all
that they want. Secrets are shown as the references that stand for them.`,
		Example: `  vak config show
  vak config show --json | jq '.targets[]'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.open(cmd.Context(), core.Settings{}, nil)
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
	var rows [][]string
	for _, s := range slices.Sorted(maps.Keys(now.Settings)) {
		for _, v := range now.Settings[s] {
			rows = append(rows, []string{"surface " + s, v})
		}
	}
	for _, c := range now.Accounts {
		what := string(c.Settings)
		if c.Missing != "" {
			what += " (" + c.Missing + ")"
		}
		rows = append(rows, []string{"account " + accountName(c), what})
	}
	for _, t := range now.Targets {
		what := fmt.Sprintf("%s, %s, %s, unknown %s, max_parts %d, digest %s", t.Target, t.Cadence, t.Urgency, t.Unknown, t.MaxParts, strings.Join(t.Digest, " "))
		if t.Quiet != "" {
			what += ", quiet " + t.Quiet
		}
		rows = append(rows, []string{"target " + t.Name, what + " " + t.Timezone})
	}
	for _, w := range now.Warnings {
		rows = append(rows, []string{"warning", w})
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.out, "There is no configuration; all is as it comes.")
		return err
	}
	wide := 0
	for _, r := range rows {
		wide = max(wide, len(r[0]))
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(a.out, "%-*s  %s\n", wide, visible(r[0]), visible(r[1])); err != nil {
			return err
		}
	}
	return nil
}

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
			c, err := a.open(cmd.Context(), core.Settings{}, nil)
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
	c, err := a.open(context.WithoutCancel(cmd.Context()), core.Settings{}, nil)
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
