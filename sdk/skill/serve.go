package skill

import (
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/internal/serve"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// Serve is the whole main function of a skill pack. It serves p when a host starts
// it with the argument "skill", and does not return.
//
// It reads and bounds every request, carries deadlines into the context of each
// call, turns a panic into an error of that call, checks every tree before it
// leaves, and ends the process when the host is gone. Lower and Check are called
// concurrently, without environment, files and network.
//
// Run by hand, the binary says what it is and how to use it. It understands:
//
//	describe    print the Info as JSON
//	manifest    print the plugin.json for this binary (or for --file PATH)
//	--version   print name and version
//	--help      print this list
//
// What is written to os.Stdout and os.Stderr while serving is not shown.
func Serve(p Pack) {
	os.Exit(run(p, os.Args, os.Getenv, os.Stdout, os.Stderr))
}

// run is Serve with its surroundings as arguments. It returns the exit status:
// 0, 1 for a failure, 2 for a wrong command line.
func run(p Pack, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	if err := p.Validate(); err != nil {
		fmt.Fprintf(stderr, "%s: the Pack given to skill.Serve is not valid: %v\n", serve.Base(args, wire.KindSkill), err)
		return 1
	}
	return serve.Run(serve.Plugin{
		Kind: wire.KindSkill, Name: "skill pack", ID: p.ID, Version: p.Version, Info: p.Info(),
		Roles: []string{wire.RoleSkill},
		Server: func(_ string, log hclog.Logger) (func(grpc.ServiceRegistrar), *serve.Life) {
			s := newServer(p, log)
			return s.register, &s.Life
		},
	}, args, getenv, stdout, stderr)
}
