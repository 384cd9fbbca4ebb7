package process

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// There are no signals and no groups: what a plugin starts is its own to end.
func terminateGroup(p *os.Process) { p.Kill() }

func killGroup(p *os.Process) { p.Kill() }

// acceptAddress takes the local machine only.
func (r *runner) acceptAddress(network, address string) error {
	host, _, err := net.SplitHostPort(address)
	if network != "tcp" || err != nil || host != "127.0.0.1" {
		return fmt.Errorf("the plugin listens in a place that it was not given")
	}
	return nil
}

func execHint(error, io.ReaderAt) (fault.Source, string) {
	return fault.FromPlugin, "install the plugin's build for this platform"
}
