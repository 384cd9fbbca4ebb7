package process

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// Wait, Kill and what follows is what go-plugin asks of a runner.
func (r *runner) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.exit
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill ends the process.
func (r *runner) Kill(context.Context) error {
	r.kill()
	return nil
}

// Stdout gives the handshake and nothing else.
func (r *runner) Stdout() io.ReadCloser { return &helloReader{run: r} }

// Stderr gives nothing: go-plugin's reader of logs panics on a field of the
// wrong type.
func (r *runner) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name is the name of the binary.
func (r *runner) Name() string { return filepath.Base(r.path) }

// ID is the process id, empty before the start.
func (r *runner) ID() string {
	if pid := r.pid(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

func (r *runner) pid() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.began {
		return 0
	}
	return r.cmd.Process.Pid
}

// Diagnose has nothing to add.
func (r *runner) Diagnose(context.Context) string { return "" }

// PluginToHost refuses an address that is not the plugin's own to give.
func (r *runner) PluginToHost(network, address string) (string, string, error) {
	if err := r.acceptAddress(network, address); err != nil {
		r.problem(&fault.Error{Op: "start", Kind: fault.Contract, Source: fault.FromPlugin, Message: err.Error(), Hint: "tell the plugin's author"})
		return "", "", err
	}
	return network, address, nil
}

// HostToPlugin changes nothing.
func (r *runner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
