package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

func (a *app) pluginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "See the plugins, install, sign, revoke them, start one anew, and begin your own",
		Example: `  vak plugin list
  vak plugin inspect telegram
  vak plugin restart telegram
  vak plugin install ./acme-1.2.0.tar.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command \"plugin %s\"; run \"vak plugin --help\"", args[0])
			}
			return cmd.Help()
		},
	}
	a.hasHome(cmd)
	cmd.AddCommand(a.pluginListCommand(), a.pluginInspectCommand(), a.pluginRestartCommand(),
		a.pluginInstallCommand(), a.pluginUpgradeCommand(), a.pluginEnableCommand(true), a.pluginEnableCommand(false),
		a.pluginRevokeCommand(), a.pluginRestoreCommand(), a.pluginRemoveCommand(),
		a.pluginNewCommand(), a.pluginDevCommand(),
		a.pluginKeygenCommand(), a.pluginPackCommand())
	return cmd
}

func (a *app) pluginListCommand() *cobra.Command {
	var asJSON, verify bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the plugins, what they do and where they are",
		Long: `List the plugins, what they do and where they are.

Where a process holds the home, that one is asked, and the states are those of
its plugin processes. Where none does, or with --plugins, this command looks
itself: it starts no plugin, and shows what the plugin.json of each says. That a
binary has the sha256 that stands there is checked whenever it is started.

What was upgraded, disabled or revoked while something goes by it is "held", with the
turns that do, or "draining" when they have ended.

Behind that come the plugins that are installed in the home, with their marks:
enabled or not, verified (signed with the key that is pinned) or not, revoked. With
--verify every one of their files is hashed and compared with what was installed.`,
		Example: `  vak plugin list
  vak plugin list --verify
  vak plugin list --plugins ./build/plugins
  vak plugin list --json | jq -r '.[] | "\(.id) \(.state)"'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			who, err := a.ask(cmd.Context())
			if err != nil {
				return err
			}
			defer who.close()
			plugins, err := who.Plugins(cmd.Context())
			if err != nil {
				return err
			}
			installed, unread := a.inventory(verify) // others are used all the same
			if asJSON {
				err = a.writeJSON(installed.list(plugins))
			} else {
				var s control.Status
				if s, err = who.Status(cmd.Context()); err != nil {
					return err
				}
				err = a.writePlugins(plugins, installed, who, s.Epoch)
			}
			if err == nil {
				err = unread
			}
			if n := installed.changed(); err == nil && n > 0 {
				return &problem{exitInput, fmt.Sprintf("of the installed plugins, %d changed since; install again what you trust, and remove the rest", n)}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	cmd.Flags().BoolVar(&verify, "verify", false, "hash every file of the installed plugins")
	return cmd
}

func (a *app) pluginInspectCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect ID",
		Short: "Show all that is known of a plugin, and what to do about it",
		Long: `Show all that is known of a plugin, and what to do about it: its renderer, and
behind that every account that it sends for. With --json, the renderer only;
"vak plugin list --json" has the accounts, too.`,
		Example: `  vak plugin inspect telegram
  vak plugin inspect telegram --json | jq '.profiles[0].limit'`,
		ValidArgsFunction: a.completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one plugin; \"vak plugin list\" shows them")
			}
			who, err := a.ask(cmd.Context())
			if err != nil {
				return err
			}
			defer who.close()
			p, err := who.Plugin(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.writeJSON(p)
			}
			all, err := who.Plugins(cmd.Context())
			if err != nil {
				return err
			}
			text := inspect(p)
			for _, t := range all {
				if t.ID == p.ID && sends(t) {
					text += "\n" + inspect(t)
				}
			}
			_, err = a.out.WriteString(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func (a *app) pluginRestartCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restart ID",
		Short: "End a plugin's process and start it anew",
		Long: `End a plugin's processes and start them anew, forgetting its failures: so it
leaves quarantine, too. What has changed on disk is taken over first. Calls that
are under way end first. It needs a process that holds the home ("vak serve").`,
		Example:           "  vak plugin restart telegram",
		ValidArgsFunction: a.completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one plugin; \"vak plugin list\" shows them")
			}
			if err := a.refusePlugins(); err != nil {
				return err
			}
			who, err := a.ask(cmd.Context())
			if err != nil {
				return err
			}
			defer who.close()
			p, err := who.Restart(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			state := string(p.State)
			if p.PID != 0 {
				state += ", process " + strconv.Itoa(p.PID)
			}
			_, err = fmt.Fprintf(a.out, "%s %s: %s\n", visible(p.ID), visible(p.Version), state)
			return err
		},
	}
}

// refusePlugins is about --plugins where a process holds the home: that has its
// own directories, and what this command would look into does not run.
func (a *app) refusePlugins() error {
	if len(a.plugins) == 0 {
		return nil
	}
	dir, err := home.Dir(a.home)
	if err != nil {
		return err
	}
	holder, held, err := home.Find(dir)
	if err != nil || !held {
		return err
	}
	return usagef("--plugins changes nothing in a process that runs: the home %s is held by %s, whose plugins are those that it was started with; leave --plugins away", quoted(dir), visible(holder.String()))
}

func (a *app) writeJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(b, '\n'))
	return err
}

func (a *app) writePlugins(plugins []control.Plugin, installed inventory, who *answerer, epoch uint64) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tVERSION\tKIND\tROLE\tSTATE\tPID\tSANDBOX\tSHA256\tPATH")
	for _, p := range plugins {
		pid := ""
		if p.PID != 0 {
			pid = strconv.Itoa(p.PID)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			dash(p.ID), dash(p.Version), p.Kind, roleOf(p), standing(p), dash(pid), dash(p.Sandbox), dash(p.SHA256[:min(len(p.SHA256), 12)]), dash(p.Path))
	}
	w.Flush()
	for _, p := range plugins {
		if p.Error != nil && p.State != control.Ready { // what has been mended is for inspect
			role := ""
			if sends(p) {
				role = ", " + roleOf(p)
			}
			b.WriteString("\nplugin " + nameOf(p) + role + ": " + oneLine(p.Error.String()) + "\n")
		}
	}
	for _, p := range plugins {
		if len(p.Turns) > 0 {
			b.WriteString("\nplugin " + nameOf(p) + ", " + roleOf(p) + ", is held by " + heldBy(p.Turns) + "\n")
		}
	}
	b.WriteString(installed.write(plugins, who.held))
	if len(plugins) == 1 && len(installed.states) == 0 {
		b.WriteString("\n" + noPlugins + "\n")
	}
	if who.held {
		at := ""
		if epoch > 0 {
			at = fmt.Sprintf(", in epoch %d", epoch)
		}
		b.WriteString("\nAs " + visible(who.holder.String()) + " says, which holds the home" + at + ".\n")
	}
	_, err := a.out.WriteString(b.String())
	return err
}

// standing is what a plugin does, or "held" where only what began before goes by it.
// One that is being written is marked.
func standing(p control.Plugin) string {
	state := "held"
	switch {
	case p.Current, p.State == control.Draining, p.State == control.Broken && len(p.Turns) == 0:
		state = string(p.State)
	}
	if inDev(p) {
		state += ", dev"
	}
	return state
}

// nameOf is a plugin's id and, if it has one, its version.
func nameOf(p control.Plugin) string { return visible(strings.TrimSpace(p.ID + " " + p.Version)) }

// sends reports whether p is a transport of a plugin that has an entry of its own.
func sends(p control.Plugin) bool { return p.Role == hostapi.RoleTransport }

// roleOf is what a process is for, and the account of one that sends for another
// than the default one.
func roleOf(p control.Plugin) string {
	if p.Account == "" {
		return dash(p.Role)
	}
	return visible(p.Role + "/" + p.Account)
}

// noPlugins is said where only the built-in surface was found.
const noPlugins = "No surface plugins were found. Build them with \"make build\" and run build/vak, or name their directory with --plugins DIR."

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return visible(s)
}
