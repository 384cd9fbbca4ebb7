//go:build !linux && !darwin

package control

import (
	"net"
)

// Available says whether this platform has control sockets. Here nothing says
// who is at the other end of one, so a plugin could use it.
const Available = false

func listen() (string, net.Listener, error) { return "", nil, ErrUnavailable }

func admit(net.Conn, Guests) error { return ErrUnavailable }

func checkServer(net.Conn) error { return ErrUnavailable }

// Stale lists the control sockets at which nobody listens any more.
func Stale() []string { return nil }

// Discard removes the socket that a killed holder left.
func Discard(string) {}
