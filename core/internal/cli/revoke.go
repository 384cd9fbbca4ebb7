package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

func (a *app) pluginRevokeCommand() *cobra.Command {
	var reason string
	var now bool
	cmd := &cobra.Command{
		Use:   "revoke ID|HASH",
		Short: "Refuse a plugin from now on",
		Long: `Refuse a plugin from now on: it is not installed, not enabled and not started,
until "vak plugin restore" takes that back.

An id means what has it now. Of an installed plugin the contents are revoked, as
they are; another version of it is not. Of one that was found elsewhere, beside vak
or in a directory of --plugins, it is the binary, which is refused wherever it lies.
A hash is that of a plugin's contents, or of its binary, in full; of an installed
one the first eight digits will do.

Without --now it is over with the next turn: turns that began before go by it to
their end, and its processes end when the last of them has. With --now its
processes are killed at once, and what such a turn wants of it comes as plain text.
That is for a plugin that does harm.`,
		Example: `  vak plugin revoke acme --reason 'shows wrong totals'
  vak plugin revoke acme --now --reason 'leaks tokens, see our ticket 4711'
  vak plugin revoke 5f2b…`,
		ValidArgsFunction: a.completeIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one plugin, or a hash")
			}
			if len(reason) > 500 {
				return usagef("--reason is longer than 500 bytes")
			}
			all, err := a.revoke(cmd.Context(), args[0], reason, now)
			if len(all) == 0 {
				return err
			}
			c := change{id: all[0].ID}
			var lines []string
			for _, r := range all {
				lines = append(lines, "revoked  "+revokedName(r))
				if r.Now {
					c.ended = append(c.ended, r.Hash)
				}
			}
			c.what = strings.Join(lines, "\n")
			return errors.Join(a.changed(cmd.Context(), c), err)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`WHY`, for those who meet it later")
	cmd.Flags().BoolVar(&now, "now", false, "end what runs of it at once, also for turns that hold it")
	cmd.RegisterFlagCompletionFunc("reason", cobra.NoFileCompletions)
	return cmd
}

// revoke revokes what is called name, or has that hash. It returns what is revoked
// also with an error.
func (a *app) revoke(ctx context.Context, name, reason string, now bool) ([]install.Revoked, error) {
	store, err := a.pluginStore()
	if err != nil {
		return nil, err
	}
	var all []install.Revoked
	r, unknown := store.Revoke(name, reason, now)
	switch {
	case unknown == nil:
		all = append(all, r)
	case !errors.Is(unknown, install.ErrNotInstalled):
		return nil, unknown
	}
	if unknown == nil && r.ID != name { // a hash
		return all, nil
	}
	found, failed := a.elsewhere(ctx, name)
	for _, f := range found {
		r, err := store.RevokeFound(f, reason, now)
		if err != nil {
			return all, errors.Join(err, failed)
		}
		all = append(all, r)
	}
	if len(all) == 0 && failed == nil {
		return nil, unknown
	}
	return all, failed
}

// elsewhere are the plugins with an id that are not of the store, each binary once:
// those of the process that holds the home, where that answers, and those that this
// one finds. Its error says why this one could not look, such as a fault in vak.toml,
// where nobody else did or directories of --plugins are for it alone; what was found
// is returned all the same.
func (a *app) elsewhere(ctx context.Context, id string) ([]install.Found, error) {
	dir, err := home.Dir(a.home)
	if err != nil {
		return nil, err
	}
	var plugins []control.Plugin
	answered := false
	if client, _, held, err := control.Find(dir); err == nil && held {
		// Of one that does not answer the command tells when it asks for more.
		plugins, err = client.Plugins(ctx)
		answered = err == nil
	}
	own, failed := a.foundHere(ctx)
	if answered && len(a.plugins) == 0 {
		failed = nil
	}
	var out []install.Found
	for _, p := range append(plugins, own...) {
		if p.ID == id && p.State == control.Builtin {
			return nil, &problem{exitInput, quoted(id) + " is a part of vak itself, which cannot be revoked"}
		}
		f := install.Found{ID: p.ID, Version: p.Version, Binary: p.SHA256}
		if p.ID == id && lock.IsHash(p.SHA256) && !inStore(dir, p) && !slices.ContainsFunc(out, func(o install.Found) bool { return o.Binary == f.Binary }) {
			out = append(out, f)
		}
	}
	return out, failed
}

// foundHere are the plugins that this process finds.
func (a *app) foundHere(ctx context.Context) ([]control.Plugin, error) {
	here, err := a.askHere(ctx)
	if err != nil {
		return nil, err
	}
	defer here.close()
	return here.Plugins(ctx)
}

// inStore reports whether a plugin lies in the store of a home.
func inStore(dir string, p control.Plugin) bool {
	store, err := filepath.EvalSymlinks(home.PluginStore(dir))
	if err != nil {
		return false // there is none
	}
	at, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(p.Path)))
	return err == nil && at == store
}

func (a *app) pluginRestoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore HASH|ID",
		Short: "Refuse a hash no longer",
		Long: `Refuse a hash no longer, which is named in full or by its first eight digits. The
id of a plugin will do where only one hash was revoked of it.`,
		Example: `  vak plugin restore 5f2b91d0
  vak plugin restore acme`,
		ValidArgsFunction: a.completeRevoked,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one hash that is revoked, its first eight digits, or the plugin of which it was revoked")
			}
			store, err := a.pluginStore()
			if err != nil {
				return err
			}
			r, err := store.Restore(args[0])
			if err != nil {
				return err
			}
			return a.changed(cmd.Context(), change{what: "restored  " + revokedName(r), id: r.ID})
		},
	}
}

func revokedName(r install.Revoked) string {
	if r.ID == "" {
		return r.Hash
	}
	return r.Hash + "  " + visible(strings.TrimSpace(r.ID+" "+r.Version))
}

// completeRevoked completes what is revoked: hashes, and ids that mean one of them.
func (a *app) completeRevoked(_ *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := a.pluginStore()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	all, err := store.Revoked()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	times := map[string]int{}
	for _, r := range all {
		times[r.ID]++
	}
	for _, r := range all {
		if r.ID != "" && times[r.ID] == 1 {
			out = append(out, cobra.CompletionWithDesc(visible(r.ID), visible(r.Version)+", "+r.Hash[:12]))
		}
		out = append(out, cobra.CompletionWithDesc(r.Hash, visible(strings.TrimSpace(r.ID+" "+r.Version))))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
