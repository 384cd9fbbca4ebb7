package catalog

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/outline"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// Open reads an envelope that anybody may have written, and holds it to the
// bounds, the schema and the check of its type. Skill id and version are filled
// in, whatever the envelope says. A type that no skill owns is a problem of the
// kind card.ErrUnknownType. Its error holds one or several
// *card.ProblemError, their paths from the root of the envelope; see [Problems].
func (c *Catalog) Open(envelope []byte) (card.Output, error) {
	o, err := card.ParseOutput(envelope)
	if err != nil {
		return card.Output{}, inWords(err, "")
	}
	t, ok := c.types[o.SemanticType]
	if !ok {
		return card.Output{}, invalid(card.ErrUnknownType, "/semantic_type", "expected a type that a skill owns"+c.nearest(o.SemanticType))
	}
	if err := t.schema.validate(o.Payload); err != nil {
		return card.Output{}, err
	}
	if err := t.check(o); err != nil {
		return card.Output{}, inWords(err, "/payload")
	}
	o.SchemaVersion, o.SkillID, o.SkillVersion = card.SchemaVersion, t.Skill, t.SkillVersion
	return o, nil
}

// check runs the check of a skill, which must not take anything down.
func (t *owned) check(o card.Output) (err error) {
	if t.Check == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			err = errors.New("panic")
		}
	}()
	return t.Check(context.Background(), input(o))
}

func input(o card.Output) skill.Input {
	return skill.Input{Type: o.SemanticType, Payload: o.Payload, Context: o.Context}
}

// inWords makes an Invalid of the problems in an error, however they are joined.
// What else an error says may quote the card and is left out.
func inWords(err error, under string) error {
	out := &Invalid{}
	var walk func(error)
	walk = func(err error) {
		if p, ok := err.(*card.ProblemError); ok {
			if len(out.Problems) == maxListed {
				out.More++
				return
			}
			out.Problems = append(out.Problems, &card.ProblemError{Kind: p.Kind, Path: under + short(p.Path), Want: p.Want})
			return
		}
		switch err := err.(type) {
		case interface{ Unwrap() []error }:
			for _, e := range err.Unwrap() {
				walk(e)
			}
		case interface{ Unwrap() error }:
			if e := err.Unwrap(); e != nil {
				walk(e)
			}
		}
	}
	walk(err)
	if len(out.Problems) == 0 {
		return invalid(card.ErrInvalid, under, "expected what the check of its skill asks for")
	}
	return out
}

// Lower makes the tree of a card, by the skill that owns its type. Its error is a
// *[LowerError], but where no skill owns the type; a caller shows [Generic] then.
func (c *Catalog) Lower(ctx context.Context, o card.Output) (t card.Tree, err error) {
	owner, ok := c.types[o.SemanticType]
	if !ok {
		return card.Tree{}, invalid(card.ErrUnknownType, "/semantic_type", "expected a type that a skill owns"+c.nearest(o.SemanticType))
	}
	fail := func(why string, err error) (card.Tree, error) {
		return card.Tree{}, &LowerError{owner.Skill, o.SemanticType, why, err}
	}
	defer func() {
		if recover() != nil {
			t, err = fail("it panicked", nil)
		}
	}()
	t, err = owner.Lower(ctx, input(o))
	if err != nil {
		if ctx.Err() != nil {
			return fail("it was not done in time", err)
		}
		return fail("it returned an error", err)
	}
	if err := t.Check(); err != nil {
		return fail("its tree is none: "+err.Error(), err)
	}
	return t, nil
}

// Generic makes a readable tree of any JSON object, whatever it means. It never
// fails, and loses no scalar. The title is for payloads that have none.
func Generic(payload json.RawMessage, title string) card.Tree {
	return outline.Tree(payload, title)
}

// nearest suggests the type that a wrong name was meant to be.
func (c *Catalog) nearest(name string) string {
	best, least := "", min(3, len(name)/3)+1
	if len(name) > maxName {
		return ""
	}
	for _, n := range c.names {
		if d := distance(name, n); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return `, such as "` + best + `"`
}

// distance is how many letters have to be added, removed or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
