package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// An answerer is whom a command asks: the process that holds the home, or this
// one where none does.
type answerer struct {
	*control.Client
	holder home.Holder
	held   bool
	close  func() error
}

// ask finds whom to ask. Directories that --plugins names are looked into by
// this process, whoever holds the home: it may know others.
func (a *app) ask(ctx context.Context) (*answerer, error) {
	if len(a.plugins) == 0 {
		dir, err := home.Dir(a.home)
		if err != nil {
			return nil, err
		}
		client, holder, held, err := control.Find(dir)
		if err != nil {
			return nil, err
		}
		if held {
			return &answerer{client, holder, true, func() error { return nil }}, nil
		}
	}
	return a.askHere(ctx)
}

// askHere asks this process.
func (a *app) askHere(ctx context.Context) (*answerer, error) {
	c, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	return &answerer{Client: control.Local(c.Handler()), close: c.Close}, nil
}

// completeIDs completes the id of a plugin.
func (a *app) completeIDs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	who, err := a.ask(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer who.close()
	all, err := who.Plugins(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, p := range all {
		if !sends(p) { // its renderer has the same id
			ids = append(ids, p.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
