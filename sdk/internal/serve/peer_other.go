//go:build !linux

package serve

import "google.golang.org/grpc"

// peerOptions is empty where the kernel does not name the peer: the host asks
// for mutual TLS there.
func peerOptions() []grpc.ServerOption { return nil }
