package surface

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

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

// byHand is what a person reads who runs a plugin without a host.
func byHand(w io.Writer, name string, i Info) {
	fmt.Fprintf(w, `%s is the vak surface plugin %q, version %s. It is started by vak, not by hand.

To use it, put its folder (%s and %s) into a directory of plugins
and name that directory:

    vak plugin list --plugins DIRECTORY

"%s --help" lists what it can do by itself.
`, name, i.ID, i.Version, wire.ManifestName, name, name)
}

func help(w io.Writer, name string, i Info) {
	fmt.Fprintf(w, `%s is the vak surface plugin %q, version %s.

    %s describe                what it is and what it can show, as JSON
    %s manifest                the %s for this binary
    %s manifest --file PATH    the same for another build of it
    %s --version
    %s --help

vak starts it as "%s render" or "%s transport".
`, name, i.ID, i.Version, name, name, wire.ManifestName, name, name, name, name, name)
}

func describe(i Info, name string, stdout, stderr io.Writer) int {
	b, err := wire.JSON(i)
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
func manifest(i Info, name string, args []string, stdout, stderr io.Writer) int {
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
	b, err := makeManifest(i, path)
	if err != nil {
		fmt.Fprintf(stderr, "%s: manifest: %v\n", name, err)
		return 1
	}
	stdout.Write(b)
	return 0
}

func makeManifest(i Info, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	info, err := wire.JSON(i)
	if err != nil {
		return nil, err
	}
	return wire.Manifest{
		SchemaVersion: wire.ManifestVersion,
		ID:            i.ID,
		Kind:          wire.KindSurface,
		Version:       i.Version,
		Protocol:      []int{wire.Protocol},
		Binary:        filepath.Base(path),
		SHA256:        hex.EncodeToString(sum.Sum(nil)),
		Info:          info,
	}.Encode()
}
