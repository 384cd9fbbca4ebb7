package scaffold

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Module is the path of vak's own Go module.
const Module = "github.com/seed-1ae66336/vak"

// goVersion is the version of Go that vak asks for, and so do those who build
// against it.
const goVersion = "1.26.0"

// maxModule bounds what is read of a go.mod or go.sum, in bytes.
const maxModule = 4 << 20

// A Vak is what a plugin is built against: a release, or a checkout of the source.
type Vak struct {
	Version  string // of a release, such as v1.2.3
	Checkout string // absolute path of a checkout; it wins
}

// released is the version of a release. What a build between two of them is called
// is none, and nobody could fetch it.
var released = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(alpha|beta|rc)(\.?\d+)?)?$`)

// FindVak says what to build against: the checkout that somebody names, else the one
// that one of the folders near is in, else the release that version is of. Its error
// is an [*Error].
func FindVak(named, version string, near ...string) (Vak, error) {
	if named != "" {
		dir, err := filepath.Abs(named)
		if err != nil || !isCheckout(dir) {
			return Vak{}, &Error{named + " is no checkout of vak", "name the folder that holds the go.mod of " + Module, err}
		}
		return Vak{Checkout: dir}, nil
	}
	for _, dir := range near {
		for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			if isCheckout(dir) {
				return Vak{Checkout: dir}, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if released.MatchString(version) {
		return Vak{Version: version}, nil
	}
	return Vak{}, &Error{
		fmt.Sprintf("this vak (%.80s) is a build of a development version, and there is no release of it that a plugin could require", version),
		"name a checkout of its source with --replace DIR", nil,
	}
}

// isCheckout reports whether dir holds the go.mod of vak.
func isCheckout(dir string) bool {
	text, err := read(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "module" {
			return f[1] == Module || f[1] == strconv.Quote(Module)
		}
	}
	return false
}

// needs are the modules, of those that vak is built of, that a starter with its tests
// is built of: what "go mod tidy" finds out.
var needs = []string{
	"github.com/clipperhouse/displaywidth",
	"github.com/clipperhouse/uax29/v2",
	"github.com/fatih/color",
	"github.com/golang/protobuf",
	"github.com/hashicorp/go-hclog",
	"github.com/hashicorp/go-plugin",
	"github.com/hashicorp/yamux",
	"github.com/mattn/go-colorable",
	"github.com/mattn/go-isatty",
	"github.com/oklog/run",
	"github.com/santhosh-tekuri/jsonschema/v5",
	"golang.org/x/net",
	"golang.org/x/sys",
	"golang.org/x/text",
	"golang.org/x/tools",
	"google.golang.org/genproto/googleapis/rpc",
	"google.golang.org/grpc",
	"google.golang.org/protobuf",
	"pgregory.net/rapid",
}

// needsCompile are those on top of it that the tests of a surface need, which read
// markdown.
var needsCompile = []string{"github.com/yuin/goldmark"}

// files are go.mod and, where all that it takes is known, go.sum.
func (v Vak) files(s Starter) ([]file, error) {
	var mod bytes.Buffer
	fmt.Fprintf(&mod, "module %s\n\ngo %s\n\n", s.Module, goVersion)
	if v.Checkout == "" {
		fmt.Fprintf(&mod, "require %s %s\n", Module, v.Version)
		return []file{{"go.mod", mod.Bytes()}}, nil
	}
	fmt.Fprintf(&mod, "require %s v0.0.0\n\nrequire (\n", Module)
	text, err := read(filepath.Join(v.Checkout, "go.mod"))
	if err != nil {
		return nil, &Error{"cannot read the go.mod of " + v.Checkout, "name a whole checkout of vak with --replace", bare(err)}
	}
	for _, r := range requirements(text) {
		if slices.Contains(needs, r[0]) || s.Kind == hostapi.KindSurface && slices.Contains(needsCompile, r[0]) {
			fmt.Fprintf(&mod, "\t%s %s // indirect\n", r[0], r[1])
		}
	}
	fmt.Fprintf(&mod, ")\n\nreplace %s => %s\n", Module, quoted(v.Checkout))
	sum, err := read(filepath.Join(v.Checkout, "go.sum"))
	if err != nil {
		return nil, &Error{"cannot read the go.sum of " + v.Checkout, "name a whole checkout of vak with --replace", bare(err)}
	}
	return []file{{"go.mod", mod.Bytes()}, {"go.sum", sum}}, nil
}

// requirements are the modules that a go.mod requires, with their versions, sorted by
// path.
func requirements(mod []byte) (out [][2]string) {
	inside := false
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "require" && f[1] == "(":
			inside = true
		case len(f) == 1 && f[0] == ")":
			inside = false
		case len(f) == 3 && f[0] == "require":
			out = append(out, [2]string{f[1], f[2]})
		case len(f) == 2 && inside:
			out = append(out, [2]string{f[0], f[1]})
		}
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// quoted is a path as go.mod has it, where a blank or a bracket ends a word and two
// slashes begin a comment.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(" \"'`()[]{},", r) }) ||
		strings.Contains(path, "//") || strings.Contains(path, "/*") {
		return strconv.Quote(path)
	}
	return path
}

// read reads a small file. Opening a pipe would block.
func read(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxModule {
		return nil, fmt.Errorf("%s is no file of a Go module", filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxModule))
}
