// Command vak shows what one agent answer becomes on every surface.
package main

import (
	"os"

	"github.com/seed-1ae66336/vak/core/internal/cli"
)

// version is set by the linker; see the Makefile.
var version string

func main() { os.Exit(cli.Main(version)) }
