package config

import (
	"encoding/json"
	"fmt"
	"time"
)

// A File is what all layers come to. It is immutable. The zero File says nothing,
// not even what the defaults are.
type File struct {
	Path     string   // of the vak.toml; empty: there is none
	Files    []string // that were read, the lowest layer first
	Surfaces map[string]Surface
	Targets  map[string]Target
	Policy   Policy

	Templates map[string]Template // by id

	layers []*layer // the lowest first
}

func newFile(layers ...*layer) *File {
	return &File{Surfaces: map[string]Surface{}, Targets: map[string]Target{}, Templates: map[string]Template{}, layers: layers}
}

// source is the layer that has the last word of what stands at path.
func (f *File) source(path []string) *layer {
	for i := len(f.layers) - 1; i >= 0; i-- {
		if l := f.layers[i]; l.has(path) {
			return l
		}
	}
	return nil
}

// From says where the value at a path comes from: FromDefault, a file with the
// line, FromEnvironment or FromSet. Empty: nobody says anything there.
func (f *File) From(path ...string) string {
	l := f.source(path)
	if l == nil {
		return ""
	}
	if n := l.line(path); n > 0 {
		return fmt.Sprintf("%s:%d", l.name, n)
	}
	return l.name
}

// Problem is one with what stands at a path, or with the closest that holds it,
// in the layer that has the last word of it.
func (f *File) Problem(path []string, what, mend string) *Problem {
	for n := len(path); n > 0; n-- {
		if l := f.source(path[:n]); l != nil {
			return l.problem(l.spelt(path), what, mend)
		}
	}
	return &Problem{File: f.Path, Pointer: Pointer(path), What: what, Mend: mend}
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
	Mentions string                     // live or off; empty: not said
	Appendix string                     // auto, always or never; empty: not said
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
	Mentions string // live or off
	Appendix string // auto, always or never: when a card's JSON follows it
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
	if p.Mentions == "" {
		p.Mentions = under.Mentions
	}
	if p.Appendix == "" {
		p.Appendix = under.Appendix
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
