package skill

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// The bounds of a pack.
const (
	MaxTypes   = 256
	MaxRecipes = 1000
	MaxSignals = 1000
	MaxSchema  = 256 << 10 // bytes of one schema
	MaxInfo    = 1 << 20   // bytes of an Info in JSON

	maxVersion = 64
	maxName    = 100
	maxListed  = 1000 // keywords, tools, types, signals or surfaces of one entry
	maxWord    = 128  // bytes of one of them
)

var (
	idForm      = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$`)
	nameForm    = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)
	versionForm = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

// Validate reports the first thing that keeps p from being a pack, naming the
// field. Serve refuses to start with such a Pack. Whether every schema can be
// compiled is found out by the host, and by sdktest.PackConformance.
func (p Pack) Validate() error {
	for n, t := range p.Types {
		if t.Lower == nil {
			return fmt.Errorf("types[%d].lower: missing; give the type a function that lowers it", n)
		}
	}
	return p.Info().Validate()
}

// Validate reports the first thing that keeps i from being the description of a
// pack, naming the field. A host refuses a manifest with one.
func (i Info) Validate() error {
	switch {
	case !idForm.MatchString(i.ID):
		return fmt.Errorf("id %q: want up to 32 lower-case letters, digits and inner hyphens, a letter first", clip(i.ID))
	case len(i.Version) > maxVersion || !versionForm.MatchString(i.Version):
		return fmt.Errorf("version %q: want a semantic version such as 1.2.3", clip(i.Version))
	case len(i.Types)+len(i.Recipes)+len(i.Signals) == 0:
		return fmt.Errorf("types: want a type, a recipe or a signal at least")
	case len(i.Types) > MaxTypes:
		return fmt.Errorf("types: %d entries, want at most %d", len(i.Types), MaxTypes)
	case len(i.Recipes) > MaxRecipes:
		return fmt.Errorf("recipes: %d entries, want at most %d", len(i.Recipes), MaxRecipes)
	case len(i.Signals) > MaxSignals:
		return fmt.Errorf("signals: %d entries, want at most %d", len(i.Signals), MaxSignals)
	}
	seen, size := map[string]int{}, 0
	for n, t := range i.Types {
		if err := t.validate(); err != nil {
			return fmt.Errorf("types[%d].%w", n, err)
		}
		if first, twice := seen[t.Name]; twice {
			return fmt.Errorf("types[%d].name %q: types[%d] has it already", n, t.Name, first)
		}
		seen[t.Name] = n
		size += len(t.Schema) + len(t.Example)
	}
	for n, r := range i.Recipes {
		if err := r.validate(); err != nil {
			return fmt.Errorf("recipes[%d].%w", n, err)
		}
	}
	for n, s := range i.Signals {
		if err := s.validate(); err != nil {
			return fmt.Errorf("signals[%d].%w", n, err)
		}
	}
	if size > MaxInfo/2 {
		return fmt.Errorf("types: schemas and examples have %d bytes, want at most %d", size, MaxInfo/2)
	}
	return nil
}

func (t TypeInfo) validate() error {
	if err := name("name", t.Name); err != nil {
		return err
	}
	if len(t.Schema) > MaxSchema {
		return fmt.Errorf("schema: %d bytes, want at most %d", len(t.Schema), MaxSchema)
	}
	if !object(t.Schema) {
		return fmt.Errorf("schema: want the JSON Schema of the payload, an object")
	}
	if len(t.Example) > 0 && (len(t.Example) > card.MaxPayload || !object(t.Example)) {
		return fmt.Errorf("example: want a payload, an object")
	}
	return nil
}

func (r Recipe) validate() error {
	if err := name("id", r.ID); err != nil {
		return err
	}
	if len(r.Version) > maxVersion || !versionForm.MatchString(r.Version) {
		return fmt.Errorf("version %q: want a semantic version such as 1.2.3", clip(r.Version))
	}
	if len(r.Signals) == 0 {
		return fmt.Errorf("signals: want one at least, by which the recipe is recognised")
	}
	return words(list{"signals", r.Signals}, list{"types", r.Types}, list{"surfaces", r.Surfaces})
}

func (s Signal) validate() error {
	if err := name("name", s.Name); err != nil {
		return err
	}
	return words(list{"keywords", s.Keywords}, list{"tools", s.Tools}, list{"types", s.Types})
}

// A list is a field that lists words.
type list struct {
	field string
	words []string
}

func words(lists ...list) error {
	for _, l := range lists {
		if len(l.words) > maxListed {
			return fmt.Errorf("%s: %d entries, want at most %d", l.field, len(l.words), maxListed)
		}
		for n, w := range l.words {
			if strings.TrimSpace(w) == "" || len(w) > maxWord || !utf8.ValidString(w) {
				return fmt.Errorf("%s[%d] %q: want 1 to %d bytes of UTF-8", l.field, n, clip(w), maxWord)
			}
		}
	}
	return nil
}

func name(field, s string) error {
	if len(s) > maxName || !nameForm.MatchString(s) {
		return fmt.Errorf("%s %q: want small letters, digits and '_' in parts joined by dots, %d at most", field, clip(s), maxName)
	}
	return nil
}

// object reports whether raw is one JSON object.
func object(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return utf8.Valid(raw) && json.Unmarshal(raw, &members) == nil && members != nil
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
