package catalog

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
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
	tally *plan.Tally          // of the recipes and signals, against the bounds of plans
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
		packs: map[string]bool{}, known: map[[2]string]string{}, tally: &plan.Tally{},
	}
	for _, s := range cards.Shapes() {
		c.tools[s.Tool] = slices.Clone(s.Types)
	}
	s := schemas{compiled: map[string]compilation{}}
	for _, p := range packs {
		if err := c.add(p, &s); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.names, cmp.Compare)
	return c, nil
}

func named(p *regexp.Regexp, s string) bool { return len(s) <= maxName && p.MatchString(s) }

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
