//go:build !linux

package process

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

// inheritedPath is the path that was hashed, as of executablePath.
func inheritedPath(_ *os.File, path string) (string, []*os.File) { return path, nil }

// closeInherited does nothing: there is no call for it here.
func closeInherited() {}

// onLaunchThread runs f in the background: nothing depends on its thread here.
func onLaunchThread(f func()) { go f() }

// awaitDeath leaves the waiting to reap: nothing depends on the thread here.
func awaitDeath(*exec.Cmd) {}

// reap waits for the process, and calls last when it is reaped.
func reap(cmd *exec.Cmd, last func()) error {
	defer last()
	return cmd.Wait()
}

func limit(int, string) {}

func (r *runner) memory(*os.ProcessState) string { return "" }

func dialOptions(*runner) []grpc.DialOption { return nil }
