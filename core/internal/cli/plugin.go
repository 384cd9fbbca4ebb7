package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
)

func (a *app) pluginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plugin",
		Short:   "See the plugins that vak finds",
		Example: "  vak plugin list",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command \"plugin %s\"; run \"vak plugin --help\"", args[0])
			}
			return cmd.Help()
		},
	}
	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List the plugins, where they are and whether they can be used",
		Long: `List the plugins, where they are and whether they can be used.

No plugin is started for this: what is shown is what its plugin.json says. That
the binary has the sha256 that stands there is checked whenever it is started.`,
		Example: `  vak plugin list
  vak plugin list --plugins ./build/plugins
  vak plugin list --json | jq -r '.[] | select(.state != "ready") | .id'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.open(cmd.Context(), core.Settings{}, nil)
			if err != nil {
				return err
			}
			defer c.Close()
			plugins := describe(c.Surfaces())
			if asJSON {
				return a.writeJSON(plugins)
			}
			return a.writePlugins(plugins)
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	cmd.AddCommand(list)
	return cmd
}

// A pluginEntry is one line of the list.
type pluginEntry struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	State   string `json:"state"` // builtin, ready, running or broken
	Path    string `json:"path,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Error   string `json:"error,omitempty"`
}

func describe(surfaces []core.Surface) []pluginEntry {
	out := make([]pluginEntry, 0, len(surfaces))
	for _, s := range surfaces {
		e := pluginEntry{ID: s.ID, Version: s.Version, Kind: "surface", State: s.State, Path: s.Path, SHA256: s.SHA256}
		if s.Err != nil {
			e.Error = oneLine(s.Err.Error())
		}
		out = append(out, e)
	}
	return out
}

func (a *app) writeJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(b, '\n'))
	return err
}

func (a *app) writePlugins(plugins []pluginEntry) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tVERSION\tKIND\tSTATE\tSHA256\tPATH")
	for _, p := range plugins {
		sum := p.SHA256
		if len(sum) > 12 {
			sum = sum[:12]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", dash(p.ID), dash(p.Version), p.Kind, p.State, dash(sum), dash(p.Path))
	}
	w.Flush()
	for _, p := range plugins {
		if p.Error != "" {
			b.WriteString("\n" + p.Error + "\n")
		}
	}
	if len(plugins) == 1 {
		b.WriteString("\n" + noPlugins + "\n")
	}
	_, err := a.out.WriteString(b.String())
	return err
}

// noPlugins is said where only the built-in surface was found.
const noPlugins = "No surface plugins were found. Build them with \"make build\" and run build/vak, or name their directory with --plugins DIR."

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return visible(s)
}
