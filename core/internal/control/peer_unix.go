//go:build linux || darwin

package control

import (
	"fmt"
	"net"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A peer is the process at the other end of a connection, as the kernel says.
type peer struct{ pid, uid int }

// admit says why the peer of c may not ask, if it may not.
func admit(c net.Conn, guests Guests) error {
	p, err := peerOf(c)
	if err != nil {
		return fmt.Errorf("the kernel does not say who it is: %w", err)
	}
	var groups []int
	if guests != nil {
		groups = guests()
	}
	return p.admissible(groups)
}

// admissible says why a process may not ask, if it may not. groups are those of
// plugins.
func (p peer) admissible(groups []int) error {
	if p.uid != os.Getuid() && p.uid != 0 {
		return fmt.Errorf("it is of user %d", p.uid)
	}
	if p.pid <= 0 { // it lives in a pid namespace that cannot be seen from here
		return fmt.Errorf("it has no process that can be seen")
	}
	if len(groups) == 0 {
		return nil
	}
	// A plugin's child is as little to be trusted as the plugin, and may have left
	// its group. The chain of parents ends at this process at the latest.
	for pid, steps := p.pid, 0; pid > 1 && pid != os.Getpid() && steps < 64; steps++ {
		group, err := unix.Getpgid(pid)
		if err != nil {
			return fmt.Errorf("process %d is gone: %w", pid, err)
		}
		if slices.Contains(groups, group) {
			return fmt.Errorf("process %d is a plugin's (group %d)", p.pid, group)
		}
		pid = parent(pid)
	}
	return nil
}

// checkServer makes sure that it is this user's own vak that answers, or that
// root asks.
func checkServer(c net.Conn) error {
	p, err := peerOf(c)
	if err != nil {
		return err
	}
	if me := os.Getuid(); p.uid != me && me != 0 {
		return fmt.Errorf("user %d answers at the control socket", p.uid)
	}
	return nil
}

// control calls f with the descriptor of c.
func control(c net.Conn, f func(fd int) error) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("a connection of type %T", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}
