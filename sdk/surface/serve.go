package surface

import (
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/internal/serve"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// Serve is the whole main function of a surface. It serves p in the role that
// the host names in the first argument and does not return.
//
// The host's half is none of the author's business: Serve negotiates the
// protocol, decodes and bounds every request, carries deadlines into the
// context of each call, turns a panic into an error of that call, and ends the
// process when the host is gone. Renderer and transports are called concurrently.
//
// Run by hand, the binary says what it is and how to use it. It understands:
//
//	describe    print the Info as JSON
//	manifest    print the plugin.json for this binary (or for --file PATH)
//	--version   print name and version
//	--help      print this list
//
// Standard output belongs to the protocol and standard error to the log: what
// is written to os.Stdout and os.Stderr while serving is not shown.
func Serve(p Plugin) {
	os.Exit(run(p, os.Args, os.Getenv, os.Stdout, os.Stderr))
}

// run is Serve with its surroundings as arguments. It returns the exit status:
// 0, 1 for a failure, 2 for a wrong command line.
func run(p Plugin, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	name := serve.Base(args, wire.KindSurface)
	p = p.described()
	if err := p.Info.Validate(); err != nil {
		fmt.Fprintf(stderr, "%s: the Info given to surface.Serve is not valid: %v\n", name, err)
		return 1
	}
	if p.Renderer == nil {
		fmt.Fprintf(stderr, "%s: the Plugin given to surface.Serve has no Renderer\n", name)
		return 1
	}
	return serve.Run(serve.Plugin{
		Kind: wire.KindSurface, Name: "surface plugin", ID: p.Info.ID, Version: p.Info.Version, Info: p.Info,
		Roles: []string{wire.RoleRender, wire.RoleTransport},
		Server: func(role string, log hclog.Logger) (func(grpc.ServiceRegistrar), *serve.Life) {
			s := newServer(p, role, log)
			return s.register, &s.Life
		},
	}, args, getenv, stdout, stderr)
}
