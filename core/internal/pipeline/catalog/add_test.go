package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// aPack is a pack of few names, so that many of them get into each other's way. One
// in four may have anything wrong by itself.
func aPack(t *rapid.T) skill.Pack {
	wrong := rapid.IntRange(0, 3).Draw(t, "wrong") == 0
	oneOf := func(label string, good []string, bad ...string) string {
		if wrong {
			good = append(slices.Clip(good), bad...)
		}
		return rapid.SampledFrom(good).Draw(t, label)
	}
	p := skill.Pack{ID: oneOf("id", []string{"p", "q", "r.s", "t", "u", "v", "w"}, "core", "P"), Version: oneOf("version", []string{"1", "2"}, "")}
	for range rapid.IntRange(0, 2).Draw(t, "types") {
		typ := skill.Type{Name: oneOf("type", []string{"a", "b.c", "d", "e", "f", "g", "h"}, "metric", "B"), Lower: lowerText}
		typ.Schema = json.RawMessage(oneOf("schema", []string{anObject, `{"type":"object"}`}, `{"type":7}`, `{"type":"object","$ref":"https://example.com"}`))
		if oneOf("lowers", []string{"yes"}, "no") == "no" {
			typ.Lower = nil
		}
		p.Types = append(p.Types, typ)
	}
	for range rapid.IntRange(0, 2).Draw(t, "recipes") {
		p.Recipes = append(p.Recipes, skill.Recipe{
			ID: oneOf("recipe", []string{"a", "b.c", "d"}, "A"), Version: oneOf("version", []string{"1", "2", "3"}, ""),
			Signals: []string{oneOf("of", []string{"s", "t"}, "t t")},
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "signals") {
		p.Signals = append(p.Signals, skill.Signal{
			Name:     oneOf("signal", []string{"s", "t", "u"}, "S"),
			Keywords: []string{oneOf("keyword", []string{"one", "One", "two", "three four"}, "—")},
		})
	}
	return p
}

// looks is everything that can be seen of a catalog, without what cannot be compared.
func looks(c *Catalog) []any {
	types := c.Types()
	for i := range types {
		types[i].Lower, types[i].Check = nil, nil
	}
	return []any{types, c.Recipes(), c.Signals(), c.Tools(), c.packs, c.known, *c.tally}
}

// TestWithEach holds the addition of many packs to the additions of one after the
// other, which in turn are made with New, of those alone that were taken.
func TestWithEach(t *testing.T) {
	base, err := New(pack("core", anObject, "metric"))
	if err != nil {
		t.Fatal(err)
	}
	before := looks(base)
	taken, refused := 0, map[Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		packs := rapid.SliceOfN(rapid.Custom(aPack), 0, 8).Draw(t, "packs")
		all, errs := base.WithEach(packs)
		good := []skill.Pack{pack("core", anObject, "metric")}
		fold := base
		for i, p := range packs {
			next, err := New(append(slices.Clone(good), p)...)
			if fmt.Sprint(err) != fmt.Sprint(errs[i]) {
				t.Fatalf("pack %d %q: %v, by itself %v", i, p.ID, errs[i], err)
			}
			if e, ok := errors.AsType[*Error](errs[i]); ok {
				refused[e.Kind]++
				continue
			}
			taken++
			good, fold = append(good, p), next
		}
		if !reflect.DeepEqual(looks(all), looks(fold)) {
			t.Fatalf("all at once: %v\none by one: %v", looks(all)[1:], looks(fold)[1:])
		}
		for _, e := range all.Types()[:min(3, len(all.Types()))] {
			if all.types[e.Name].schema == nil {
				t.Fatalf("%s has no schema", e.Name)
			}
		}
		if _, err := plan.New(plan.Config{Recipes: all.Recipes(), Signals: all.Signals()}); err != nil {
			t.Fatalf("no plan can be made with what was taken: %v", err)
		}
	})
	if !reflect.DeepEqual(looks(base), before) {
		t.Error("the catalog that packs were added to has changed")
	}
	if taken == 0 || refused[ErrOwned] == 0 || refused[ErrTwice] == 0 || len(refused) < 4 {
		t.Errorf("%d packs were taken, and refused %v", taken, refused)
	}
}

// TestWithEachIsWhole gives a catalog packs that fail at their very end, and then
// others that have what those held.
func TestWithEachIsWhole(t *testing.T) {
	keyword := func(k ...string) []skill.Signal { return []skill.Signal{{Name: "s", Keywords: k}} }
	whole := func(id string) skill.Pack {
		p := pack(id, anObject, "x", "y")
		p.Recipes = []skill.Recipe{{ID: "r", Version: "1", Signals: []string{"s"}}}
		p.Signals = keyword("one", "two")
		return p
	}
	for _, bad := range []func(*skill.Pack){
		func(p *skill.Pack) { p.Types[1].Schema = json.RawMessage(`{}`) },
		func(p *skill.Pack) { p.Types[1].Lower = nil },
		func(p *skill.Pack) { p.Recipes = append(p.Recipes, p.Recipes[0]) },
		func(p *skill.Pack) { p.Recipes = append(p.Recipes, skill.Recipe{ID: "all", Version: "1"}) },
		func(p *skill.Pack) { p.Signals = append(p.Signals, skill.Signal{Name: "S"}) },
		func(p *skill.Pack) { p.Signals = keyword("one", "two", " ") },
	} {
		first := whole("p")
		bad(&first)
		c, errs := newCore(t).WithEach([]skill.Pack{first, whole("p"), whole("q")})
		if errs[0] == nil || errs[1] != nil || !errors.Is(errs[2], ErrOwned) {
			t.Errorf("%v", errs)
		}
		if e, _ := c.Type("x"); e.Skill != "p" {
			t.Errorf("the type is of %q", e.Skill)
		}
		if want := newCore(t, whole("p")); !maps.Equal(c.packs, want.packs) || !reflect.DeepEqual(c.tally, want.tally) {
			t.Errorf("something of the pack that was refused has stayed: %v", errs[0])
		}
	}
}

// TestSharedBounds finds the pack that is one too many for all of them together.
func TestSharedBounds(t *testing.T) {
	words := func(id string, from, n int) skill.Pack {
		p := skill.Pack{ID: id, Version: "1", Signals: []skill.Signal{{Name: "s"}}}
		for i := range n {
			p.Signals[0].Keywords = append(p.Signals[0].Keywords, fmt.Sprintf("w%d", from+i))
		}
		return p
	}
	const half = plan.MaxKeywords / 2
	empty, err := New()
	if err != nil {
		t.Fatal(err)
	}
	c, errs := empty.WithEach([]skill.Pack{
		words("p", 0, half), words("q", half, half+1), words("again", 0, half), words("r", half, half), words("s", 2*half, 1), words("t", 0, 1),
	})
	for i, want := range []error{nil, plan.ErrTooMany, nil, nil, plan.ErrTooMany, nil} {
		if !errors.Is(errs[i], want) || want != nil && !errors.Is(errs[i], ErrRecipe) {
			t.Errorf("pack %d: %v, want %v", i, errs[i], want)
		}
	}
	if _, err := plan.New(plan.Config{Recipes: c.Recipes(), Signals: c.Signals()}); err != nil {
		t.Error(err)
	}
}

// TestSchemasAgain takes over the schemas of the catalog before, where the type has
// the same one still.
func TestSchemasAgain(t *testing.T) {
	base := newCore(t)
	other := `{"type":"object","required":["m"]}`
	old, _ := base.WithEach([]skill.Pack{pack("p", anObject, "x", "y")})
	c, errs := base.WithEach([]skill.Pack{pack("q", anObject, "x"), pack("r", other, "y")}, old)
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	if c.types["x"].schema != old.types["x"].schema || c.types["x"].Skill != "q" {
		t.Error("the schema of x was compiled anew, or x is not of q")
	}
	if c.types["y"].schema == old.types["y"].schema {
		t.Error("y has the schema of before")
	}
	if _, err := c.Open([]byte(`{"semantic_type":"y","payload":{}}`)); err == nil {
		t.Error("the new schema of y does not hold")
	}
}

// manyPacks are n, each with two types, recipes and signals of its own.
func manyPacks(n int) []skill.Pack {
	out := make([]skill.Pack, n)
	for i := range out {
		p := skill.Pack{ID: fmt.Sprintf("pack-%d", i), Version: "1"}
		for k := range 2 {
			name := fmt.Sprintf("of%d.n%d", i, k)
			p.Types = append(p.Types, skill.Type{Name: name, Lower: lowerText, Schema: fmt.Appendf(nil,
				`{"type":"object","additionalProperties":false,"required":["rows"],"$defs":{"cell":{"type":["string","number","null"]}},"properties":{"title":{"type":"string","maxLength":%d},"rows":{"type":"array","maxItems":1000,"items":{"type":"object","properties":{"a":{"$ref":"#/$defs/cell"},"c":{"enum":["x","y","z"]},"d":{"type":"string","pattern":"^[a-z]+$"}}}}}}`, i*2+k+1)})
			p.Recipes = append(p.Recipes, skill.Recipe{ID: name, Version: "1", Signals: []string{name, "table_data"}, Types: []string{name}})
			p.Signals = append(p.Signals, skill.Signal{Name: name, Keywords: []string{fmt.Sprintf("word%d", i), fmt.Sprintf("a phrase %d of %d", i, k)}, Types: []string{name}})
		}
		out[i] = p
	}
	return out
}

// BenchmarkWithEach adds packs and makes their planner, as is done for an epoch.
func BenchmarkWithEach(b *testing.B) {
	base := newCore(b)
	for _, n := range []int{100, 1000} {
		packs := manyPacks(n)
		known, _ := base.WithEach(packs)
		for _, again := range []bool{false, true} {
			var before []*Catalog
			name := fmt.Sprintf("packs=%d", n)
			if again {
				before, name = []*Catalog{known}, name+"/again"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c, errs := base.WithEach(packs, before...)
					if err := errors.Join(errs...); err != nil {
						b.Fatal(err)
					}
					if _, err := plan.New(plan.Config{Recipes: c.Recipes(), Signals: c.Signals()}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestWithEachIsLinear counts the bytes that ten times as many packs take, where no
// schema has to be compiled: copying anything for every pack would be seen.
func TestWithEachIsLinear(t *testing.T) {
	base := newCore(t)
	bytes := func(n int) uint64 {
		packs := manyPacks(n)
		known, _ := base.WithEach(packs)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, errs := base.WithEach(packs, known)
		if _, err := plan.New(plan.Config{Recipes: c.Recipes(), Signals: c.Signals()}); err != nil || errors.Join(errs...) != nil {
			t.Fatal(err, errs)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := bytes(100), bytes(1000); many > 13*few {
		t.Errorf("100 packs take %d bytes, 1,000 packs %d", few, many)
	}
}
