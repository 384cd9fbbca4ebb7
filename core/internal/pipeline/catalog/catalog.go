package catalog

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// The bounds of a catalog.
const (
	MaxTypes   = 10_000
	MaxRecipes = 20_000
	MaxSignals = 20_000
	maxSchema  = 256 << 10 // bytes
	maxName    = 100       // bytes
)

// A Catalog is the types, recipes and signals of all skills.
type Catalog struct {
	types   map[string]*owned
	names   []string // of the types, sorted
	tools   map[string][]string
	recipes []skill.Recipe
	signals []skill.Signal

	packs map[string]bool      // by id
	known map[[2]string]string // id and version of recipes: the pack that each is of
}

// An Entry is a type with its owner.
type Entry struct {
	skill.Type
	Skill        string // id of the pack
	SkillVersion string
}

// owned is an entry with its schema, compiled.
type owned struct {
	Entry
	schema *schema
}

var (
	dotted = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)
	packID = regexp.MustCompile(`^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$`)
)

// New makes a catalog of packs, compiling every schema. Its error is an *[Error]
// about the first thing that is wrong.
func New(packs ...skill.Pack) (*Catalog, error) {
	c := &Catalog{
		types: map[string]*owned{}, tools: map[string][]string{},
		packs: map[string]bool{}, known: map[[2]string]string{},
	}
	for _, s := range cards.Shapes() {
		c.tools[s.Tool] = slices.Clone(s.Types)
	}
	compiled := map[string]*schema{}
	for _, p := range packs {
		if err := c.add(p, compiled); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.names, cmp.Compare)
	return c, nil
}

// With is c and one more pack, without compiling anew what c has. Its error is an
// *[Error]; c is what it was either way.
func (c *Catalog) With(p skill.Pack) (*Catalog, error) {
	out := &Catalog{
		types: maps.Clone(c.types), names: slices.Clone(c.names), tools: c.tools,
		recipes: slices.Clone(c.recipes), signals: slices.Clone(c.signals),
		packs: maps.Clone(c.packs), known: maps.Clone(c.known),
	}
	if err := out.add(p, map[string]*schema{}); err != nil {
		return nil, err
	}
	slices.SortFunc(out.names, cmp.Compare)
	return out, nil
}

// add takes in a pack. Where it fails, c is of no use.
func (c *Catalog) add(p skill.Pack, compiled map[string]*schema) error {
	switch {
	case !named(packID, p.ID):
		return &Error{ErrName, p.ID, "", "an id is small letters, digits, _ and - in parts joined by dots, 100 at most"}
	case c.packs[p.ID]:
		return &Error{ErrOwned, p.ID, "", "another pack has this id; give one of them another"}
	case p.Version == "":
		return &Error{ErrIncomplete, p.ID, "", "give it a version"}
	}
	c.packs[p.ID] = true
	for _, t := range p.Types {
		if err := c.addType(p, t, compiled); err != nil {
			return err
		}
	}
	for _, r := range p.Recipes {
		key := [2]string{r.ID, r.Version}
		first, twice := c.known[key]
		switch {
		case !named(dotted, r.ID):
			return &Error{ErrName, p.ID, r.ID, wantName}
		case twice:
			return &Error{ErrTwice, p.ID, r.ID, "the recipe has the version " + strconv.Quote(r.Version) + " in the skill " + strconv.Quote(first) + " already; give it another version or id"}
		case len(c.recipes) == MaxRecipes:
			return &Error{ErrTooMany, p.ID, r.ID, "a catalog holds 20,000 recipes"}
		}
		c.known[key] = p.ID
		c.recipes = append(c.recipes, r)
	}
	for _, s := range p.Signals {
		switch {
		case !named(dotted, s.Name):
			return &Error{ErrName, p.ID, s.Name, wantName}
		case len(c.signals) == MaxSignals:
			return &Error{ErrTooMany, p.ID, s.Name, "a catalog holds 20,000 signals"}
		}
		c.signals = append(c.signals, s)
	}
	return nil
}

const wantName = "a name is small letters, digits and _ in parts joined by dots, 100 at most"

func named(p *regexp.Regexp, s string) bool { return len(s) <= maxName && p.MatchString(s) }

func (c *Catalog) addType(p skill.Pack, t skill.Type, compiled map[string]*schema) error {
	if other, ok := c.types[t.Name]; ok {
		return &Error{ErrOwned, p.ID, t.Name, "the type belongs to the skill " + strconv.Quote(other.Skill) + "; a type has one owner"}
	}
	switch {
	case !named(dotted, t.Name):
		return &Error{ErrName, p.ID, t.Name, wantName}
	case t.Lower == nil:
		return &Error{ErrIncomplete, p.ID, t.Name, "give the type a function that lowers it"}
	case len(c.types) == MaxTypes:
		return &Error{ErrTooMany, p.ID, t.Name, "a catalog holds 10,000 types"}
	}
	s, ok := compiled[string(t.Schema)] // types often share one
	if !ok {
		var why string
		if s, why = compile(t.Schema); why != "" {
			return &Error{ErrSchema, p.ID, t.Name, why}
		}
		compiled[string(t.Schema)] = s
	}
	c.types[t.Name] = &owned{Entry{t, p.ID, p.Version}, s}
	c.names = append(c.names, t.Name)
	return nil
}

// Types lists all types by name. The caller owns the slice.
func (c *Catalog) Types() []Entry {
	out := make([]Entry, len(c.names))
	for i, n := range c.names {
		out[i] = c.types[n].Entry
	}
	return out
}

// Type is the type of a name, if a skill owns it.
func (c *Catalog) Type(name string) (Entry, bool) {
	t, ok := c.types[name]
	if !ok {
		return Entry{}, false
	}
	return t.Entry, true
}

// Recipes lists all recipes in the order of the packs. The caller owns the slice.
func (c *Catalog) Recipes() []skill.Recipe { return slices.Clone(c.recipes) }

// Signals lists all signals in the order of the packs. The caller owns the slice.
func (c *Catalog) Signals() []skill.Signal { return slices.Clone(c.signals) }
