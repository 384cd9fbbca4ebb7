package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Bounds of what is kept of what a process says of a failure, in bytes: of all of it,
// and of a line in an error.
const (
	maxSaid   = 64 << 10
	maxQuoted = 300
)

// Manifest has the binary at path print its plugin.json, confined like a renderer
// and without an environment, and returns what it printed, of which nothing is
// checked but the size. Nothing of the process is left when it returns, which is at
// the latest shortly after ctx ends. Its error holds the first line that came to
// standard error.
func Manifest(ctx context.Context, path string, confine Confine) ([]byte, error) {
	text, said, err := ask(ctx, "", path, "manifest", "manifest", confine)
	if line, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n")); err != nil && len(line) > 0 {
		err = fmt.Errorf("%w: %q", err, line[:min(len(line), maxQuoted)])
	}
	return text, err
}

// Describe is [Manifest] for a file that an interpreter runs, an absolute path: it has
// it print what the plugin is, the member "info" of a manifest. said is the beginning
// of what came to standard error, for the one who wrote the file.
func Describe(ctx context.Context, interpreter, path string, confine Confine) (text, said []byte, _ error) {
	return ask(ctx, interpreter, path, "describe", "description", confine)
}

// ask runs the file at path in a role in which it prints what errors call what.
func ask(ctx context.Context, interpreter, path, role, what string, confine Confine) (text, said []byte, _ error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if e := runnable(file, path, interpreter); e != nil {
		return nil, nil, e
	}
	program, args, inherited := command(file, path, interpreter, role)
	dir, err := os.MkdirTemp("", "vak-manifest-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	errs, err := os.CreateTemp("", "vak-said-") // a file, which nobody has to read while it is written
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(errs.Name())
	defer errs.Close()
	out, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer out.Close()

	cmd := &exec.Cmd{
		Path: program, Args: args, Env: []string{"LANG=C.UTF-8"}, Dir: dir,
		Stdin: null, Stdout: in, Stderr: errs, ExtraFiles: inherited, SysProcAttr: processAttributes(),
	}
	closeInherited()
	started, dead := make(chan error, 1), make(chan struct{})
	onLaunchThread(func() {
		err := error(nil)
		if confine != nil {
			_, err = confine(file, dir, cmd.SysProcAttr)
		}
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			awaitDeath(cmd)
			close(dead)
		}
	})
	err = <-started
	in.Close()
	if err != nil {
		return nil, nil, err
	}
	limit(cmd.Process.Pid, "")
	killed := make(chan struct{})
	watchdog := context.AfterFunc(ctx, func() {
		defer close(killed)
		killGroup(cmd.Process)
		out.SetReadDeadline(time.Now()) // a child of its own may keep the other end
	})
	text, unread := io.ReadAll(io.LimitReader(out, hostapi.MaxManifest+1))
	if unread != nil || len(text) > hostapi.MaxManifest {
		killGroup(cmd.Process)
	}
	<-dead
	if !watchdog() {
		<-killed // before the pid can be another's
	}
	err = reap(cmd, func() { killGroup(cmd.Process) })
	said = make([]byte, maxSaid)
	n, _ := errs.ReadAt(said, 0)
	said = said[:max(n, 0)]
	switch {
	case ctx.Err() != nil:
		return nil, said, fmt.Errorf("it did not print its %s in time: %w", what, ctx.Err())
	case len(text) > hostapi.MaxManifest:
		return nil, said, fmt.Errorf("it printed more than %d bytes", hostapi.MaxManifest)
	case unread != nil:
		return nil, said, unread
	case err != nil:
		return nil, said, fmt.Errorf("it printed no %s: %w", what, err)
	}
	return text, said, nil
}
