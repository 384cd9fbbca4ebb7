package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
)

// A CardType is one semantic type of card, with what owns it.
type CardType struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`   // of its shape, of a built-in type
	Purpose      string          `json:"purpose,omitempty"` // of its shape, as a sentence
	Tool         string          `json:"tool,omitempty"`    // that hands one over
	Skill        string          `json:"skill"`
	SkillVersion string          `json:"skill_version"`
	Schema       json.RawMessage `json:"schema"`            // of its payload, JSON Schema 2020-12
	Example      json.RawMessage `json:"example,omitempty"` // an envelope of its shape
}

// CardTypes lists all types by name. The caller owns the slice.
func (c *Core) CardTypes() []CardType {
	shapes := map[string]cards.Shape{}
	for _, s := range cards.Shapes() {
		for _, t := range s.Types {
			shapes[t] = s
		}
	}
	all := c.current.Load().know.catalog().Types()
	out := make([]CardType, len(all))
	for i, e := range all {
		out[i] = CardType{Name: e.Name, Skill: e.Skill, SkillVersion: e.SkillVersion, Schema: e.Schema}
		if len(e.Example) > 0 {
			out[i].Example = json.RawMessage(fmt.Sprintf(`{"semantic_type":%q,"payload":%s}`, e.Name, e.Example))
		}
		if s, ok := shapes[e.Name]; ok {
			out[i].Title, out[i].Purpose, out[i].Tool = s.Title, s.Purpose, s.Tool
			out[i].Example = json.RawMessage(fmt.Sprintf(`{"semantic_type":%q,"payload":%s}`, s.Example.Type, s.Example.Payload))
		}
	}
	return out
}

// CardType returns the type of a name. The error is of kind ErrNotFound.
func (c *Core) CardType(name string) (CardType, error) {
	var near []string
	for _, t := range c.CardTypes() {
		if t.Name == name {
			return t, nil
		}
		if strings.Contains(t.Name, name) || strings.Contains(name, t.Name) {
			near = append(near, t.Name)
		}
	}
	e := &Error{Kind: ErrNotFound, What: fmt.Sprintf("no skill owns the type %.80q", name), Mend: "\"vak card types\" lists all"}
	if len(near) > 0 && len(near) <= 10 {
		e.Mend = "did you mean " + strings.Join(near, ", ") + "? " + e.Mend
	}
	return CardType{}, e
}

// A CardProblem is one thing that is wrong with a card: where, as a JSON pointer,
// and what was expected there. It holds no value of the card.
type CardProblem struct {
	Path string `json:"path"`
	Want string `json:"want"`
}

// CheckCard holds a card against its type: an envelope, or the arguments of a tool
// where that is not empty. It returns the type, as far as it is known, and what is
// wrong, in the order in which it stands there by path; nothing: it is a card.
func (c *Core) CheckCard(tool string, b []byte) (typ string, problems []CardProblem) {
	o, err := c.current.Load().know.catalog().Call(tool, b)
	if err == nil {
		return o.SemanticType, nil
	}
	for _, p := range catalog.Problems(err) {
		problems = append(problems, CardProblem{Path: p.Path, Want: p.Want})
	}
	slices.SortStableFunc(problems, func(a, b CardProblem) int { return comparePaths(a.Path, b.Path) })
	if len(problems) == 0 {
		problems = []CardProblem{{Want: "expected a card"}}
	}
	var said struct {
		SemanticType string `json:"semantic_type"`
	}
	if json.Unmarshal(b, &said) == nil && len(said.SemanticType) <= 100 {
		typ = said.SemanticType
	}
	return typ, problems
}

// comparePaths orders JSON pointers as a reader comes to what they name: elements by
// their number.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		n, notA := strconv.Atoi(a)
		m, notB := strconv.Atoi(b)
		if notA == nil && notB == nil {
			return cmp.Compare(n, m)
		}
		return strings.Compare(a, b)
	})
}
