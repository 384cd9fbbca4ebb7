//go:build !linux

package host

import (
	"os"
	"os/exec"

	"google.golang.org/grpc"
)

// peerChecked says that the kernel names the peer of a connection. Where it does
// not, go-plugin's mutual TLS takes its place.
const peerChecked = false

// executablePath is the path that was hashed. There is no way to execute an open
// file here, so whoever can replace the file in between is trusted.
func executablePath(_ *os.File, path string) string { return path }

// closeInherited does nothing: there is no call for it here.
func closeInherited() {}

// onLaunchThread runs f in the background: nothing depends on its thread here.
func onLaunchThread(f func()) { go f() }

// awaitExit returns when the process is dead and reaped, and calls dead last.
func awaitExit(cmd *exec.Cmd, dead func()) error {
	defer dead()
	return cmd.Wait()
}

func dialOptions(*run) []grpc.DialOption { return nil }
