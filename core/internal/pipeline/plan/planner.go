package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/skill"
)

// Basic is the id of the recipe of last resort. It names no signal and no type, so
// it suits every answer, and it comes after all others.
const Basic = "answer.basic"

// Config is what a [Planner] goes by.
type Config struct {
	Recipes []skill.Recipe // of all skills; [Basic] is added where it is not among them
	Signals []skill.Signal // of all skills; those of one name add up
}

// The bounds of a [Config].
const (
	MaxRecipes  = 100_000
	MaxKeywords = 200_000 // of all signals
	maxStreams  = 4 << 20 // bytes of all of them, each of which may be a state of 25 bytes
	MaxKeyword  = 128     // bytes
	maxListed   = 1_000   // signals, types and surfaces of one recipe
)

// A Planner reads signals and plans. It is immutable and safe for concurrent use.
type Planner struct {
	names    names      // of signals
	words    *words     // the keywords
	keywords [][]uint32 // the signals of each
	byType   map[string][]uint32
	tools    toolbox

	recipes []recipe   // in the order in which they win
	basic   int        // the first of last resort
	types   names      // that recipes ask for
	first   [][]entry  // by signal, the recipes whose rarest one it is, in their order
	sizes   []uint16   // how many signals each of them names
	naming  [][]uint32 // by signal, the recipes that name it, in their order
}

// An entry of the index is a recipe and its second rarest signal, by which most of
// those that do not match are told without a look at them.
type entry struct{ recipe, second uint32 }

// A recipe is one of a planner. What has no signal beyond those that a planner
// knows of does not exist: [New] numbers those that recipes name, too.
type recipe struct {
	Ref
	signals  []uint32 // ascending by how many recipes name them
	types    []uint32
	surfaces []string
	priority int
}

// New checks c and makes a planner of it, which shares nothing with c that is
// changed later. Its error wraps one of this package and names what is at fault. A
// [Tally] tells of each skill on its own whether New takes it.
func New(c Config) (*Planner, error) {
	p := &Planner{byType: map[string][]uint32{}}
	for _, name := range given() {
		p.names.number(name)
	}
	streams, err := new(Tally).add(c)
	if err != nil {
		return nil, err
	}
	p.define(c.Signals, streams)
	p.register(c.Recipes)
	return p, nil
}

// define takes in what signals are read from, with the streams of their keywords.
func (p *Planner) define(signals []skill.Signal, streams [][]string) {
	var keywords []string
	number := map[string]int{}
	for i, s := range signals {
		id := p.names.number(s.Name)
		for _, text := range streams[i] {
			n, ok := number[text]
			if !ok {
				n = len(keywords)
				number[text] = n
				keywords = append(keywords, text)
				p.keywords = append(p.keywords, nil)
			}
			if !slices.Contains(p.keywords[n], id) {
				p.keywords[n] = append(p.keywords[n], id)
			}
		}
		for _, tool := range s.Tools {
			p.tools.add(tool, s.Name)
		}
		for _, name := range s.Types {
			p.byType[name] = append(p.byType[name], id)
		}
	}
	p.words = newWords(keywords)
}

// register takes in recipes, and puts them in the order in which they win.
func (p *Planner) register(recipes []skill.Recipe) {
	basic := false
	for _, r := range recipes {
		basic = basic || r.ID == Basic && len(r.Surfaces) == 0
		p.recipes = append(p.recipes, p.compile(r))
	}
	if !basic {
		p.recipes = append(p.recipes, p.compile(skill.Recipe{ID: Basic, Version: "0"}))
	}
	slices.SortFunc(p.recipes, order)
	p.basic = slices.IndexFunc(p.recipes, func(r recipe) bool { return len(r.signals) == 0 })
	p.index()
}

func (p *Planner) compile(r skill.Recipe) recipe {
	c := recipe{Ref: Ref{r.ID, r.Version}, surfaces: slices.Clone(r.Surfaces), priority: r.Priority}
	for _, s := range sorted(slices.Clone(r.Signals)) {
		c.signals = append(c.signals, p.names.number(s))
	}
	for _, t := range sorted(slices.Clone(r.Types)) {
		c.types = append(c.types, p.types.number(t))
	}
	return c
}

// order puts first what wins where both match. Since a recipe matches with all of
// its signals and types or not at all, the order does not depend on the answer.
func order(a, b recipe) int {
	return cmp.Or(
		cmp.Compare(len(b.signals), len(a.signals)),
		cmp.Compare(len(b.types), len(a.types)),
		cmp.Compare(b.priority, a.priority),
		strings.Compare(a.ID, b.ID),
		strings.Compare(a.Version, b.Version),
	)
}

// index notes for every signal which recipes name it, and by its rarest signal
// where a recipe is looked for.
func (p *Planner) index() {
	p.naming = make([][]uint32, len(p.names.of))
	p.first = make([][]entry, len(p.names.of))
	p.sizes = make([]uint16, len(p.recipes))
	for i := range p.recipes {
		p.sizes[i] = uint16(len(p.recipes[i].signals))
		for _, s := range p.recipes[i].signals {
			p.naming[s] = append(p.naming[s], uint32(i))
		}
	}
	for i := range p.recipes {
		r := &p.recipes[i]
		slices.SortFunc(r.signals, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(len(p.naming[a]), len(p.naming[b])), cmp.Compare(a, b))
		})
		if len(r.signals) > 0 {
			p.first[r.signals[0]] = append(p.first[r.signals[0]], entry{uint32(i), r.signals[min(1, len(r.signals)-1)]})
		}
	}
}

// Emits lists the signals that something gives: text, structure, cards, tools or
// provenance. What tools declare on their own comes on top. The caller owns it.
func (p *Planner) Emits() []string {
	out := given()
	for _, ids := range p.keywords {
		out = p.append(out, ids)
	}
	for _, ids := range p.byType {
		out = p.append(out, ids)
	}
	for _, signals := range p.tools.exact {
		out = append(out, signals...)
	}
	for _, w := range p.tools.wild {
		out = append(out, w.signal)
	}
	return sorted(out)
}

func (p *Planner) append(out []string, ids []uint32) []string {
	for _, id := range ids {
		out = append(out, p.names.of[id])
	}
	return out
}

// Idle lists the recipes that name a signal that nothing gives, with these signals:
// a fault of who wrote them. A signal that a tool declares, or of a surface, may
// still come. In ascending order of id and version.
func (p *Planner) Idle() []Candidate {
	emits := p.names.in(p.Emits())
	var out []Candidate
	for i := range p.recipes {
		r := &p.recipes[i]
		c := Candidate{Recipe: r.Ref}
		for _, s := range r.signals {
			if !emits.has(s) && !strings.HasPrefix(p.names.of[s], surfaceGroup) {
				c.Missing = append(c.Missing, p.names.of[s])
			}
		}
		if c.Missing != nil {
			slices.Sort(c.Missing)
			c.Reason = "nothing gives " + plural("signal", c.Missing)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int { return compareRefs(a.Recipe, b.Recipe) })
	return out
}
