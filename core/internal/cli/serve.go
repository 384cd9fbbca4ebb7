package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
)

// hangUp is the signal for reading configuration again. It ends no process that
// holds a home, as a terminal that is closed would have it.
const hangUp = syscall.SIGHUP

func (a *app) serveCommand() *cobra.Command {
	var format, level string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Hold a home, and deliver what is sent from it",
		Long: `Hold a home and the plugins of it, and deliver what is sent from it, until SIGINT
or SIGTERM. One process may hold a home at a time; the other commands ask it at
its control socket, whose path is written to standard output. Logs go to standard
error.

What was accepted before and has not arrived goes on. No network port is opened.

Under systemd it says when it is ready (Type=notify), and leaves the time to the
journal. SIGHUP changes nothing.

` + exitHelp,
		Example: `  vak serve
  vak serve --home /var/lib/vak --plugins /usr/lib/vak/plugins --log-format json`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("log-level") && cmd.Flags().Changed("log") {
				level = a.logLevel
			}
			log, err := a.serveLogger(format, level)
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), log)
		},
	}
	a.hasHome(cmd)
	a.overrides(cmd)
	a.runsPlugins(cmd)
	cmd.Flags().StringVar(&a.project, "project", "", "read .vak/output.toml of the project in `DIR`, if it is trusted (default: that of no project)")
	cmd.MarkFlagDirname("project")
	cmd.Flags().StringVar(&format, "log-format", "text", "write logs as `FORMAT`: text or json")
	cmd.Flags().StringVar(&level, "log-level", "info", "write logs of this `LEVEL`: off, error, warn, info or debug")
	cmd.RegisterFlagCompletionFunc("log-format", fixed("text", "json"))
	cmd.RegisterFlagCompletionFunc("log-level", fixed(logLevels...))
	return cmd
}

func (a *app) serve(ctx context.Context, log hclog.Logger) error {
	config, err := a.coreConfig()
	if err != nil {
		return err
	}
	config.Project, config.Log = a.project, log
	hup := make(chan os.Signal, 1)
	if !signal.Ignored(hangUp) { // with nohup it stays ignored
		signal.Notify(hup, hangUp)
		defer signal.Stop(hup)
	}
	c, err := core.Open(ctx, config)
	if err != nil {
		return err
	}
	where := "no control socket"
	if path := c.ControlSocket(); path != "" {
		where = "control socket " + path
	}
	if _, err := fmt.Fprintf(a.out, "vak %s holds %s, %s\n", a.version, c.Home(), where); err != nil {
		log.Warn("cannot write to standard output", "cause", err)
	}
	log.Info("serving", "version", a.version, "home", c.Home(), "control", c.ControlSocket(), "surfaces", len(c.Surfaces()), "pid", os.Getpid())
	if err := notify("READY=1"); err != nil {
		log.Warn("cannot tell the service manager", "cause", err)
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-hup:
			log.Info("hang-up: there is nothing to read again")
		}
	}
	signal.Reset(os.Interrupt, syscall.SIGTERM) // who asks again does not want to wait
	log.Info("stopping")
	notify("STOPPING=1")
	if err := c.Close(); err != nil {
		return &problem{exitInternal, fmt.Sprintf("stopped, but not in order: %v", err)}
	}
	log.Info("stopped")
	return nil
}

// serveLogger is the log of a process that stays.
func (a *app) serveLogger(format, level string) (hclog.Logger, error) {
	if !slices.Contains(logLevels, level) {
		return nil, usagef("--log-level cannot be %q; use %s", level, strings.Join(logLevels, ", "))
	}
	if format != "text" && format != "json" {
		return nil, usagef("--log-format cannot be %q; use text or json", format)
	}
	return hclog.New(&hclog.LoggerOptions{
		Name: "vak", Level: hclog.LevelFromString(level), Output: a.err, JSONFormat: format == "json",
		DisableTime: format == "text" && os.Getenv("JOURNAL_STREAM") != "", // the journal has its own
	}), nil
}

// notify tells the service manager what became of this process, if it asked to
// be told: one datagram to the socket that NOTIFY_SOCKET names, as sd_notify(3)
// has it.
func notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	c, err := net.Dial("unixgram", path)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}
