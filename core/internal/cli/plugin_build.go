package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/builtin"
	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A builder makes drafts of the plugin in one folder.
type builder struct {
	dir   string      // absolute
	name  string      // of the binary
	main  string      // name of the file that an interpreter runs
	given lock.Grants // with an interpreter, or none: then it is Go
}

// A buildError is of a plugin that cannot be built, which its author mends.
type buildError struct {
	what string
	said string // by the compiler or the interpreter, to be shown as it is
}

func (e *buildError) Error() string { return e.what }

// Unwrap gives it the exit code of input that cannot be used.
func (e *buildError) Unwrap() error { return &problem{exitInput, e.what} }

// Bounds of looking and asking.
const (
	lookTime     = 500 * time.Millisecond
	describeTime = 20 * time.Second
	maxSource    = 10_000   // files that are looked at
	maxScript    = 16 << 20 // bytes of a file that an interpreter runs
	maxCompiler  = 64 << 10 // bytes that are shown of what it says
)

// newBuilder looks at the folder of a plugin.
func newBuilder(dir, main string, given lock.Grants) (*builder, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		var st os.FileInfo
		if st, err = os.Stat(abs); err == nil && !st.IsDir() {
			err = errors.New("it is no folder")
		}
	}
	if err != nil {
		return nil, &problem{exitInput, fmt.Sprintf("%s cannot be built: %v; name the folder of a plugin", quoted(dir), bareOf(err))}
	}
	b := &builder{dir: abs, name: "plugin", given: given}
	if real, err := filepath.EvalSymlinks(abs); err == nil { // a link is not walked into
		b.dir = real
	}
	if base := strings.ToLower(filepath.Base(abs)); strings.Trim(base, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" && base != "" {
		b.name = base
	}
	if given.Interpreter == "" {
		if runtime.GOOS == "windows" {
			b.name += ".exe"
		}
		return b, nil
	}
	if main == "" || main != filepath.Base(main) || !filepath.IsLocal(main) {
		return nil, usagef("--main %s: want the name of a file in DIR", quoted(main))
	}
	b.main, b.name = main, main
	return b, nil
}

// draft builds into a workbench, and has what was built used.
func (b *builder) draft(ctx context.Context, bench *install.Workbench) (*install.Draft, error) {
	stage, err := bench.Stage()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage) // of one that is used there is nothing left
	d, err := b.build(ctx, stage)
	if err == nil {
		err = bench.Use(d)
	}
	return d, err
}

// build makes a draft in an empty folder.
func (b *builder) build(ctx context.Context, into string) (*install.Draft, error) {
	path := filepath.Join(into, b.name)
	do := b.compile
	if b.main != "" {
		do = b.describe
	}
	manifest, err := do(ctx, path)
	if err != nil {
		return nil, err
	}
	d, err := install.NewDraft(into, b.dir, manifest, b.given)
	if err != nil {
		return nil, err
	}
	if why := refused(d); why != "" {
		return nil, &buildError{what: b.dir + " would not be used: " + why}
	}
	return d, nil
}

// refused is why vak would not use a draft beside what is built in; empty: it would.
func refused(d *install.Draft) string {
	if slices.ContainsFunc(d.Profiles, func(p surface.Profile) bool { return p.Surface == builtin.LogID }) {
		return fmt.Sprintf("the surface %q is vak's own; give yours another name", builtin.LogID)
	}
	if d.Kind != hostapi.KindSkill {
		return ""
	}
	known, err := catalog.New(cards.Skill())
	if err == nil {
		_, errs := known.WithEach([]skill.Pack{unlowered(d.Pack)})
		err = errs[0]
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// strangers names what the recipes and signals of a pack go by and neither it nor vak has. That is
// no fault where another pack has it, and most often a slip of the pen.
func strangers(d *install.Draft) (notes []string) {
	builtin := cards.Skill()
	signals, types := map[string]bool{}, map[string]bool{}
	for _, s := range slices.Concat(builtin.Signals, d.Pack.Signals) {
		signals[s.Name] = true
	}
	for _, t := range builtin.Types {
		types[t.Name] = true
	}
	for _, t := range d.Pack.Types {
		types[t.Name] = true
	}
	note := func(of, what, name string, known map[string]bool) {
		if !known[name] {
			notes = append(notes, visible(fmt.Sprintf("the %s names the %s %s, which neither this pack nor vak has", of, what, name)))
		}
	}
	for _, r := range d.Pack.Recipes {
		for _, s := range r.Signals {
			note("recipe "+r.ID, "signal", s, signals)
		}
		for _, t := range r.Types {
			note("recipe "+r.ID, "type", t, types)
		}
	}
	for _, s := range d.Pack.Signals {
		for _, t := range s.Types {
			note("signal "+s.Name, "type", t, types)
		}
	}
	return notes
}

// unlowered is a pack with all that it says of itself, and without what it does.
func unlowered(i skill.Info) skill.Pack {
	p := skill.Pack{ID: i.ID, Version: i.Version, Recipes: i.Recipes, Signals: i.Signals}
	for _, t := range i.Types {
		p.Types = append(p.Types, skill.Type{Name: t.Name, Schema: t.Schema, Example: t.Example, Lower: func(context.Context, skill.Input) (card.Tree, error) {
			return card.Tree{}, errors.New("it is not run here")
		}})
	}
	return p
}

// compile builds the package with the go command, and has the binary say what it is.
func (b *builder) compile(ctx context.Context, path string) ([]byte, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", path, ".")
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = b.dir, &said, &said, time.Second
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	switch err := cmd.Run(); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, &problem{exitInput, "there is no go command on the PATH; install Go from https://go.dev/dl"}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		what := b.dir + " does not build"
		if said.Len() == 0 { // the go command did not come to say it, as where the folder is gone
			what += ": " + bareOf(err).Error()
		}
		return nil, &buildError{what, shown(said.Bytes())}
	}
	if st, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && st.Mode()&0o111 == 0 {
		return nil, &buildError{what: b.dir + " builds no program; it has to be package main, with skill.Serve or surface.Serve in main"}
	}
	ctx, stop := context.WithTimeout(ctx, describeTime)
	defer stop()
	text, err := host.Manifest(ctx, path)
	if err != nil {
		return nil, &buildError{what: fmt.Sprintf("what %s builds does not say what it is: %v; it has to be package main, with skill.Serve or surface.Serve in main", b.dir, err)}
	}
	return text, nil
}

// describe takes the file that the interpreter runs, and has it say what it is.
func (b *builder) describe(ctx context.Context, path string) ([]byte, error) {
	from := filepath.Join(b.dir, b.main)
	st, err := os.Stat(from)
	if err == nil && (!st.Mode().IsRegular() || st.Size() > maxScript) { // opening a pipe would block
		err = errors.New("it is no file, or too large")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(from)
	}
	if err != nil {
		return nil, &buildError{what: fmt.Sprintf("%s cannot be read: %v; name the file with --main", from, bareOf(err))}
	}
	if err := os.WriteFile(path, text, 0o500); err != nil {
		return nil, &problem{exitInput, fmt.Sprintf("%s cannot be copied: %v; check the space of the home", from, bareOf(err))}
	}
	ctx, stop := context.WithTimeout(ctx, describeTime)
	defer stop()
	info, said, err := host.Describe(ctx, b.given.Interpreter, path, b.given.Read)
	if err == nil {
		var manifest []byte
		if manifest, err = install.ScriptManifest(path, info); err == nil {
			return manifest, nil
		}
	}
	said = bytes.ReplaceAll(said, []byte("/proc/self/fd/3"), []byte(b.main)) // the name that it was given in place of its own
	return nil, &buildError{fmt.Sprintf("%s %s describe: it does not say what it is: %v", b.given.Interpreter, from, err), shown(said)}
}

// shown is what another program says, with its lines, and with nothing that a terminal
// would obey.
func shown(said []byte) string {
	text := strings.TrimRight(string(said[:min(len(said), maxCompiler)]), "\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = visible(strings.TrimSuffix(l, "\r"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// A source is what tells whether the files that a plugin is built of are others: when
// each was changed, and its size.
type source map[string]string

// scan looks at them: Go code but for tests, what says which modules it is built of;
// or the one file. What cannot be looked at is not there.
func (b *builder) scan() source {
	all := source{}
	add := func(name string, st fs.FileInfo) {
		all[name] = fmt.Sprint(st.ModTime().UnixNano(), " ", st.Size())
	}
	if b.main != "" {
		if st, err := os.Stat(filepath.Join(b.dir, b.main)); err == nil {
			add(b.main, st)
		}
		return all
	}
	looked := 0
	filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		looked++
		switch {
		case looked > maxSource:
			return filepath.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && path != b.dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !isSource(d.Name()):
			return nil
		}
		if st, err := d.Info(); err == nil {
			add(path, st)
		}
		return nil
	})
	return all
}

func isSource(name string) bool {
	switch name {
	case "go.mod", "go.sum", "go.work":
		return true
	}
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// change waits until the files are others than those that were built, and stay as they
// are for a moment. It returns what they are, or nil where ctx ends.
func (b *builder) change(ctx context.Context, built source) source {
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	for before := built; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := b.scan()
		if !maps.Equal(now, built) && maps.Equal(now, before) {
			return now
		}
		before = now
	}
}

// bareOf is an error without the path that it names.
func bareOf(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
