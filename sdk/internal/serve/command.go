package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// A Plugin is what a process has to know of what it serves.
type Plugin struct {
	Kind    string // as the manifest names it
	Name    string // of the kind, for people
	ID      string
	Version string
	Info    any // whose canonical JSON is the description
	Roles   []string

	// Server makes what serves a role.
	Server func(role string, log hclog.Logger) (register func(grpc.ServiceRegistrar), life *Life)
}

// Base is the name that a command line was run by, or other.
func Base(args []string, other string) string {
	if len(args) == 0 {
		return other
	}
	return filepath.Base(args[0])
}

// Run is the main function of a plugin, with its surroundings as arguments. It
// returns the exit status: 0, 1 for a failure, 2 for a wrong command line.
func Run(p Plugin, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	name := Base(args, p.Kind)
	command := ""
	if len(args) > 1 {
		command = args[1]
	}
	switch {
	case slices.Contains(p.Roles, command):
		h := wire.Handshake()
		if getenv(h.MagicCookieKey) != h.MagicCookieValue {
			byHand(stderr, name, p)
			return 1
		}
		return process(p, command)
	case command == "":
		byHand(stderr, name, p)
		return 1
	}
	switch command {
	case "describe":
		return describe(p, name, stdout, stderr)
	case "manifest":
		return manifest(p, name, args[2:], stdout, stderr)
	case "--version", "-version", "version":
		fmt.Fprintf(stdout, "%s %s\n", p.ID, p.Version)
		return 0
	case "--help", "-help", "-h", "help":
		help(stdout, name, p)
		return 0
	}
	fmt.Fprintf(stderr, "%s: unknown command %q\n\n", name, clip(command))
	help(stderr, name, p)
	return 2
}

// byHand is what a person reads who runs a plugin without a host.
func byHand(w io.Writer, name string, p Plugin) {
	fmt.Fprintf(w, `%s is the vak %s %q, version %s. It is started by vak, not by hand.

To use it, put its folder (%s and %s) into a directory of plugins
and name that directory:

    vak plugin list --plugins DIRECTORY

"%s --help" lists what it can do by itself.
`, name, p.Name, p.ID, p.Version, wire.ManifestName, name, name)
}

func help(w io.Writer, name string, p Plugin) {
	starts := make([]string, len(p.Roles))
	for i, r := range p.Roles {
		starts[i] = fmt.Sprintf("%q", name+" "+r)
	}
	fmt.Fprintf(w, `%s is the vak %s %q, version %s.

    %s describe                what it is and what it can do, as JSON
    %s manifest                the %s for this binary
    %s manifest --file PATH    the same for another build of it
    %s --version
    %s --help

vak starts it as %s.
`, name, p.Name, p.ID, p.Version, name, name, wire.ManifestName, name, name, name, strings.Join(starts, " or "))
}

func describe(p Plugin, name string, stdout, stderr io.Writer) int {
	b, err := wire.JSON(p.Info)
	var out bytes.Buffer
	if err == nil {
		err = json.Indent(&out, b, "", "  ")
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: describe: %v\n", name, err)
		return 1
	}
	fmt.Fprintln(stdout, out.String())
	return 0
}

// manifest prints the plugin.json of this binary, or of another build of it:
// what it says of the plugin is the same for every platform, only the hash and
// the name of the file differ.
func manifest(p Plugin, name string, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(name+" manifest", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("file", "", "build of this plugin that the manifest is for; default this binary")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "%s: manifest: unknown argument %q\n", name, clip(flags.Arg(0)))
		return 2
	}
	path := *file
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			fmt.Fprintf(stderr, "%s: manifest: cannot find this binary: %v; name it with --file\n", name, err)
			return 1
		}
		path = self
	}
	b, err := makeManifest(p, path)
	if err != nil {
		fmt.Fprintf(stderr, "%s: manifest: %v\n", name, err)
		return 1
	}
	stdout.Write(b)
	return 0
}

func makeManifest(p Plugin, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	info, err := wire.JSON(p.Info)
	if err != nil {
		return nil, err
	}
	return wire.Manifest{
		SchemaVersion: wire.ManifestVersion,
		ID:            p.ID,
		Kind:          p.Kind,
		Version:       p.Version,
		Protocol:      []int{wire.Protocol},
		Binary:        filepath.Base(path),
		SHA256:        hex.EncodeToString(sum.Sum(nil)),
		Info:          info,
	}.Encode()
}

// clip keeps a refused value from filling an error.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
