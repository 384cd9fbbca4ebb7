package arch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/seed-1ae66336/vak"

// A listed is what go list says of a package. Imports are those of its code
// without tests.
type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
}

// sdkMayUse are the modules that code of sdk may import. Each of them is in the
// binary of every plugin that anybody writes, so the list is short on purpose.
var sdkMayUse = []string{
	"github.com/hashicorp/go-plugin",
	"github.com/hashicorp/go-hclog",
	"google.golang.org/grpc",
	"google.golang.org/protobuf",
	"github.com/clipperhouse/uax29/v2",
	"github.com/clipperhouse/displaywidth",
	"golang.org/x/sys",
}

// testsMayUse are those that packages for tests may import as well; no plugin
// links them.
var testsMayUse = []string{"pgregory.net/rapid", "golang.org/x/tools/txtar", "github.com/santhosh-tekuri/jsonschema/v5"}

// pure are the packages that compute and do nothing else.
var pure = []string{"core/compile", "core/ledger", "core/packet", "core/timeline", "core/internal/pipeline"}

// noNames say nothing about what is in a package.
var noNames = []string{"util", "utils", "common", "helper", "helpers", "types", "manager", "misc", "shared", "base"}

// violations lists every import and name that the rules forbid.
func violations(pkgs []listed) []string {
	var out []string
	for _, p := range pkgs {
		from := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if slices.Contains(noNames, path.Base(from)) {
			out = append(out, from+": the name says nothing about what the package is")
		}
		for _, imp := range p.Imports {
			if why := forbidden(from, imp); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", from, imp, why))
			}
		}
	}
	return out
}

// forbidden says why package from (relative to the module) may not import imp,
// or nothing if it may.
func forbidden(from, imp string) string {
	to, ours := strings.CutPrefix(imp, module+"/")
	std := !strings.Contains(strings.Split(imp, "/")[0], ".")
	switch {
	case under(from, "sdk"):
		switch {
		case ours && !under(to, "sdk"):
			return "sdk imports neither core nor plugins"
		case !ours && !std && !anyUnder(imp, sdkMayUse) && !(strings.HasSuffix(from, "test") && anyUnder(imp, testsMayUse)):
			return "it is not one of the dependencies that sdk may have"
		}
	case under(from, "plugins"):
		if ours && !under(to, "sdk") && !under(to, root(from, 2)) {
			return "a plugin imports sdk and itself only"
		}
	case under(from, "core/cmd"):
		if ours && to != "core/internal/cli" {
			return "a command is one call into internal/cli"
		}
	case under(from, "core/internal/host"):
		if ours && !under(to, "sdk") && !under(to, "core/internal/host") {
			return "the host knows nothing beyond sdk"
		}
	case anyUnder(from, pure):
		if imp == "os/exec" {
			return "pure packages start no process"
		}
		if under(imp, "google.golang.org/grpc") || under(imp, "github.com/hashicorp/go-plugin") {
			return "pure packages import no gRPC"
		}
		if (under(from, "core/internal/pipeline") || under(from, "core/compile")) &&
			(under(imp, "os") || under(imp, "net") && imp != "net/url" && imp != "net/netip" || under(imp, "math/rand") || imp == "time" || imp == "syscall") {
			return "what decides has no clock, no chance and no I/O"
		}
	}
	if under(from, "core") && ours && under(to, "plugins") {
		return "core starts plugins, it does not import them"
	}
	return ""
}

func anyUnder(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return under(p, dir) })
}

func under(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// root is the first n elements of p.
func root(p string, n int) string {
	parts := strings.Split(p, "/")
	return strings.Join(parts[:min(n, len(parts))], "/")
}

func TestImports(t *testing.T) {
	for _, v := range violations(packages(t)) {
		t.Error(v)
	}
}

// TestImportRules shows that every rule catches what it is there for.
func TestImportRules(t *testing.T) {
	for _, c := range []struct {
		from, imports string
		bad           bool
		why           string
	}{
		{"sdk/doc", module + "/core/packet", true, "sdk imports core"},
		{"sdk/surface", module + "/plugins/slack", true, "sdk imports a plugin"},
		{"sdk/layout", module + "/sdk/doc", false, "sdk imports sdk"},
		{"sdk/layout", "github.com/yuin/goldmark", true, "a dependency that sdk may not have"},
		{"sdk/layout", "pgregory.net/rapid", true, "a dependency for tests in what plugins link"},
		{"sdk/doc/doctest", "pgregory.net/rapid", false, "one in a package for tests"},
		{"sdk/internal/wire", "google.golang.org/grpc/codes", false, "one that it may have"},
		{"sdk/doc", "google.golang.org/grpcish", true, "a name that only starts like one"},
		{"plugins/slack", module + "/core/compile", true, "a plugin imports core"},
		{"plugins/slack", module + "/plugins/discord/internal/x", true, "a plugin imports another"},
		{"plugins/slack", module + "/plugins/slackish", true, "another whose name starts the same"},
		{"plugins/slack", module + "/plugins/slack/internal/x", false, "a plugin imports itself"},
		{"core/compile", "os/exec", true, "the compiler starts a process"},
		{"core/packet", "google.golang.org/grpc", true, "data imports gRPC"},
		{"core/internal/pipeline/cover", "github.com/hashicorp/go-plugin", true, "what decides imports plugins"},
		{"core/internal/pipeline/cover", "time", true, "what decides has a clock"},
		{"core/internal/pipeline/cover", module + "/sdk/dialect", false, "what decides reads chunks"},
		{"core/internal/host", module + "/core/packet", true, "the host knows packets"},
		{"core/internal/host/process", "os/exec", false, "the host starts processes"},
		{"core/cmd/vak", module + "/core", true, "a command has logic"},
		{"core/cmd/vak", module + "/core/internal/cli", false, "a command calls the cli"},
		{"core", module + "/plugins/log", true, "core imports a plugin"},
		{"core/internal/util", "strings", true, "a name that says nothing"},
		{"sdk/types", "strings", true, "another"},
	} {
		got := violations([]listed{{ImportPath: module + "/" + c.from, Imports: []string{c.imports}}})
		if (len(got) > 0) != c.bad {
			t.Errorf("%s: %s imports %s: got %q", c.why, c.from, c.imports, got)
		}
	}
}

// packages lists the packages of the module.
func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 5 {
		t.Fatalf("go list found %d packages", len(pkgs))
	}
	return pkgs
}
