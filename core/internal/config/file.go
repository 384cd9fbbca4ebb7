package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	parser "github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"
)

// Name is the name of the file in a home.
const Name = "vak.toml"

// maxFile bounds the file.
const maxFile = 1 << 20

// A File is a vak.toml with what the environment overrides. It is immutable.
type File struct {
	Path     string // empty: there is none, and nothing is configured
	Surfaces map[string]Surface
	Targets  map[string]Target
	Policy   Policy

	Templates map[string]Template // by id

	lines map[string]int
}

// NoTemplate is the id that stands for none.
const NoTemplate = "none"

// A Template is a layout that answers are put into.
type Template struct {
	Revision int // from 1
	Format   string
	Project  bool // it is from a project's file, not the user's own
}

// A Surface is what is set of one surface.
type Surface struct {
	Settings map[string]string          // of its profile, by key
	Template string                     // the id of its template, or NoTemplate; empty: not said
	Accounts map[string]json.RawMessage // settings by the account's name; the main one has none. Secrets are references.
}

// A Target is one that has a name.
type Target struct {
	To       string            // its text, as it stands there
	Settings map[string]string // of its profile, over those of its surface
	Policy   Policy
}

// A Policy is what a target wants. An empty field is not said.
type Policy struct {
	Cadence  string
	Urgency  string
	Unknown  string // resend_marked or park
	MaxParts int
	Template string   // the id of one, or NoTemplate
	Digest   []Minute // of the day
	Quiet    [2]Minute
	Timezone *time.Location
}

// A Minute is a time of day: minutes after midnight.
type Minute int

// String is the minute as it is written.
func (m Minute) String() string { return fmt.Sprintf("%02d:%02d", int(m)/60, int(m)%60) }

// Over is p where it says something, else what is under it.
func (p Policy) Over(under Policy) Policy {
	if p.Cadence == "" {
		p.Cadence = under.Cadence
	}
	if p.Urgency == "" {
		p.Urgency = under.Urgency
	}
	if p.Unknown == "" {
		p.Unknown = under.Unknown
	}
	if p.MaxParts == 0 {
		p.MaxParts = under.MaxParts
	}
	if p.Template == "" {
		p.Template = under.Template
	}
	if p.Digest == nil {
		p.Digest = under.Digest
	}
	if p.Quiet == [2]Minute{} {
		p.Quiet = under.Quiet
	}
	if p.Timezone == nil {
		p.Timezone = under.Timezone
	}
	return p
}

// Load reads the file at path and what environ overrides of it. A file that is
// not there is an error unless it need not be. Errors are of type Problems; where
// the file could be read at all, it comes with them, without what is wrong.
func Load(path string, need bool, environ []string) (*File, error) {
	b, err := read(path)
	if !need && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
		path, b, err = "", nil, nil
	}
	if err != nil {
		return nil, Problems{{File: path, What: "it cannot be read", Mend: "check that it is there and may be read, or name another one with --config: " + cause(err)}}
	}
	k := koanf.New(delimiter)
	if err := k.Load(source(b), parser.Parser()); err != nil {
		p := &Problem{File: path, What: "it is no TOML"}
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			p.Line, _ = d.Position()
			p.Path = strings.Join(d.Key(), ".")
		}
		return nil, Problems{p}
	}
	if err := k.Load(overrides(environ), nil); err != nil {
		return nil, Problems{{File: "environment", What: "it cannot be read"}}
	}
	f := &File{Path: path, Surfaces: map[string]Surface{}, Targets: map[string]Target{}, Templates: map[string]Template{}, lines: lines(b)}
	r := &reader{file: f}
	r.root(k.Raw())
	if len(r.problems) > 0 {
		return f, r.problems.sorted()
	}
	return f, nil
}

// cause is an error without the path, which stands before it.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return b, err
}

// delimiter parts the path of a value for koanf; no key holds it.
const delimiter = "\x1f"

// source gives koanf the bytes of a file.
type source []byte

func (s source) ReadBytes() ([]byte, error)  { return bytes.Clone(s), nil }
func (source) Read() (map[string]any, error) { return nil, errors.New("bytes only") }

// overrides gives koanf what an environment says.
type overrides []string

func (overrides) ReadBytes() ([]byte, error) { return nil, errors.New("values only") }

func (o overrides) Read() (map[string]any, error) {
	out := map[string]any{}
	for _, v := range o {
		name, value, _ := strings.Cut(v, "=")
		name, ours := strings.CutPrefix(name, "VAK_")
		path := strings.Split(strings.ToLower(name), "__")
		if !ours || len(path) < 2 || !slices.Contains(tables, path[0]) || slices.Contains(path, "") {
			continue
		}
		at := out
		for _, p := range path[:len(path)-1] {
			next, ok := at[p].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[p] = next
			}
			at = next
		}
		at[path[len(path)-1]] = value
	}
	return out, nil
}

// tables are those at the top.
var tables = []string{"surfaces", "channels", "targets", "templates", "policy"}
