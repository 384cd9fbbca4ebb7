package plan_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// TestTally holds what a tally says of skills to what New says of all of them.
func TestTally(t *testing.T) {
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var tally plan.Tally
		var all plan.Config
		for i := range rapid.IntRange(0, 6).Draw(t, "skills") {
			var c plan.Config
			for range rapid.IntRange(0, 3).Draw(t, "recipes") {
				c.Recipes = append(c.Recipes, skill.Recipe{
					ID:      rapid.SampledFrom([]string{"a", "b", "c", "d", plan.Basic, "A"}).Draw(t, "id"),
					Version: rapid.SampledFrom([]string{"1", "2", "3", ""}).Draw(t, "version"),
					Signals: rapid.SliceOfN(rapid.SampledFrom([]string{"s", "t", "u u"}), 0, 2).Draw(t, "signals"),
				})
			}
			for range rapid.IntRange(0, 2).Draw(t, "signals") {
				c.Signals = append(c.Signals, skill.Signal{Name: "s", Keywords: rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "b", "-"}), 0, 2).Draw(t, "keywords")})
			}
			both := plan.Config{Recipes: append(all.Recipes[:len(all.Recipes):len(all.Recipes)], c.Recipes...), Signals: append(all.Signals[:len(all.Signals):len(all.Signals)], c.Signals...)}
			_, want := plan.New(both)
			if err := tally.Clone().Add(c); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Fatalf("skill %d: a clone says %v, New %v", i, err, want)
			}
			if err := tally.Add(c); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Fatalf("skill %d: %v, New %v", i, err, want)
			}
			_, alone := plan.New(c)
			if err := plan.Check(c); fmt.Sprint(err) != fmt.Sprint(alone) {
				t.Fatalf("skill %d by itself: %v, New %v", i, err, alone)
			}
			if want != nil {
				refused++
				continue
			}
			taken++
			all = both
		}
	})
	if taken == 0 || refused == 0 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}

// TestTallyBounds fills a tally, and refuses what is too much without a trace of it.
func TestTallyBounds(t *testing.T) {
	long := longKeywords(32_000) // 130 bytes each, as they are looked for
	var tally plan.Tally
	with := func(k ...string) plan.Config {
		return plan.Config{Signals: []skill.Signal{{Name: "s", Keywords: k}}}
	}
	for _, c := range []struct {
		keywords []string
		want     error
	}{
		{long[:16_000], nil},
		{append(long[16_000:], longKeywords(33_000)[32_000:]...), plan.ErrTooMany},
		{long[16_000:], nil},
		{longKeywords(33_000)[32_000:], plan.ErrTooMany},
		{long, nil},
		{[]string{"short"}, nil},
	} {
		if err := tally.Add(with(c.keywords...)); !errors.Is(err, c.want) {
			t.Errorf("%d keywords: %v, want %v", len(c.keywords), err, c.want)
		}
	}
}
