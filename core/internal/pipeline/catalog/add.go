package catalog

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// WithEach is c and, one after the other, those of packs that can be taken. errs has
// one for each: an *[Error] that says why the pack is not part of it, nil where it
// is. Of a pack that is refused nothing is taken in; what comes twice belongs to the
// pack that came first. c stays what it was.
//
// A pack is refused for its recipes and signals, too, where plan.New would refuse
// them, alone or together with those before: plan.New takes all that the new catalog
// lists. So who needs a planner makes one, of the Recipes and Signals of the result,
// which then cannot fail.
//
// The work is linear in the size of c and of packs. Most of it is compiling schemas,
// a third of a millisecond for one of some size. Each text is compiled once; where
// one of the catalogs before has a type with the same schema, that is used.
func (c *Catalog) WithEach(packs []skill.Pack, before ...*Catalog) (out *Catalog, errs []error) {
	out = &Catalog{
		types: maps.Clone(c.types), names: slices.Clone(c.names), tools: c.tools,
		recipes: slices.Clone(c.recipes), signals: slices.Clone(c.signals),
		packs: maps.Clone(c.packs), known: maps.Clone(c.known), tally: c.tally.Clone(),
	}
	s := schemas{before: before, compiled: map[string]compilation{}}
	errs = make([]error, len(packs))
	for i, p := range packs {
		if err := out.add(p, &s); err != nil {
			errs[i] = err
		}
	}
	slices.SortFunc(out.names, cmp.Compare)
	return out, errs
}

// schemas are those that are there already, to be used again.
type schemas struct {
	before   []*Catalog
	compiled map[string]compilation // by text: types often share one
}

// A compilation is what became of a schema: why says what is wrong with it.
type compilation struct {
	schema *schema
	why    string
}

// of is the schema of a type.
func (s *schemas) of(t skill.Type) (*schema, string) {
	if c, ok := s.compiled[string(t.Schema)]; ok {
		return c.schema, c.why
	}
	var c compilation
	for _, b := range s.before {
		if old := b.types[t.Name]; old != nil && bytes.Equal(old.Schema, t.Schema) {
			c.schema = old.schema
		}
	}
	if c.schema == nil {
		c.schema, c.why = compile(t.Schema)
	}
	s.compiled[string(t.Schema)] = c
	return c.schema, c.why
}

// add takes in a pack, or nothing of it. It looks at everything first, and changes c
// only when nothing can fail any more.
func (c *Catalog) add(p skill.Pack, s *schemas) *Error {
	switch {
	case !named(packID, p.ID):
		return refuse(ErrName, p.ID, "", "an id is small letters, digits, _ and - in parts joined by dots, 100 at most")
	case c.packs[p.ID]:
		return refuse(ErrOwned, p.ID, "", "another pack has this id; give one of them another")
	case p.Version == "":
		return refuse(ErrIncomplete, p.ID, "", "give it a version")
	}
	types, err := c.checkTypes(p, s)
	if err != nil {
		return err
	}
	if err := c.checkRecipes(p); err != nil {
		return err
	}
	if err := c.checkSignals(p); err != nil {
		return err
	}
	if err := c.tally.Add(plan.Config{Recipes: p.Recipes, Signals: p.Signals}); err != nil {
		return &Error{Kind: ErrRecipe, Pack: p.ID, Mend: err.Error(), Err: err}
	}

	c.packs[p.ID] = true
	for _, t := range types {
		c.types[t.Name] = t
		c.names = append(c.names, t.Name)
	}
	for _, r := range p.Recipes {
		c.known[[2]string{r.ID, r.Version}] = p.ID
	}
	c.recipes = append(c.recipes, p.Recipes...)
	c.signals = append(c.signals, p.Signals...)
	return nil
}

const wantName = "a name is small letters, digits and _ in parts joined by dots, 100 at most"

// checkTypes makes what is kept of the types of p.
func (c *Catalog) checkTypes(p skill.Pack, s *schemas) ([]*owned, *Error) {
	taken := make([]*owned, 0, len(p.Types))
	mine := make(map[string]bool, len(p.Types))
	for _, t := range p.Types {
		owner := ""
		if other, ok := c.types[t.Name]; ok {
			owner = other.Skill
		} else if mine[t.Name] {
			owner = p.ID
		}
		switch {
		case owner != "":
			return nil, refuse(ErrOwned, p.ID, t.Name, "the type belongs to the skill "+strconv.Quote(owner)+"; a type has one owner")
		case !named(dotted, t.Name):
			return nil, refuse(ErrName, p.ID, t.Name, wantName)
		case t.Lower == nil:
			return nil, refuse(ErrIncomplete, p.ID, t.Name, "give the type a function that lowers it")
		case len(c.types)+len(taken) == MaxTypes:
			return nil, refuse(ErrTooMany, p.ID, t.Name, "a catalog holds 10,000 types")
		}
		compiled, why := s.of(t)
		if why != "" {
			return nil, refuse(ErrSchema, p.ID, t.Name, why)
		}
		mine[t.Name] = true
		taken = append(taken, &owned{Entry{t, p.ID, p.Version}, compiled})
	}
	return taken, nil
}

func (c *Catalog) checkRecipes(p skill.Pack) *Error {
	mine := make(map[[2]string]bool, len(p.Recipes))
	for i, r := range p.Recipes {
		key := [2]string{r.ID, r.Version}
		first, twice := c.known[key]
		if mine[key] {
			first, twice = p.ID, true
		}
		switch {
		case !named(dotted, r.ID):
			return refuse(ErrName, p.ID, r.ID, wantName)
		case twice:
			return refuse(ErrTwice, p.ID, r.ID, "the recipe has the version "+strconv.Quote(r.Version)+" in the skill "+strconv.Quote(first)+" already; give it another version or id")
		case len(c.recipes)+i == MaxRecipes:
			return refuse(ErrTooMany, p.ID, r.ID, "a catalog holds 20,000 recipes")
		}
		mine[key] = true
	}
	return nil
}

func (c *Catalog) checkSignals(p skill.Pack) *Error {
	for i, s := range p.Signals {
		switch {
		case !named(dotted, s.Name):
			return refuse(ErrName, p.ID, s.Name, wantName)
		case len(c.signals)+i == MaxSignals:
			return refuse(ErrTooMany, p.ID, s.Name, "a catalog holds 20,000 signals")
		}
	}
	return nil
}
