package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/key"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

// pluginStore is the store of the home, whoever holds that.
func (a *app) pluginStore() (*install.Store, error) {
	dir, err := home.Dir(a.home)
	if err != nil {
		return nil, err
	}
	return install.New(dir), nil
}

// consentFlags are those that say what is agreed to.
func consentFlags(cmd *cobra.Command, agreed *install.Consent, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "agree to what is shown")
	cmd.Flags().BoolVar(&agreed.AllowUnverified, "allow-unverified", false, "install it though nobody signed it")
	cmd.Flags().StringVar(&agreed.AcceptKey, "accept-key", "", "install it though another key was pinned than this `FINGERPRINT`")
	cmd.RegisterFlagCompletionFunc("accept-key", cobra.NoFileCompletions)
}

func (a *app) pluginInstallCommand() *cobra.Command {
	var yes bool
	var agreed install.Consent
	cmd := &cobra.Command{
		Use:   "install PATH|ARCHIVE",
		Short: "Install a plugin from a folder or an archive",
		Long: `Install a plugin from a folder or an archive (.tar.gz or .zip) into the home.

It is unpacked, checked and shown first: what it is, whose signature it has, and
what it asks for. Nothing of it is run. The key that signed the first version of a
plugin is pinned; later ones must be signed with the same one, unless --accept-key
names another. A plugin that nobody signed needs --allow-unverified.

A process that holds the home takes it over at once: turns that begin from then on
go by it.`,
		Example: `  vak plugin install ./acme-1.2.0.tar.gz
  vak plugin install ./build/plugins/acme --allow-unverified --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one folder or archive")
			}
			return a.install(cmd.Context(), args[0], agreed, yes)
		},
	}
	consentFlags(cmd, &agreed, &yes)
	return cmd
}

func (a *app) pluginUpgradeCommand() *cobra.Command {
	var yes bool
	agreed := install.Consent{Upgrade: true}
	cmd := &cobra.Command{
		Use:   "upgrade PATH|ARCHIVE",
		Short: "Put another version of a plugin in the place of the installed one",
		Long: `Put another version of a plugin in the place of the installed one, from a folder or
an archive. It is shown and agreed to like a new one. A lower version, or other
contents of the same one, is taken only where --to names its version. Nothing is
fetched: --to says which version PATH is to be, and one of another is refused.

Turns that began before go by the old version to their end.`,
		Example: `  vak plugin upgrade ./acme-1.3.0.tar.gz
  vak plugin upgrade ./acme-1.2.0.tar.gz --to 1.2.0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one folder or archive")
			}
			return a.install(cmd.Context(), args[0], agreed, yes)
		},
	}
	consentFlags(cmd, &agreed, &yes)
	cmd.Flags().StringVar(&agreed.To, "to", "", "it must be this `VERSION`, which may be a lower one")
	cmd.RegisterFlagCompletionFunc("to", cobra.NoFileCompletions)
	return cmd
}

// install shows a plugin, asks, and installs it.
func (a *app) install(ctx context.Context, src string, agreed install.Consent, yes bool) error {
	if agreed.AcceptKey != "" && !key.IsFingerprint(agreed.AcceptKey) {
		return usagef("--accept-key %s is no fingerprint; those are SHA256: and 43 characters", quoted(agreed.AcceptKey))
	}
	store, err := a.pluginStore()
	if err != nil {
		return err
	}
	c, err := store.Prepare(src)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Permitted(agreed); err != nil { // before anybody is asked in vain
		return err
	}
	if same := c.Now != nil && c.Now.Digest == c.Digest; !same {
		if _, err := a.out.WriteString(candidate(c)); err != nil {
			return err
		}
		if !yes {
			if !term.IsTerminal(int(a.in.Fd())) || !term.IsTerminal(int(a.out.Fd())) {
				return usagef("nobody agreed to install %s; give --yes once you have read what it asks for", c.ID)
			}
			agreed, err := a.confirm(ctx, "Install it? [y/N] ")
			if err != nil || !agreed {
				return err
			}
		}
	}
	r, err := store.Install(c, agreed)
	if err != nil {
		return err
	}
	done := "installed"
	switch {
	case r.Already:
		done = "is installed already"
	case c.Now != nil && c.Now.Digest != c.Digest:
		done = "upgraded from " + visible(c.Now.Version)
	}
	if !r.Enabled {
		done += ", and disabled"
	}
	return a.changed(ctx, change{what: fmt.Sprintf("%s %s  %s", visible(c.ID), visible(r.Version), done), id: c.ID})
}

// candidate is what somebody should know before a plugin is installed.
func candidate(c *install.Candidate) string {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "  %-11s%s\n", name, value) }
	fmt.Fprintf(&b, "%s %s, of the kind %s\n", visible(c.ID), visible(c.Version), visible(c.Kind))
	line("from", visible(c.Origin))
	if c.Now != nil {
		line("instead of", visible(c.Now.Version))
	}
	line("contents", c.Digest)
	switch {
	case c.Key.IsZero() && c.Pinned.IsZero():
		line("signed by", "nobody: it is not verified")
	case c.Key.IsZero():
		line("signed by", "nobody: it is not verified, though "+c.Pinned.Fingerprint()+" signed it before")
	case c.Pinned.IsZero():
		line("signed by", c.Key.Fingerprint()+", seen for the first time: from now on only this key is taken")
	case c.Key != c.Pinned:
		line("signed by", c.Key.Fingerprint()+", in place of "+c.Pinned.Fingerprint())
	default:
		line("signed by", c.Key.Fingerprint()+", as before")
	}
	asks := grants(c.Asks)
	line("asks for", asks[0])
	for _, more := range asks[1:] {
		line("", more)
	}
	return b.String()
}

// grants are what a plugin asks for, a sentence each.
func grants(g lock.Grants) []string {
	var out []string
	if g.Network {
		out = append(out, "the network, in the process that sends")
	}
	if g.Packet {
		out = append(out, "whole packets, with the answer as it was written")
	}
	if len(g.Env) > 0 {
		out = append(out, "environment: "+visible(strings.Join(g.Env, ", ")))
	}
	if len(g.Read) > 0 {
		out = append(out, "reading: "+visible(strings.Join(g.Read, ", ")))
	}
	if g.Interpreter != "" {
		out = append(out, "being run by "+visible(g.Interpreter))
	}
	if len(out) == 0 {
		out = append(out, "nothing")
	}
	return out
}

func (a *app) pluginEnableCommand(enable bool) *cobra.Command {
	name, short, done := "enable", "Have an installed plugin used again", "enabled"
	if !enable {
		name, short, done = "disable", "Have an installed plugin used no more", "disabled"
	}
	return &cobra.Command{
		Use:               name + " ID",
		Short:             short,
		Example:           "  vak plugin " + name + " acme",
		ValidArgsFunction: a.completeInstalled,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one installed plugin; \"vak plugin list\" shows them")
			}
			store, err := a.pluginStore()
			if err != nil {
				return err
			}
			p, err := store.Enable(args[0], enable)
			if err != nil {
				return err
			}
			return a.changed(cmd.Context(), change{what: fmt.Sprintf("%s %s  %s", visible(args[0]), visible(p.Version), done), id: args[0]})
		},
	}
}

func (a *app) pluginRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID",
		Short: "Take an installed plugin away",
		Long: `Take an installed plugin away. Turns that began before go by it to their end; the
process that holds the home, or the next that does, removes its files once no turn
and no job needs them. The key that it was signed with stays pinned.`,
		Example:           "  vak plugin remove acme",
		ValidArgsFunction: a.completeInstalled,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one installed plugin; \"vak plugin list\" shows them")
			}
			store, err := a.pluginStore()
			if err != nil {
				return err
			}
			p, err := store.Remove(args[0])
			if err != nil {
				return err
			}
			return a.changed(cmd.Context(), change{what: fmt.Sprintf("%s %s  removed", visible(args[0]), visible(p.Version)), id: args[0]})
		},
	}
}

// completeInstalled completes the id of an installed plugin.
func (a *app) completeInstalled(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := a.pluginStore()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	states, _, err := store.States(false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, s := range states {
		ids = append(ids, s.ID)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
