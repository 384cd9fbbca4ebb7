// Package cli is the command line: flags, input, and how packets look to a
// person. What it shows comes from package core; it decides nothing about
// rendering.
//
// Every command either writes its whole result to standard output or one line
// about what is wrong to standard error, with an exit code for its kind.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/home"
)

// Main runs the command line of this process and returns its exit code.
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// With a handler, a closed pipe is an error of Write, so that the plugin
	// processes are ended as always; ignoring the signal would be inherited.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	a := &app{version: versionOf(version), in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return a.run(ctx, os.Args[1:])
}

// An app is one run of the command line.
type app struct {
	version  string
	in       *os.File
	out      *os.File
	err      io.Writer
	home     string
	config   string
	project  string
	plugins  []string
	set      []string
	logLevel string

	allowUnsandboxed bool
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !started {
		err = asUsage(root, args, err)
	}
	code := exitCode(ctx, err)
	if code != exitOK && code != exitInterrupted {
		fmt.Fprintln(a.err, "vak: "+told(err))
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "vak",
		Short: "Deliver one agent answer to every surface without losing a word",
		Long: `vak turns one agent answer, written in markdown, into what every surface can
show: Telegram, Slack, Discord, webhooks, a log. Each surface is a plugin
process of its own, and core reads every message back to see that nothing is lost.
What is accepted is on disk, and is sent until it has arrived.

Plugins are looked for in the directories that --plugins names, in plugins/
beside the vak binary, then among those that are installed in the home.

"vak serve" holds a home, the directory of what vak owns: --home, else VAK_HOME,
else vak in the user's data directory. The other commands ask the process that
holds it, and do their work themselves where none does. What surfaces, accounts and
targets are is configured in vak.toml and output.toml in it; see "vak config
--help".

` + exitHelp,
		Example: `  vak demo
  vak preview answer.md
  echo '**done**: 3 of 3' | vak preview --surface telegram,slack
  vak send answer.md --to log:answers
  vak outbox list
  vak serve
  vak doctor`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return err })
	flags := root.PersistentFlags()
	flags.StringArrayVar(&a.plugins, "plugins", nil, "look for plugins in `DIR` first (may be given again)")
	flags.StringVar(&a.logLevel, "log", "off", "write logs of this `LEVEL` to standard error: off, error, warn, info or debug")
	root.MarkPersistentFlagDirname("plugins")
	root.RegisterFlagCompletionFunc("log", fixed(logLevels...))
	root.AddCommand(a.previewCommand(), a.whyCommand(), a.cardCommand(), a.demoCommand(), a.sendCommand(), a.outboxCommand(), a.ledgerCommand(), a.configCommand(), a.targetCommand(), a.templateCommand(), a.trustCommand(), a.serveCommand(), a.pluginCommand(), a.epochCommand(), a.doctorCommand(), a.versionCommand(), a.completionCommand(root))
	root.SetHelpCommand(helpCommand(root))
	return root
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show help for a command",
		Example: "  vak help preview",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no command %q; run \"vak help\"", strings.Join(args, " "))
			}
			return cmd.Help()
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// open opens core with the plugins that the flags name. It holds no home: what
// only looks and renders may run beside whatever else runs.
func (a *app) open(ctx context.Context) (*core.Core, error) {
	c, err := a.coreConfig()
	if err != nil {
		return nil, err
	}
	if c.Log, err = a.logger(); err != nil {
		return nil, err
	}
	c.ReadOnly, c.Project = true, here()
	return core.Open(ctx, c)
}

// coreConfig is what the flags say of a core, without its log and its project.
func (a *app) coreConfig() (core.Config, error) {
	dirs, err := a.pluginDirs()
	if err != nil {
		return core.Config{}, err
	}
	set, err := parseSet(a.set)
	if err != nil {
		return core.Config{}, err
	}
	return core.Config{
		Home: a.home, File: a.config, Version: a.version, Plugins: dirs, FirstParty: firstParty(), AllowUnsandboxed: a.allowUnsandboxed,
		Settings: set.every, Surfaces: set.one, Set: set.paths,
	}, nil
}

// here is the project of commands that somebody runs: the working directory.
func here() string {
	dir, err := os.Getwd()
	if err != nil {
		return "" // it is no more, and holds no project
	}
	return dir
}

// runsPlugins gives cmd the flag of those that start plugins.
func (a *app) runsPlugins(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.allowUnsandboxed, "allow-unsandboxed", false, "run plugins of others even where they cannot be sandboxed")
}

// hasHome gives cmd, and those below it, the flag of those that need a home.
func (a *app) hasHome(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&a.home, "home", "", "the home is `DIR` (default: $VAK_HOME, else vak in the user's data directory)")
	cmd.MarkPersistentFlagDirname("home")
	cmd.PersistentFlags().StringVar(&a.config, "config", "", "the configuration is `FILE` (default: vak.toml in the home)")
	cmd.MarkPersistentFlagFilename("config", "toml")
}

// overrides gives cmd, and those below it, the flag that overrides the
// configuration.
func (a *app) overrides(cmd *cobra.Command) {
	cmd.PersistentFlags().StringArrayVar(&a.set, "set", nil, "override the configuration: `PATH=VALUE,…`, such as targets.ops.urgency=ambient")
	cmd.RegisterFlagCompletionFunc("set", cobra.NoFileCompletions)
}

// refuseSet is about --set where a process holds the home: that has a configuration
// of its own.
func (a *app) refuseSet(holder home.Holder) error {
	if len(a.set) == 0 {
		return nil
	}
	return usagef("--set changes nothing in a process that runs: the home is held by %s; leave --set away, or change the configuration", visible(holder.String()))
}

// pluginDirs are the directories that were asked for, which must be there, and
// the one beside the binary, which need not.
func (a *app) pluginDirs() ([]string, error) {
	dirs := append([]string{}, a.plugins...)
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, &problem{code: exitInput, text: fmt.Sprintf("--plugins %s: there is no such directory; name one that holds a directory for each plugin, such as build/plugins", quoted(dir))}
		}
	}
	if beside := besideBinary(); beside != "" {
		if info, err := os.Stat(beside); err == nil && info.IsDir() {
			dirs = append(dirs, beside)
		}
	}
	return dirs, nil
}

// firstParty is the directory of plugins that are trusted like this binary.
func firstParty() []string {
	if dir := besideBinary(); dir != "" {
		return []string{dir}
	}
	return nil
}

// besideBinary is the directory of plugins that were built or installed with
// this binary.
func besideBinary() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return filepath.Join(filepath.Dir(exe), "plugins")
}

var logLevels = []string{"off", "error", "warn", "info", "debug"}

func (a *app) logger() (hclog.Logger, error) {
	for _, known := range logLevels {
		if a.logLevel == known {
			return hclog.New(&hclog.LoggerOptions{Name: "vak", Level: hclog.LevelFromString(known), Output: a.err}), nil
		}
	}
	return nil, usagef("--log cannot be %q; use %s", a.logLevel, strings.Join(logLevels, ", "))
}

// fixed completes a flag with one of words.
func fixed(words ...string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
