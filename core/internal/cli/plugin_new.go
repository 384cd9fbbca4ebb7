package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/scaffold"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

func (a *app) pluginNewCommand() *cobra.Command {
	var dir, module, replace string
	cmd := &cobra.Command{
		Use:   "new skill|surface NAME",
		Short: "Begin a plugin: a Go module that works, to be changed",
		Long: `Begin a plugin named NAME: write a Go module that builds, passes its own tests and
does something, to be changed into what you want. A skill pack owns a type of card;
a surface renders answers and posts them. The README.md in it says how to go on.

It is written to a folder NAME, or to --dir, which is empty or not there. What it is
built against is the checkout of vak that --replace names, that you are in or that
this vak lies in, else the release that this vak is. Nothing is fetched.`,
		Example: `  vak plugin new skill acme
  vak plugin new surface pager --dir ./pager --module git.example/ops/pager
  vak plugin new skill acme --replace ~/src/vak`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return scaffold.Kinds, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("say what to begin and how it is called, such as \"vak plugin new skill acme\"")
			}
			s := scaffold.Starter{Kind: args[0], ID: args[1], Module: module}
			if err := s.Validate(); err != nil {
				return usagef("%s", oneLine(err.Error()))
			}
			near := []string{here()}
			if exe, err := os.Executable(); err == nil { // build/vak in a checkout
				near = append(near, filepath.Dir(exe))
			}
			var err error
			if s.Vak, err = scaffold.FindVak(replace, a.version, near...); err != nil {
				return &problem{exitInput, err.Error()}
			}
			if dir == "" {
				dir = s.ID
			}
			files, err := s.Write(dir)
			if err != nil {
				return &problem{exitInput, err.Error()}
			}
			_, err = a.out.WriteString(begun(s, dir, files))
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write it to `DIR` (default: NAME)")
	cmd.Flags().StringVar(&module, "module", "", "the `PATH` of its Go module (default: example.org/NAME)")
	cmd.Flags().StringVar(&replace, "replace", "", "build it against the checkout of vak in `DIR`")
	cmd.MarkFlagDirname("dir")
	cmd.MarkFlagDirname("replace")
	cmd.RegisterFlagCompletionFunc("module", cobra.NoFileCompletions)
	return cmd
}

// begun says what was written, and how to go on.
func begun(s scaffold.Starter, dir string, files []string) string {
	var b strings.Builder
	kind := s.Kind
	if kind == hostapi.KindSkill {
		kind = "skill pack"
	}
	fmt.Fprintf(&b, "%s  a %s in %s\n", s.ID, kind, visible(dir))
	for _, f := range files {
		b.WriteString("  " + f + "\n")
	}
	next := []string{"cd " + shellWord(dir), "go test ./...", "vak plugin dev ."}
	if s.Vak.Checkout != "" {
		b.WriteString("\nIt is built against the checkout " + visible(s.Vak.Checkout) + ": go.mod has a replace for that.\n")
	} else {
		b.WriteString("\nIt is built against vak " + s.Vak.Version + ".\n")
		next = slices.Insert(next, 1, "go mod tidy")
	}
	b.WriteString("\nGo on with\n")
	for _, n := range next {
		b.WriteString("  " + n + "\n")
	}
	return b.String()
}

// shellWord is a path as a shell takes it.
func shellWord(path string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,@:-"
	if path != "" && strings.Trim(path, plain) == "" && path[0] != '-' {
		return path
	}
	return "'" + strings.ReplaceAll(visible(path), "'", `'\''`) + "'"
}
