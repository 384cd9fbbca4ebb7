package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// goalPlanning is the time among 10,000 recipes or keywords, as a multiple of the
// time among 10.
const goalPlanning = 3.0

// planning measures how the number of recipes bears on a plan, and the number of
// keywords on the signals of an answer.
func planning(rounds int) error {
	answer, err := compile.Markdown(corpora()[1].sized(4 << 10))
	if err != nil {
		return err
	}
	fmt.Printf("\nplans among 10,000 recipes of 2 to 4 of 500 signals, 20 of which the answer has, and among 10\n")
	for _, c := range []struct {
		name      string
		d         *doc.Document
		many, few int // that match
		goal      bool
		what      string
	}{
		{"recipes alone", nil, 100, 10, true, "100 match, and 10"},
		{"with a 4 KB answer", answer, 100, 10, true, "100 match, and 10"},
		{"recipes alone", nil, 100, 1, true, "100 match, and 1"},
		{"recipes alone", nil, 0, 0, false, "none matches; those that come near are told"},
	} {
		ratio, small, err := planRatio(rounds, c.d, c.many, c.few)
		if err != nil {
			return err
		}
		fmt.Printf("  %-18s  %-44s  %v, x %.2f%s\n", c.name, c.what, small, ratio, goalOf(c.goal))
	}
	text := corpora()[2].sized(64 << 10)
	d, err := compile.Markdown(text)
	if err != nil {
		return err
	}
	few, many, err := keywordPlanners(text)
	if err != nil {
		return err
	}
	base, took := interleaved(4*rounds, 1,
		func() { few.Signals(plan.Facts{Document: d}) },
		func() { many.Signals(plan.Facts{Document: d}) })
	fmt.Printf("signals of a 64 KB answer by 10,000 keywords, half of them words of it, and by 10: %v, x %.2f%s\n",
		base, float64(took)/float64(base), goalOf(true))
	return nil
}

func goalOf(is bool) string {
	if is {
		return fmt.Sprintf(" (goal %.1f)", goalPlanning)
	}
	return ""
}

// planRatio is the time of a plan among 10,000 recipes by that among 10, and the
// latter. The first matching of each match.
func planRatio(rounds int, d *doc.Document, many, few int) (float64, time.Duration, error) {
	in := plan.Input{
		Document: d, Surface: "telegram", Renderer: plan.Renderer{ID: "telegram", Blocks: layout.Blocks()},
		Profile: surface.Profile{Surface: "telegram", Can: surface.Capabilities{Code: true, Links: true}},
		Signals: plan.SignalContext{Text: signalNames(0, 20)},
	}
	small, err := plan.New(plan.Config{Recipes: manyRecipes(10, few)})
	if err != nil {
		return 0, 0, err
	}
	large, err := plan.New(plan.Config{Recipes: manyRecipes(10_000, many)})
	if err != nil {
		return 0, 0, err
	}
	base, took := interleaved(8*rounds, 20, func() { small.Plan(in) }, func() { large.Plan(in) })
	return float64(took) / float64(base), base, nil
}

// interleaved is the lower quartile of the time of each of two, n times in a row: few
// enough that a busy machine lets most of them end undisturbed.
func interleaved(rounds, n int, a, b func()) (time.Duration, time.Duration) {
	var times [2][]time.Duration
	for range rounds {
		for i, f := range []func(){a, b} {
			start := time.Now()
			for range n {
				f()
			}
			times[i] = append(times[i], time.Since(start)/time.Duration(n))
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	return times[0][rounds/4], times[1][rounds/4]
}

func signalNames(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprint("signal", i))
	}
	return out
}

// manyRecipes are n recipes, of which the first so many match an answer that has
// the first 20 of 500 signals. The others name one at least that it has not.
func manyRecipes(n, matching int) []skill.Recipe {
	r := rand.New(rand.NewPCG(1, 2))
	present, absent, all := signalNames(0, 20), signalNames(20, 500), signalNames(0, 500)
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	out := make([]skill.Recipe, n)
	for i := range out {
		out[i] = skill.Recipe{ID: fmt.Sprint("recipe", i), Version: "1.0.0", Priority: r.IntN(10)}
		for range 2 + r.IntN(2) {
			if i < matching {
				out[i].Signals = append(out[i].Signals, pick(present))
			} else {
				out[i].Signals = append(out[i].Signals, pick(all))
			}
		}
		if i >= matching {
			out[i].Signals = append(out[i].Signals, pick(absent))
		}
	}
	return out
}

// keywordPlanners know 10 and 10,000 keywords: words and pairs of words of text, and
// as many that are made up.
func keywordPlanners(text string) (few, many *plan.Planner, err error) {
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[string]bool{}
	var keywords []string
	add := func(k string) {
		if k = strings.ToLower(k); !seen[k] {
			seen[k] = true
			keywords = append(keywords, k)
		}
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return c < 'A' || c > 'z' || 'Z' < c && c < 'a' })
	for i := 1; i < len(words) && len(keywords) < 5000; i++ {
		add(words[i])
		add(words[i-1] + " " + words[i])
	}
	for len(keywords) < 10_000 {
		b := make([]byte, 4+r.IntN(8))
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		add(string(b))
	}
	r.Shuffle(len(keywords), func(i, j int) { keywords[i], keywords[j] = keywords[j], keywords[i] })
	signals := make([]skill.Signal, 500)
	for i := range signals {
		signals[i] = skill.Signal{Name: fmt.Sprint("signal", i), Keywords: keywords[i*20 : i*20+20]}
	}
	if few, err = plan.New(plan.Config{Signals: []skill.Signal{{Name: "few", Keywords: keywords[:10]}}}); err != nil {
		return nil, nil, err
	}
	many, err = plan.New(plan.Config{Signals: signals})
	return few, many, err
}
