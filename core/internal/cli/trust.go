package cli

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
)

func (a *app) trustCommand() *cobra.Command {
	var list, remove bool
	cmd := &cobra.Command{
		Use:   "trust DIR",
		Short: "Have the .vak/output.toml of a project read, or no more",
		Long: `Have the .vak/output.toml of the project in DIR read by commands that are run in
DIR, and by "vak serve --project DIR". It may hold templates, settings of
surfaces and a policy, below what your own files say; no accounts and no targets.

A project that is not trusted is not read, and commands say so: whoever wrote it
could otherwise say how your answers look, and whom they notify. Nor is a file that
others than you may write to.

The list is trusted.json in the home. It may be changed while a process holds the
home, which takes it over within two seconds.`,
		Example: `  vak trust .
  vak trust --list
  vak trust --remove ~/src/report`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case list && (remove || len(args) > 0):
				return usagef("--list stands alone; leave away the directory and --remove")
			case list:
				return a.listTrusted()
			case len(args) == 0:
				return usagef("name the directory of a project, such as \"vak trust .\"")
			}
			change, done := core.Trust, "trusted"
			if remove {
				change, done = core.Untrust, "no longer trusted"
			}
			path, err := change(a.home, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s  %s\n", done, visible(path))
			return err
		},
	}
	cmd.Flags().StringVar(&a.home, "home", "", "the home is `DIR` (default: $VAK_HOME, else vak in the user's data directory)")
	cmd.MarkFlagDirname("home")
	cmd.Flags().BoolVar(&list, "list", false, "list the projects that are trusted")
	cmd.Flags().BoolVar(&remove, "remove", false, "trust the project no longer")
	return cmd
}

func (a *app) listTrusted() error {
	all, err := core.Trusted(a.home)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(a.out, "No project is trusted.")
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, p := range all {
		line := visible(p.Path) + "\tsince " + p.Since.Local().Format("2006-01-02 15:04")
		if st, err := os.Stat(p.Path); err != nil || !st.IsDir() {
			line += ", and not there"
		}
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}
