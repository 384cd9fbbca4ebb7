package serve

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"time"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// lingering bounds how long a process that was asked to end waits for its peers
// to hang up.
const lingering = 500 * time.Millisecond

// process serves p in a role. It returns when the host ends it.
func process(p Plugin, role string) int {
	log := newLogger(p.ID, role, os.Stderr) // before go-plugin replaces it
	watchHost(os.Stdin)

	register, life := p.Server(role, log)
	var g *grpc.Server
	life.Stop = func() { stopServer(g) }
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: wire.Handshake(),
		VersionedPlugins: map[int]plugin.PluginSet{
			wire.Protocol: {wire.PluginName: &grpcPlugin{register: register}},
		},
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			opts = append(opts, grpc.MaxRecvMsgSize(wire.MaxMessage), grpc.MaxSendMsgSize(wire.MaxMessage),
				grpc.InitialWindowSize(wire.StreamWindow), grpc.InitialConnWindowSize(wire.ConnWindow),
				// A goroutine that has rendered has the stack for it. Two more
				// are go-plugin's own streams, which last as long as the process.
				grpc.NumStreamWorkers(uint32(runtime.GOMAXPROCS(0)+2)))
			g = grpc.NewServer(append(opts, peerOptions()...)...)
			return g
		},
		Logger: log,
	})
	if g == nil { // it could not listen; go-plugin has logged why
		return 1
	}
	return 0
}

// stopServer lets answers out that are under way, then ends. GracefulStop alone
// would wait for ever for go-plugin's own streams.
func stopServer(g *grpc.Server) {
	if g == nil {
		return
	}
	force := time.AfterFunc(lingering, g.Stop)
	defer force.Stop()
	g.GracefulStop()
}

// watchHost ends the process when the host is gone: the host holds the other end
// of standard input and never writes to it. Where that is no pipe there is
// nothing to watch.
func watchHost(stdin *os.File) {
	st, err := stdin.Stat()
	if err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	go func() { // lives as long as the process
		io.Copy(io.Discard, stdin)
		os.Exit(0)
	}()
}

// grpcPlugin is the plugin's half of go-plugin's set; the host's half is in
// package hostapi.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	register func(grpc.ServiceRegistrar)
}

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, g *grpc.Server) error {
	p.register(g)
	return nil
}

func (p *grpcPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a plugin is no host")
}
