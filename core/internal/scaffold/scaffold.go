package scaffold

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/seed-1ae66336/vak/core/internal/builtin"
	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

//go:embed starters
var starters embed.FS

// Kinds are those of plugins that there is a starter for.
var Kinds = []string{hostapi.KindSkill, hostapi.KindSurface}

// A Starter is a plugin that is to be begun.
type Starter struct {
	Kind   string // one of Kinds
	ID     string // of the plugin
	Module string // path of its Go module; empty: example.org/ID
	Vak    Vak    // what it is built against
}

// An Error says what kept a starter from being written and what to do about it.
type Error struct {
	What string
	Mend string
	Err  error // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s + "; " + e.Mend
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// moduleForm is what a path of a module may look like here. The go command is
// stricter in details, and says so.
var moduleForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// Validate says what is wrong with the kind, the id or the module's path.
func (s Starter) Validate() error {
	var err error
	switch s.Kind {
	case hostapi.KindSkill:
		err = skill.Info{ID: s.ID, Version: "0.1.0", Signals: []skill.Signal{{Name: "x.y"}}}.Validate()
	case hostapi.KindSurface:
		err = surface.Info{
			ID: s.ID, Version: "0.1.0", DocVersion: doc.SchemaVersion, Profiles: []surface.Profile{{Surface: s.ID, Dialect: dialect.GFM.Name()}},
		}.Validate()
	default:
		err = fmt.Errorf("there is no starter for a plugin of the kind %q; there is one for %s", s.Kind, strings.Join(Kinds, " and "))
	}
	if err != nil {
		return err
	}
	if s.ID == builtin.LogID || s.ID == cards.Skill().ID {
		return fmt.Errorf("id %q: that is what vak's own is called; choose another", s.ID)
	}
	if m := s.Module; m != "" && (len(m) > 200 || !moduleForm.MatchString(m) || m == Module || strings.HasPrefix(m, Module+"/")) {
		return fmt.Errorf("module %.80q: want the path of a Go module of your own, such as example.org/%s", m, s.ID)
	}
	return nil
}

// Prefix begins the names of what the plugin owns: its id with dots.
func (s Starter) Prefix() string {
	return strings.Join(strings.FieldsFunc(s.ID, func(r rune) bool { return r == '-' }), ".")
}

// Write writes the starter into dir, which is empty or not there. It lists the
// files, with slashes and sorted by name. Its error is an [*Error], or that of
// Validate; then dir is as it was.
func (s Starter) Write(dir string) (files []string, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Module == "" {
		s.Module = "example.org/" + s.ID
	}
	contents, err := s.contents()
	if err != nil {
		return nil, err
	}
	stage, land, err := staging(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := os.RemoveAll(stage); e != nil && err == nil {
			err = &Error{"cannot remove " + stage, "remove it", bare(e)}
		}
	}()
	for _, f := range contents {
		name := filepath.FromSlash(f.name)
		to := filepath.Join(stage, name)
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err == nil {
			err = os.WriteFile(to, f.text, 0o644)
		}
		if err != nil {
			return nil, &Error{"cannot write " + filepath.Join(dir, name), "check the space and the rights there", bare(err)}
		}
		files = append(files, f.name)
	}
	return files, land()
}

// A file is one of a starter.
type file struct {
	name string
	text []byte
}

// contents are the files of the starter, sorted by name.
func (s Starter) contents() ([]file, error) {
	out, err := s.Vak.files(s)
	if err != nil {
		return nil, err
	}
	from := path.Join("starters", s.Kind)
	err = fs.WalkDir(starters, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t, err := template.New(path.Base(name)).Delims("«", "»").ParseFS(starters, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, s); err != nil {
			return err
		}
		f := file{strings.TrimSuffix(strings.TrimPrefix(name, from+"/"), ".tmpl"), b.Bytes()}
		if f.name == "gitignore" {
			f.name = ".gitignore"
		}
		out = append(out, f)
		return nil
	})
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return out, err
}

// staging makes a folder in which a starter is put together, and what moves all of
// it to where it belongs at once. An empty folder that is there is kept, for it may
// be the one that somebody is in.
func staging(dir string) (stage string, land func() error, err error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		parent := filepath.Dir(filepath.Clean(dir))
		stage = filepath.Join(parent, ".new-"+rand.Text())
		if err := os.Mkdir(stage, 0o755); err != nil {
			return "", nil, &Error{"cannot make a folder in " + parent, "make that first, or name another place with --dir", bare(err)}
		}
		return stage, func() error {
			if err := os.Rename(stage, dir); err != nil {
				return &Error{"cannot give " + dir + " its name", "check whether it is there by now", bare(err)}
			}
			return nil
		}, nil
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, &Error{dir + " is no folder that can be written to", "name another one with --dir", bare(err)}
	}
	if len(found) > 0 {
		return "", nil, &Error{dir + " is there and not empty", "name another folder with --dir, or remove it", nil}
	}
	stage = filepath.Join(dir, ".new-"+rand.Text())
	if err := os.Mkdir(stage, 0o755); err != nil {
		return "", nil, &Error{"cannot make a folder in " + dir, "check the space and the rights there", bare(err)}
	}
	return stage, func() error { return lift(stage, dir) }, nil
}

// lift moves what is in stage to dir, or takes back what it moved.
func lift(stage, dir string) error {
	all, err := os.ReadDir(stage)
	for i := 0; err == nil && i < len(all); i++ {
		name := all[i].Name()
		if err = os.Rename(filepath.Join(stage, name), filepath.Join(dir, name)); err != nil {
			for _, moved := range all[:i] {
				os.RemoveAll(filepath.Join(dir, moved.Name())) // the first error says more
			}
		}
	}
	if err != nil {
		return &Error{"cannot move the files to " + dir, "check the space and the rights there", bare(err)}
	}
	return nil
}

func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
