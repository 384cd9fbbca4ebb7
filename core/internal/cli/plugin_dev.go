package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/home"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

func (a *app) pluginDevCommand() *cobra.Command {
	var given lock.Grants
	var main string
	var once bool
	cmd := &cobra.Command{
		Use:   "dev DIR",
		Short: "Use a plugin while you write it: build it after every change",
		Long: `Build the plugin in DIR and have it used from the next turn on; do the same after
every change of its source, until Ctrl-C. Then it is taken back. What runs is what
was built last: a build that fails is shown, and changes nothing.

It is used by the process that holds the home ("vak serve"), in place of an
installed plugin of the same id, and by every vak that looks itself, as preview
does. It is never verified. One that is revoked stays refused.

DIR holds package main of a Go module, which is built with "go build" whenever its
code, go.mod or go.sum have changed; what it embeds is taken along then. With
--interpreter it holds a file, plugin.py or --main, that this program runs; asked to
"describe" itself it prints the member "info" of its plugin.json. That file alone is
taken over.

What the plugin is given beyond its sandbox is what the flags say, whatever its
plugin.json asks for. The variables are those of the process that holds the home,
and only a process that sends gets them.

With --once it is built and checked, as in CI: nothing is put into the home.`,
		Example: `  vak plugin dev ./acme
  vak plugin dev ./poll --main pack.py --interpreter /usr/bin/python3
  vak plugin dev ./acme --once`,
		ValidArgsFunction: completeFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name the folder of one plugin")
			}
			for i, path := range given.Read {
				abs, err := filepath.Abs(path)
				if err != nil {
					return usagef("--read %s: it cannot be told where that is", quoted(path))
				}
				given.Read[i] = abs
			}
			if cmd.Flags().Changed("main") && given.Interpreter == "" {
				return usagef("--main names the file that --interpreter runs; give that, too")
			}
			given, err := install.Permissible(given)
			if err != nil {
				return usagef("--%v", err)
			}
			if i := slices.IndexFunc(given.Env, process.Reserved); i >= 0 {
				return usagef("--env %s: that one is vak's own", given.Env[i])
			}
			b, err := newBuilder(args[0], main, given)
			if err != nil {
				return err
			}
			if once {
				return a.devOnce(cmd.Context(), b)
			}
			return a.dev(cmd.Context(), b)
		},
	}
	cmd.Flags().StringVar(&given.Interpreter, "interpreter", "", "the plugin is a file that the program at `PATH` runs")
	cmd.Flags().StringVar(&main, "main", "plugin.py", "with --interpreter: the name of that `FILE` in DIR")
	cmd.Flags().StringArrayVar(&given.Read, "read", nil, "let it read what is at `PATH` (may be given again)")
	cmd.Flags().StringArrayVar(&given.Env, "env", nil, "give it the variable `NAME` of the environment, where it sends (may be given again)")
	cmd.Flags().BoolVar(&once, "once", false, "build and check it, and use it nowhere")
	cmd.RegisterFlagCompletionFunc("env", cobra.NoFileCompletions)
	return cmd
}

// devOnce builds a plugin in a temporary folder.
func (a *app) devOnce(ctx context.Context, b *builder) error {
	dir, err := os.MkdirTemp("", "vak-dev-")
	if err != nil {
		return &problem{exitInput, fmt.Sprintf("there is no place to build in: %v", err)}
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	d, err := b.build(ctx, dir)
	if err != nil {
		a.err.Write([]byte(saidOf(err)))
		return err
	}
	a.noteStrangers(d)
	_, err = fmt.Fprintf(a.out, "%s built in %s, and its manifest is right\n", draftName(d), seconds(time.Since(began)))
	return err
}

func (a *app) noteStrangers(d *install.Draft) {
	for _, n := range strangers(d) {
		fmt.Fprintf(a.err, "note: %s\n", n)
	}
}

// dev has what b builds used until ctx ends.
func (a *app) dev(ctx context.Context, b *builder) error {
	dir, err := home.Dir(a.home)
	if err != nil {
		return err
	}
	bench, err := install.OpenWorkbench(dir)
	if err != nil {
		return err
	}
	used := ""
	for built := b.scan(); built != nil; built = b.change(ctx, built) {
		began := time.Now()
		d, err := b.draft(ctx, bench)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			if used == "" && !mends(err) {
				return errors.Join(err, bench.Close())
			}
			fmt.Fprint(a.err, saidOf(err), "vak: ", told(err), "\n")
			if used != "" {
				fmt.Fprintf(a.out, "%s is used as before\n", used)
			}
			continue
		}
		a.noteStrangers(d)
		used = draftName(d)
		line := fmt.Sprintf("%s built in %s; %s\n", used, seconds(time.Since(began)), a.takenOver(ctx, dir, d.ID))
		if _, err := a.out.WriteString(line); err != nil {
			return errors.Join(err, bench.Close())
		}
	}
	if err := bench.Close(); err != nil || used == "" {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), takeTime)
	defer stop()
	_, err = fmt.Fprintf(a.out, "%s is taken back; %s\n", used, a.takenOver(ctx, dir, ""))
	return err
}

// mends reports whether err is one that a change of the source may mend.
func mends(err error) bool {
	_, build := errors.AsType[*buildError](err)
	return build || errors.Is(err, install.ErrBundle)
}

// saidOf is what a compiler or an interpreter says of a build that failed, in lines.
func saidOf(err error) string {
	if f, ok := errors.AsType[*buildError](err); ok {
		return f.said
	}
	return ""
}

// takenOver has the process that holds the home look at its plugins, and says what
// comes of it: whether the plugin id is used, or, without one, that nothing is.
func (a *app) takenOver(ctx context.Context, dir, id string) string {
	client, holder, held, err := control.Find(dir)
	if !held && err == nil {
		if id == "" {
			return "no process holds the home"
		}
		return `no process holds the home: start "vak serve" in another terminal`
	}
	name := visible(holder.String())
	var e control.Epoch
	if err == nil {
		e, err = client.Reload(ctx)
	}
	if err != nil && !errors.Is(err, control.Failed) {
		return name + " could not be asked: it looks by itself within two seconds"
	}
	line := "the next turn is without it"
	if id != "" {
		plugins, unknown := client.Plugins(ctx)
		if unknown != nil {
			return name + " took it over, and does not say what came of it"
		}
		if line = "the next turn uses it"; !usesDev(plugins, id) {
			line = "it is not used by " + name + whyNot(plugins, id)
		} else if other := insteadOf(plugins, id); other != "" {
			line += " in place of " + other
		}
	}
	if e.Number > 0 {
		line += fmt.Sprintf(" (epoch %d)", e.Number)
	}
	if err != nil {
		line += "; that process cannot use all that it finds: " + told(err)
	}
	return line
}

// usesDev reports whether what begins now goes by the build of a plugin that is being
// written.
func usesDev(plugins []control.Plugin, id string) bool {
	for _, p := range plugins {
		if p.ID == id && p.Current && inDev(p) && p.State != control.Broken {
			return true
		}
	}
	return false
}

// inDev reports whether a plugin was found among those that are being written.
func inDev(p control.Plugin) bool {
	dev := filepath.Dir(filepath.Dir(p.Path)) // the folder has the name of the id
	return p.Path != "" && strings.HasSuffix(dev, string(filepath.Separator)+install.DevDir(""))
}

// whyNot is what a process says of a plugin that it cannot use.
func whyNot(plugins []control.Plugin, id string) string {
	for _, p := range plugins {
		if p.ID == id && p.State == control.Broken && p.Error != nil {
			return ": " + oneLine(p.Error.String())
		}
	}
	return ""
}

// insteadOf names what has the id, too, and is not used while the plugin is written:
// of another kind, too, which costs more than one may expect.
func insteadOf(plugins []control.Plugin, id string) string {
	for _, p := range plugins {
		if p.ID == id && p.State == control.Broken && p.Error != nil && p.Error.Kind == string(host.Duplicate) && !inDev(p) {
			return visible(fmt.Sprintf("the %s %s", p.Kind, p.Path))
		}
	}
	return ""
}

func draftName(d *install.Draft) string { return visible(d.ID + " " + d.Version) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
