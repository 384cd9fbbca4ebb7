package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/epoch"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

func (a *app) epochCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "epoch",
		Short: "See what turns went by, and what changed when",
		Long: `See what turns went by, and what changed when. An epoch is all that an answer's
looks depend on: plugins, profiles as they are after every override, templates.
Whenever some of that changes there is a new one, and turns that begin then go by
it. They are read from the home, whether a process holds it or not.`,
		Example: `  vak epoch list
  vak epoch show 7`,
		RunE: group("epoch"),
	}
	a.hasHome(cmd)
	cmd.AddCommand(a.epochListCommand(), a.epochShowCommand())
	return cmd
}

// A listedEpoch is an epoch as "list --json" and "show --json" write it.
type listedEpoch struct {
	Number  uint64        `json:"epoch"`
	Digest  string        `json:"digest"`
	At      time.Time     `json:"at"`
	Changes []epochChange `json:"changes"`         // against the one before; of the first, all that is in it
	Error   string        `json:"error,omitempty"` // why it, or the one before, cannot be read; then changes are not known

	Plugins   []epoch.Plugin            `json:"plugins,omitempty"` // of show only, like what follows
	Surfaces  map[string]epoch.Look     `json:"surfaces,omitempty"`
	Targets   map[string]epoch.Look     `json:"targets,omitempty"`
	Templates map[string]epoch.Template `json:"templates,omitempty"`
}

// catalog is what is kept of the epochs of the home.
func (a *app) catalog() (*epoch.Store, error) {
	dir, err := home.Dir(a.home)
	if err != nil {
		return nil, err
	}
	s, err := epoch.Open(filepath.Join(dir, "catalog"))
	if err != nil {
		return nil, &problem{exitStore, err.Error()}
	}
	if len(s.Entries()) == 0 {
		return nil, &problem{exitSurface, fmt.Sprintf("no epoch was kept in the home %s; the first begins when a process holds it, such as \"vak serve\"", quoted(dir))}
	}
	return s, nil
}

// described is the epoch at index i of entries, against the one before it.
func described(s *epoch.Store, entries []epoch.Entry, i int, full bool) listedEpoch {
	at := entries[i]
	out := listedEpoch{Number: at.Number, Digest: at.Digest, At: at.At.UTC(), Changes: []epochChange{}}
	now, err := s.Load(at.Digest)
	before := &epoch.Epoch{}
	if i > 0 && err == nil {
		before, err = s.Load(entries[i-1].Digest)
	}
	if err != nil {
		out.Error = err.Error()
	} else {
		out.Changes = append(out.Changes, changes(before, now)...)
	}
	if full && now != nil {
		out.Plugins, out.Surfaces, out.Targets, out.Templates = now.Plugins, now.Surfaces, now.Targets, now.Templates
	}
	return out
}

func (a *app) epochListCommand() *cobra.Command {
	var asJSON bool
	var last int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the epochs, with what changed in each",
		Example: `  vak epoch list
  vak epoch list --last 100 --json | jq '.[] | select(.changes[].id == "acme")'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if last < 1 {
				return usagef("--last cannot be less than 1")
			}
			s, err := a.catalog()
			if err != nil {
				return err
			}
			entries := s.Entries()
			all := []listedEpoch{}
			for i := max(0, len(entries)-last); i < len(entries); i++ {
				if err := cmd.Context().Err(); err != nil {
					return err
				}
				all = append(all, described(s, entries, i, false))
			}
			if asJSON {
				return a.writeJSON(all)
			}
			_, err = a.out.WriteString(epochTable(all, len(entries), s.Problems()))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	cmd.Flags().IntVar(&last, "last", 20, "show this `NUMBER` of them, the latest")
	cmd.RegisterFlagCompletionFunc("last", cobra.NoFileCompletions)
	return cmd
}

// maxChanges bounds how many changes a line names.
const maxChanges = 3

func epochTable(all []listedEpoch, n int, problems []string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EPOCH\tSINCE\tDIGEST\tCHANGED")
	for _, e := range all {
		var what []string
		for _, c := range e.Changes[:min(len(e.Changes), maxChanges)] {
			what = append(what, c.String())
		}
		if more := len(e.Changes) - maxChanges; more > 0 {
			what = append(what, fmt.Sprintf("and %d more", more))
		}
		if e.Error != "" {
			what = []string{"not known: " + oneLine(e.Error)}
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", e.Number, stamp(e.At), e.Digest[:12], dash(strings.Join(what, ", ")))
	}
	w.Flush()
	if n > len(all) {
		fmt.Fprintf(&b, "\nThe latest %d of %d; --last shows more.\n", len(all), n)
	}
	for _, p := range problems {
		b.WriteString("\n" + oneLine(p) + "\n")
	}
	return b.String()
}

func (a *app) epochShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [NUMBER]",
		Short: "Show all that is in an epoch, and what changed with it",
		Long: `Show all that is in an epoch, and what changed with it. Without a number it is the
latest one. Profiles stand in full with --json only.`,
		Example: `  vak epoch show
  vak epoch show 7 --json | jq .surfaces.telegram.profile`,
		ValidArgsFunction: a.completeEpochs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("name one epoch; \"vak epoch list\" shows them")
			}
			s, err := a.catalog()
			if err != nil {
				return err
			}
			entries := s.Entries()
			i := len(entries) - 1
			if len(args) == 1 {
				n, err := strconv.ParseUint(args[0], 10, 64)
				if err != nil {
					return usagef("%s is no number of an epoch", quoted(args[0]))
				}
				if i = slices.IndexFunc(entries, func(e epoch.Entry) bool { return e.Number == n }); i < 0 {
					return &problem{exitSurface, fmt.Sprintf("there is no epoch %d; they are %d to %d", n, entries[0].Number, entries[len(entries)-1].Number)}
				}
			}
			e := described(s, entries, i, true)
			if asJSON {
				err = a.writeJSON(e)
			} else {
				_, err = a.out.WriteString(epochText(e))
			}
			if err == nil && e.Error != "" {
				return &problem{exitStore, oneLine(e.Error)}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func epochText(e listedEpoch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "epoch %d, since %s\n%s\n", e.Number, stamp(e.At), e.Digest)
	b.WriteString("\nChanged:\n")
	for _, c := range e.Changes {
		b.WriteString("  " + c.String() + "\n")
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PLUGIN\tVERSION\tKIND\tSHA256\tPROBLEM\tFOLDER")
	for _, p := range e.Plugins {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", visible(p.ID), dash(p.Version), dash(p.Kind), dash(p.SHA256[:min(len(p.SHA256), 12)]), dash(p.Problem), dash(p.Dir))
	}
	w.Flush()
	if len(e.Templates) > 0 {
		b.WriteString("\n")
		fmt.Fprintln(w, "TEMPLATE\tREVISION\tPROBLEM")
		for _, id := range sortedKeys(e.Templates) {
			t := e.Templates[id]
			fmt.Fprintf(w, "%s\t%d\t%s\n", visible(id), t.Revision, dash(t.Problem))
		}
		w.Flush()
	}
	return b.String()
}

// completeEpochs completes the number of an epoch.
func (a *app) completeEpochs(_ *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	s, err := a.catalog()
	if err != nil {
		if _, none := errors.AsType[*problem](err); none {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveError
	}
	all := s.Entries()
	for _, e := range all[max(0, len(all)-maxCompleted):] {
		out = append(out, cobra.CompletionWithDesc(strconv.FormatUint(e.Number, 10), stamp(e.At)))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
