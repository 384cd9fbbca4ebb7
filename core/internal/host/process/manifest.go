package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Manifest has the binary at path print its plugin.json, confined like a renderer
// and without an environment, and returns what it printed, of which nothing is
// checked but the size. Nothing of the process is left when it returns, which is at
// the latest shortly after ctx ends.
func Manifest(ctx context.Context, path string, confine Confine) ([]byte, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	dir, err := os.MkdirTemp("", "vak-manifest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()

	cmd := &exec.Cmd{
		Path: executablePath(file, path), Args: []string{path, "manifest"}, Env: []string{"LANG=C.UTF-8"}, Dir: dir,
		Stdin: null, Stdout: in, Stderr: null, SysProcAttr: processAttributes(),
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
		return nil, err
	}
	killed := make(chan struct{})
	watchdog := context.AfterFunc(ctx, func() {
		defer close(killed)
		killGroup(cmd.Process)
	})
	if until, ok := ctx.Deadline(); ok {
		out.SetReadDeadline(until) // a child of its own may keep the other end
	}
	text, unread := io.ReadAll(io.LimitReader(out, hostapi.MaxManifest+1))
	if unread != nil || len(text) > hostapi.MaxManifest {
		killGroup(cmd.Process)
	}
	<-dead
	if !watchdog() {
		<-killed // before the pid can be another's
	}
	err = reap(cmd, func() { killGroup(cmd.Process) })
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it did not print its manifest in time: %w", ctx.Err())
	case len(text) > hostapi.MaxManifest:
		return nil, fmt.Errorf("it printed more than %d bytes", hostapi.MaxManifest)
	case unread != nil:
		return nil, unread
	case err != nil:
		return nil, fmt.Errorf("it printed no manifest: %w", err)
	}
	return text, nil
}
