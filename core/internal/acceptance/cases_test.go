package acceptance

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// An example is one case.
type example struct {
	ID       string            `json:"id"`
	Why      string            `json:"why"`
	Surfaces []string          `json:"surfaces"`
	Input    string            `json:"input"`
	InputB64 string            `json:"input_b64"` // instead, where it is not UTF-8
	Repeat   map[string]repeat `json:"repeat"`    // what a placeholder in input, and in expect, stands for
	Reads    map[string]string `json:"reads"`     // what a unit of a placeholder is in expect, where that differs
	Sweep    [][2]int          `json:"sweep"`     // run for every count of @A@ in these ranges
	Prefixes bool              `json:"prefixes"`  // the rules hold for every prefix too
	Differs  string            `json:"differs"`   // what of a reported wish our contract decides otherwise
	Expect   [][]string        `json:"expect"`    // surfaces, check, arguments
}

// A repeat is a unit times times; {i} in it is the index, {g} is Grow.Char,
// Grow.Start + Grow.Step × index times.
type repeat struct {
	Unit  string `json:"unit"`
	Times int    `json:"times"`
	Grow  *struct {
		Char  string `json:"char"`
		Start int    `json:"start"`
		Step  int    `json:"step"`
	} `json:"grow"`
}

func (r repeat) String() string {
	var sb strings.Builder
	for i := range r.Times {
		u := strings.ReplaceAll(r.Unit, "{i}", strconv.Itoa(i))
		if r.Grow != nil {
			u = strings.ReplaceAll(u, "{g}", strings.Repeat(r.Grow.Char, r.Grow.Start+r.Grow.Step*i))
		}
		sb.WriteString(u)
	}
	return sb.String()
}

// expand fills in the placeholders of s.
func (e *example) expand(s string, reads bool) string {
	for name, r := range e.Repeat {
		if as, ok := e.Reads[name]; ok && reads {
			r.Unit = as
		}
		if strings.Contains(s, name) {
			s = strings.ReplaceAll(s, name, r.String())
		}
	}
	return s
}

func load(t testing.TB, file string) []example {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []example
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e example
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%s: %v in %.80s", file, err, lines.Text())
		}
		if e.InputB64 != "" {
			b, err := base64.StdEncoding.DecodeString(e.InputB64)
			if err != nil {
				t.Fatalf("%s: %v", e.ID, err)
			}
			e.Input = string(b)
		}
		for _, c := range e.Expect {
			if len(c) < 2 || checks[c[1]] == nil {
				t.Fatalf("%s: there is no check for %q", e.ID, c)
			}
		}
		out = append(out, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReported(t *testing.T) { examples(t, "reported.jsonl", 89) }
func TestFurther(t *testing.T)  { examples(t, "further.jsonl", 60) }

func examples(t *testing.T, file string, atLeast int) {
	all := load(t, file)
	if len(all) < atLeast {
		t.Errorf("%d cases, want %d", len(all), atLeast)
	}
	ids := map[string]bool{}
	for _, e := range all {
		if ids[e.ID] {
			t.Errorf("two cases are called %s", e.ID)
		}
		ids[e.ID] = true
		t.Run(e.ID, func(t *testing.T) {
			e.run(t, e.expand(e.Input, false))
			for _, span := range e.Sweep {
				for n := span[0]; n <= span[1] && !t.Failed(); n++ {
					at := e
					r := e.Repeat["@A@"]
					r.Times = n
					at.Repeat = map[string]repeat{"@A@": r}
					at.run(t, at.expand(e.Input, false))
					if t.Failed() {
						t.Logf("with @A@ %d times", n)
					}
				}
			}
			if e.Prefixes {
				for i := range e.Input {
					for _, s := range render(t, vak(t), e.Input[:i], e.Surfaces...) {
						rules(t, s)
					}
					if t.Failed() {
						t.Fatalf("the prefix of %d bytes", i)
					}
				}
			}
		})
	}
}

func (e *example) run(t *testing.T, input string) {
	t.Helper()
	all := render(t, vak(t), input, e.Surfaces...)
	// The machine may be busy with something else: slow is what stays slow.
	slow := func(c []string) bool { return c[1] == "fast" }
	for range 3 {
		if !slices.ContainsFunc(e.Expect, slow) || all[0].elapsed < 2*time.Second || testing.Short() {
			break
		}
		all = render(t, vak(t), input, e.Surfaces...)
	}
	for _, s := range all {
		rules(t, s)
		for _, c := range e.Expect {
			on := strings.Split(c[0], ",")
			if c[0] != "all" && !slices.Contains(on, s.on) {
				continue
			}
			args := slices.Clone(c[2:])
			for i := range args {
				args[i] = e.expand(args[i], true)
			}
			checks[c[1]](t, s, args)
		}
	}
	if t.Failed() {
		for _, s := range all {
			for i, c := range s.chunks {
				if i == 3 {
					break
				}
				t.Logf("%s %d: %.700q", s.on, i, c.Text)
			}
		}
	}
}

// TestPrefixesEndInTheWhole renders what every prefix leads to twice: the last
// form of an answer that was shown while it was written is the whole answer.
func TestPrefixesEndInTheWhole(t *testing.T) {
	for _, e := range load(t, "reported.jsonl") {
		if !e.Prefixes {
			continue
		}
		if !utf8.ValidString(e.Input) {
			t.Fatalf("%s: not UTF-8", e.ID)
		}
		whole := render(t, vak(t), e.Input, e.Surfaces...)
		again := render(t, vak(t), e.Input[:len(e.Input)], e.Surfaces...)
		for i := range whole {
			if len(whole[i].chunks) != len(again[i].chunks) || whole[i].joined.text() != again[i].joined.text() {
				t.Errorf("%s, %s: two renderings of the same answer differ", e.ID, whole[i].on)
			}
		}
	}
}
