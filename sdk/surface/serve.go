package surface

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

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
	name := "surface"
	if len(args) > 0 {
		name = filepath.Base(args[0])
		args = args[1:]
	}
	p = p.described()
	if err := p.Info.Validate(); err != nil {
		fmt.Fprintf(stderr, "%s: the Info given to surface.Serve is not valid: %v\n", name, err)
		return 1
	}
	if p.Renderer == nil {
		fmt.Fprintf(stderr, "%s: the Plugin given to surface.Serve has no Renderer\n", name)
		return 1
	}
	command := ""
	if len(args) > 0 {
		command = args[0]
	}
	switch command {
	case wire.RoleRender, wire.RoleTransport:
		h := wire.Handshake()
		if getenv(h.MagicCookieKey) != h.MagicCookieValue {
			byHand(stderr, name, p.Info)
			return 1
		}
		return serve(p, command)
	case "":
		byHand(stderr, name, p.Info)
		return 1
	case "describe":
		return describe(p.Info, name, stdout, stderr)
	case "manifest":
		return manifest(p.Info, name, args[1:], stdout, stderr)
	case "--version", "-version", "version":
		fmt.Fprintf(stdout, "%s %s\n", p.Info.ID, p.Info.Version)
		return 0
	case "--help", "-help", "-h", "help":
		help(stdout, name, p.Info)
		return 0
	}
	fmt.Fprintf(stderr, "%s: unknown command %q\n\n", name, clip(command))
	help(stderr, name, p.Info)
	return 2
}
