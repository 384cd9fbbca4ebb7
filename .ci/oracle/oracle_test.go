package oracle

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What the oracles hold vak to.
const (
	mostNotes = 0.02 // share of nodes in READMEs that may be shown in a lesser form
	generated = 400  // documents made up; 60 with -short
	mostShown = 25   // failing documents that are printed, a corpus and surface
)

type collection struct {
	name string
	docs func() ([]Document, error)
}

func corpora() []collection {
	count := generated
	if testing.Short() {
		count = 60
	}
	return []collection{
		{"cases", Cases},
		{"commonmark", CommonMark},
		{"gfm", Extensions},
		{"readmes", Readmes},
		{"generated", func() ([]Document, error) { return Generated(count), nil }},
	}
}

func TestOracles(t *testing.T) {
	all := parsers(t)
	if _, err := os.Stat(filepath.Join(build, "vak")); err != nil {
		unavailable(t, fmt.Errorf("%w: run make build first", err))
	}
	know, err := supports()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range corpora() {
		t.Run(c.name, func(t *testing.T) {
			docs, err := c.docs()
			if errors.Is(err, ErrUnavailable) {
				unavailable(t, err)
			} else if err != nil {
				t.Fatal(err)
			}
			corpus(t, docs, all, know, c.name == "readmes", leeway[c.name])
		})
	}
}

// leeway is the share of documents of a corpus in which a fault is only told.
// The generated documents hold what nobody writes: styles that open within words
// next to code that looks like markup, in lists in quotes. There the parsers
// disagree with the clients that they stand for, and a table's end is not always
// found again. A rendering by core/plain is never passed over.
var leeway = map[string]float64{"generated": 0.04}

// corpus judges docs on every surface.
func corpus(t *testing.T, docs []Document, all map[string]Parser, know map[string]doc.Support, bounded bool, leeway float64) {
	began := time.Now()
	packets, refused, err := Preview(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	rendered := time.Since(began)
	for _, d := range docs {
		if why, ok := refused[d.ID]; ok {
			t.Errorf("%s refused: %s", d.ID, why)
		}
	}
	verdicts := map[string][]Verdict{}
	for _, on := range surfaces {
		t.Run(on, func(t *testing.T) {
			vs := judgeAll(docs, packets, on, all[on], know[on])
			verdicts[on] = vs
			report(t, docs, vs, all[on], know[on], bounded, leeway)
		})
	}
	t.Run("same_answer", func(t *testing.T) { same(t, docs, verdicts, leeway) })
	t.Logf("%d documents rendered on %d surfaces in %v, judged in %v",
		len(docs), len(surfaces), rendered.Round(time.Millisecond), (time.Since(began) - rendered).Round(time.Millisecond))
}

func judgeAll(docs []Document, packets map[string]map[string]*packet.Packet, on string, parser Parser, know doc.Support) []Verdict {
	var vs []Verdict
	for _, d := range docs {
		p := packets[d.ID][on]
		if p == nil {
			vs = append(vs, Verdict{ID: d.ID, Surface: on, Faults: []string{"no packet"}})
			continue
		}
		compiled, err := compile.Markdown(d.Markdown)
		if err != nil {
			vs = append(vs, Verdict{ID: d.ID, Surface: on, Faults: []string{err.Error()}})
			continue
		}
		lowered := doc.Lower(compiled, know)
		if HoldsCard(p) {
			lowered = nil
		}
		vs = append(vs, Judge(d.ID, lowered, p, parser))
	}
	return vs
}

// report prints what was judged and fails for every fault.
func report(t *testing.T, docs []Document, vs []Verdict, parser Parser, know doc.Support, bounded bool, leeway float64) {
	chunks, plain := 0, 0
	nodes, bad, excused, reasons := map[string]int{}, map[string]int{}, 0, map[string]int{}
	var failing []int
	for i := range vs {
		v := &vs[i]
		chunks += v.Chunks
		add(nodes, v.Nodes)
		add(bad, v.Bad)
		add(reasons, v.Excused)
		if plainly(*v) {
			plain++
		}
		if !v.OK() {
			failing = append(failing, i)
		}
	}
	for _, n := range reasons {
		excused += n
	}
	total := sum(nodes)
	notes := 0.0
	if total > 0 {
		notes = float64(excused) / float64(total)
	}

	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\ndocuments\tfailing\tchunks\tplain\tnodes\tunstyled\tnoted\t\n")
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d (%.2f %%)\t\n\nnode\tall\tunstyled\t\n", len(vs), len(failing), chunks, plain, total, sum(bad), excused, 100*notes)
	for _, k := range slices.Sorted(maps.Keys(nodes)) {
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", k, nodes[k], bad[k])
	}
	for _, k := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(w, "noted %s\t%d\t\t\n", k, reasons[k])
	}
	w.Flush()
	t.Log(b.String())

	if bounded && notes > mostNotes {
		t.Errorf("%.2f %% of nodes are shown in a lesser form, at most %.0f %% may be", 100*notes, 100*mostNotes)
	}
	if plain > 0 {
		t.Errorf("%d documents were rendered by core/plain", plain)
	}
	if len(failing) == 0 {
		return
	}
	complain := t.Errorf
	if float64(len(failing)) <= leeway*float64(len(vs)) {
		complain = t.Logf
	}
	small := shrink(t, docs, failing[:min(len(failing), mostShown)], parser, know, vs[0].Surface)
	for n, i := range failing {
		if n == mostShown {
			complain("and %d documents more", len(failing)-n)
			break
		}
		s, ok := small[i]
		if !ok {
			s = smaller{docs[i], vs[i]}
		}
		faults := s.verdict.Faults
		complain("%s:\n\t%s\n\tfor %q", vs[i].ID, strings.Join(faults[:min(len(faults), 6)], "\n\t"), clip(s.Markdown, 600))
	}
}

// plainly reports whether core rendered the document itself, which is a fault of
// its own and leaves nothing to judge.
func plainly(v Verdict) bool {
	return slices.ContainsFunc(v.Faults, func(f string) bool { return strings.HasPrefix(f, "rendered by core/plain") })
}

func add(to, from map[string]int) {
	for k, n := range from {
		to[k] += n
	}
}

func sum(m map[string]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

// same compares what the surfaces show of one document, less markup, decoration
// and addresses.
func same(t *testing.T, docs []Document, verdicts map[string][]Verdict, leeway float64) {
	differing, differences := 0, []string(nil)
	for i, d := range docs {
		one := verdicts[surfaces[0]]
		if i >= len(one) {
			return // a surface was left out by -run
		}
		for _, on := range surfaces[1:] {
			other := verdicts[on]
			if i >= len(other) || one[i].Letters == other[i].Letters || plainly(one[i]) || plainly(other[i]) {
				continue
			}
			if differing++; differing > mostShown {
				continue
			}
			a, b := apart(one[i].Letters, other[i].Letters)
			differences = append(differences, fmt.Sprintf("%s: %s shows %q where %s shows %q", d.ID, surfaces[0], a, on, b))
		}
	}
	complain := t.Errorf
	if float64(differing) <= leeway*float64(len(docs)*(len(surfaces)-1)) {
		complain = t.Logf
	}
	for _, d := range differences {
		complain("%s", d)
	}
	if differing > mostShown {
		complain("and %d differences more", differing-mostShown)
	}
}

// apart returns what a and b hold where they begin to differ.
func apart(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	from := max(0, i-10)
	return clip(string(x[from:]), 60), clip(string(y[from:]), 60)
}
