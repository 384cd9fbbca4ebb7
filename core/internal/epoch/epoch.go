package epoch

import "github.com/seed-1ae66336/vak/sdk/surface"

// An Epoch is what is known at one time. It must not be changed once it is published.
// The order of plugins does not count.
type Epoch struct {
	Plugins   []Plugin            // by id
	Surfaces  map[string]Look     // by id; "": of surfaces that nobody knows
	Targets   map[string]Look     // of those that have one of their own, by their text
	Templates map[string]Template // those that answers are put into, by id
}

// A Plugin is one exactly as it was found.
type Plugin struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"` // surface or skill
	Version  string `json:"version,omitempty"`
	SHA256   string `json:"sha256,omitempty"`  // of its binary; empty: it is a part of the program
	Dir      string `json:"dir,omitempty"`     // its folder; empty: it is a part of the program
	File     string `json:"file,omitempty"`    // sha256 of its plugin.json
	Problem  string `json:"problem,omitempty"` // the kind of what is wrong with it; empty: it can be used
	Manifest []byte `json:"-"`                 // its plugin.json; the description alone of a part of the program
}

// A Look is how what goes to a surface, or to a target, looks.
type Look struct {
	Profile  surface.Profile `json:"profile"`            // effective, all overrides applied
	Appendix string          `json:"appendix,omitempty"` // when the JSON of a card follows it
	Template string          `json:"template,omitempty"` // id of the one that is wanted
}

// A Template is what an id stands for.
type Template struct {
	Revision int    `json:"revision,omitempty"`
	Format   string `json:"format,omitempty"`
	Problem  string `json:"problem,omitempty"` // why it cannot be used; then nothing else is there
}

// Digest is the sha256 of the look, in hexadecimal: the name of its blob.
func (l Look) Digest() string { return name(encode(l)) }

// Digest is the name that an epoch has when it is published. It writes nothing.
func Digest(e *Epoch) (string, error) {
	digest, _, err := parts(e)
	return digest, err
}
