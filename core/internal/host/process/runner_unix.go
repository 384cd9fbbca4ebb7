//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

func terminateGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

// acceptAddress takes a socket in the process's own directory only.
func (r *runner) acceptAddress(network, address string) error {
	if network != "unix" || filepath.Dir(address) != r.dir || filepath.Clean(address) != address {
		return fmt.Errorf("the plugin listens in a place that it was not given")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peerPath = address
	return nil
}

// execHint says whose fault it is that a binary does not start, and what to do.
func execHint(err error, binary io.ReaderAt) (fault.Source, string) {
	switch {
	case (errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOENT)) && LinkedDynamically(binary):
		return fault.FromPlugin, "the binary is linked dynamically, and there is no loader and no library for it in its sandbox; build it with CGO_ENABLED=0"
	case errors.Is(err, syscall.ENOEXEC):
		return fault.FromPlugin, "the binary is for another platform; install the one for this one"
	case errors.Is(err, syscall.ENOENT):
		return fault.FromPlugin, "the interpreter that it names is missing, or /proc is not mounted"
	case errors.Is(err, syscall.EACCES):
		return fault.FromPlugin, "the file may not be executed: check its mode, and whether its file system is mounted noexec"
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return fault.FromHost, "the machine is out of processes, files or memory"
	}
	return fault.FromPlugin, "see the plugin's documentation"
}
