package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-1ae66336/vak/sdk/skill"
)

// Check finds what [New] refuses in the recipes and signals of one skill. What only
// several skills can have wrong together, a [Tally] finds.
func Check(c Config) error { return new(Tally).Add(c) }

// A Tally adds up skills one by one, so that it is known of each whether [New] takes
// it together with those before it. What it has added without an error, New takes.
// The zero value is empty. It is not safe for concurrent use.
type Tally struct {
	recipes  map[Ref]bool
	keywords map[string]bool // as they are looked for
	size     int             // of the keywords, in bytes
}

// Clone is a Tally of the same, which shares nothing with t.
func (t *Tally) Clone() *Tally {
	return &Tally{maps.Clone(t.recipes), maps.Clone(t.keywords), t.size}
}

// Add adds the recipes and signals of one skill. Its error wraps one of this
// package and names what is at fault; then nothing of them has been added. The work
// depends on c only, not on what was added before.
func (t *Tally) Add(c Config) error {
	_, err := t.add(c)
	return err
}

// add is Add, and returns what is looked for instead of each keyword, by signal.
func (t *Tally) add(c Config) (streams [][]string, err error) {
	if t.recipes == nil {
		t.recipes, t.keywords = map[Ref]bool{}, map[string]bool{}
	}
	size := t.size
	var refs []Ref
	var texts []string
	defer func() {
		if err == nil {
			return
		}
		for _, r := range refs {
			delete(t.recipes, r)
		}
		for _, s := range texts {
			delete(t.keywords, s)
		}
		t.size = size
	}()
	streams = make([][]string, len(c.Signals))
	for i, s := range c.Signals {
		if !named(s.Name) {
			return nil, fmt.Errorf("signal %.40q: %w: use 1 to 128 small letters, digits and . _ -", s.Name, ErrName)
		}
		streams[i] = make([]string, len(s.Keywords))
		for j, k := range s.Keywords {
			text := ""
			if len(k) <= MaxKeyword {
				text = stream(k)
			}
			if text == "" {
				return nil, fmt.Errorf("signal %s: %.40q: %w: use a word or phrase of up to 128 bytes", s.Name, k, ErrKeyword)
			}
			streams[i][j] = text
			if t.keywords[text] {
				continue
			}
			if len(t.keywords) == MaxKeywords || t.size+len(text) > maxStreams {
				return nil, fmt.Errorf("signal %s: %w: all skills together may have 200,000 keywords of 4 MB", s.Name, ErrTooMany)
			}
			t.keywords[text] = true
			t.size += len(text)
			texts = append(texts, text)
		}
	}
	if len(t.recipes)+len(c.Recipes) > MaxRecipes {
		return nil, fmt.Errorf("%d recipes: %w: all skills together may have 100,000", len(t.recipes)+len(c.Recipes), ErrTooMany)
	}
	for _, r := range c.Recipes {
		if err := checkRecipe(r); err != nil {
			return nil, err
		}
		ref := Ref{r.ID, r.Version}
		if t.recipes[ref] {
			return nil, fmt.Errorf("recipe %s %s: %w: give one of the two another version or id", r.ID, r.Version, ErrTwice)
		}
		t.recipes[ref] = true
		refs = append(refs, ref)
	}
	return streams, nil
}

// checkRecipe finds what is wrong with a recipe by itself.
func checkRecipe(r skill.Recipe) error {
	switch {
	case !named(r.ID):
		return fmt.Errorf("recipe %.40q: %w: use 1 to 128 small letters, digits and . _ -", r.ID, ErrName)
	case r.Version == "" || len(r.Version) > maxName:
		return fmt.Errorf("recipe %s: its version: %w: it needs one, as 1.0.0", r.ID, ErrName)
	case r.ID == Basic && len(r.Signals)+len(r.Types) > 0:
		return fmt.Errorf("recipe %s %s: %w: the last resort has to suit every answer; give it another id", r.ID, r.Version, ErrName)
	case r.ID != Basic && len(r.Signals) == 0:
		return fmt.Errorf("recipe %s %s: %w: say by which signals it is recognised", r.ID, r.Version, ErrMatchesAll)
	case max(len(r.Signals), len(r.Types), len(r.Surfaces)) > maxListed:
		return fmt.Errorf("recipe %s %s: %w: it may list 1,000 signals, types or surfaces", r.ID, r.Version, ErrTooMany)
	}
	for _, name := range slices.Concat(r.Signals, r.Types, r.Surfaces) {
		if !named(name) {
			return fmt.Errorf("recipe %s %s: %.40q: %w: use small letters, digits and . _ -", r.ID, r.Version, name, ErrName)
		}
	}
	return nil
}
