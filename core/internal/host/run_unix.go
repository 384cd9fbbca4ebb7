//go:build linux || darwin

package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

func executable(st os.FileInfo) bool { return st.Mode()&0o111 != 0 }

func terminateGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

// acceptAddress takes a socket in the process's own directory only.
func (r *run) acceptAddress(network, address string) error {
	if network != "unix" || filepath.Dir(address) != r.dir || filepath.Clean(address) != address {
		return fmt.Errorf("the plugin listens in a place that it was not given")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peerPath = address
	return nil
}

// execHint says what to do about a binary that does not start.
func execHint(err error) string {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return "the binary is for another platform; install the one for this one"
	case errors.Is(err, syscall.ENOENT):
		return "the binary's loader is missing (build with CGO_ENABLED=0), or /proc is not mounted"
	case errors.Is(err, syscall.EACCES):
		return "the file may not be executed: check its mode, and whether its file system is mounted noexec"
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENOMEM):
		return "the machine is out of processes, files or memory"
	}
	return "see the plugin's documentation"
}
