package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// peerOptions lets in the process that started this one and nobody else, by the
// word of the kernel. That costs nothing, where mutual TLS costs 24 to 40 ms at
// every start. A host that asks for TLS gets TLS.
func peerOptions() []grpc.ServerOption {
	if os.Getenv("PLUGIN_CLIENT_CERT") != "" {
		return nil
	}
	return []grpc.ServerOption{grpc.Creds(peerCredentials{parent: os.Getppid()})}
}

type peerCredentials struct{ parent int }

// peerInfo is what a call can know of its peer: it is the host.
type peerInfo struct{ credentials.CommonAuthInfo }

func (peerInfo) AuthType() string { return "peer" }

func (c peerCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	pid, err := peerPID(conn)
	if err != nil {
		return nil, nil, err
	}
	if pid != c.parent {
		return nil, nil, fmt.Errorf("process %d is not the host", pid)
	}
	return conn, peerInfo{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}, nil
}

func (c peerCredentials) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("a plugin is no host")
}

func (c peerCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "peer"}
}

func (c peerCredentials) Clone() credentials.TransportCredentials { return c }

func (c peerCredentials) OverrideServerName(string) error { return nil }

func peerPID(conn net.Conn) (int, error) {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("peer is on %s, want a unix socket", conn.LocalAddr().Network())
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, credErr
	}
	return int(cred.Pid), nil
}
