package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
	"github.com/seed-1ae66336/vak/core/internal/builtin/recipes"
	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/catalog"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/lower"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A ToolUse is one call that an agent made on the way to an answer, and what came
// of it. A call that hands over a card, as emit_metric_card does, is a part of the
// answer; all of them tell what the answer is about.
type ToolUse struct {
	Name      string
	Arguments json.RawMessage // all of them
	Result    string          // exact
	Failed    bool            // the tool said that it did not work

	Command  string   // that a shell ran; empty: what the arguments call "command"
	ExitCode *int     // of the command; nil: not known
	Declares []string // signals that the tool says its use gives
}

// MaxTools is the number of tool calls of one answer that are looked at for cards.
const MaxTools = 1000

// What knows of cards and of recipes is made when an answer first needs it:
// compiling the schemas takes longer than most answers do.
var (
	builtinCatalog = sync.OnceValue(func() *catalog.Catalog {
		pack := cards.Skill()
		pack.Recipes, pack.Signals = recipes.Recipes(), recipes.Signals()
		c, err := catalog.New(pack)
		if err != nil {
			panic("the built-in skill: " + err.Error()) // a test makes it
		}
		return c
	})
	builtinTools   = sync.OnceValue(func() map[string][]string { return builtinCatalog().Tools() })
	builtinPlanner = sync.OnceValue(func() *plan.Planner {
		p, err := plan.New(plan.Config{Recipes: recipes.Recipes(), Signals: recipes.Signals()})
		if err != nil {
			panic("the built-in recipes: " + err.Error())
		}
		return p
	})
)

// A deck is the cards of an answer, with what each looks like, which is found out
// once. It is safe for concurrent use.
type deck struct {
	know  *knowledge       // as it was when the answer was prepared
	tools []card.Output    // those that tools handed over, in the order of their calls
	said  []doc.Diagnostic // of calls that hand over a card, and are none

	mu       sync.Mutex
	faces    map[string]*face          // by the envelope
	recalled map[ledger.Hash]card.Tree // that a ledger holds, by the hash of the envelope
	inLedger map[ledger.Hash]bool      // those of faces that it was given
}

// A face is a card's, and whether its skill made it.
type face struct {
	*lower.Face
	made *madeTree // by a skill pack; nil: nothing that has to be kept
	err  error     // why the card shows its members as they are; nil: its skill lowered it
}

// maxRefused bounds what is said of calls that are no cards.
const maxRefused = 20

// newDeck takes up the cards that tools handed over. A call that failed is the
// agent's to repair, and was answered so; of others that no card comes of, though
// one should, it is said why.
func newDeck(know *knowledge, tools []ToolUse) *deck {
	k := &deck{know: know, faces: map[string]*face{}}
	for _, t := range tools[:min(len(tools), MaxTools)] {
		o, ok, err := know.cardOf(t)
		if ok {
			k.tools = append(k.tools, o)
		}
		if err != nil && len(k.said) < maxRefused {
			k.said = append(k.said, doc.Diagnostic{Code: "card_call_refused", Severity: doc.Warning, Message: "A call of " + t.Name + " hands over no card: " + err.Error() + "."})
		}
	}
	return k
}

// cardOf is the card that a call handed over, by its arguments or by its result.
// The error is of a tool that hands over nothing else.
func (k *knowledge) cardOf(t ToolUse) (o card.Output, ok bool, err error) {
	if t.Failed {
		return card.Output{}, false, nil
	}
	if handsOver(t.Name) {
		o, err := k.catalog().Call(t.Name, t.Arguments)
		return o, err == nil, err
	}
	for _, text := range []string{t.Result, string(t.Arguments)} {
		if !card.Looks(text) {
			continue
		}
		if o, err := k.open([]byte(text)); err == nil {
			return o, true, nil
		}
	}
	return card.Output{}, false, nil
}

// handsOver reports whether a tool is one of those that hand over cards.
func handsOver(tool string) bool {
	return strings.HasPrefix(tool, "emit_") && builtinTools()[tool] != nil
}

// blocks are the cards of tools as blocks of a document, from number 1.
func (k *deck) blocks() []doc.Block {
	out := make([]doc.Block, 0, len(k.tools))
	for i, o := range k.tools {
		b, err := card.AppendOutput(nil, o)
		if err != nil {
			continue // it was JSON a moment ago
		}
		out = append(out, &doc.Structured{ID: doc.ID(strconv.Itoa(i + 1)), Output: string(b)})
	}
	return out
}

// compose makes the document of an answer: the cards that tools handed over, then
// the text. After a card the card is the answer; a text that came with it is shown
// if it says that it is a note, and else only kept.
func (k *deck) compose(text string) (*doc.Document, error) {
	first := k.blocks()
	d, err := compile.Compiler{Open: k.know.open, First: len(first) + 1}.Markdown(text)
	if err != nil {
		return nil, err
	}
	d.Diagnostics = append(d.Diagnostics, k.said...)
	if len(first) == 0 {
		return lower.Once(d), nil
	}
	if isNote(text) {
		d.Blocks = append(first, d.Blocks...)
		return lower.Once(d), nil
	}
	if len(d.Blocks) > 0 {
		d.Diagnostics = append(slices.Clip(k.said), doc.Diagnostic{Code: "text_in_ledger", Severity: doc.Info, Message: "The answer is its cards; the text that came with them is in the ledger. A text that begins with \"Note:\" is shown beside them."})
	}
	d.Blocks = first
	return lower.Once(d), nil
}

// isNote reports whether a text is one to stand beside a card.
func isNote(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "Note:") || strings.HasPrefix(text, "Additional note:")
}

// face is what a card looks like. A skill that cannot lower its card costs the
// form, never the content.
func (k *deck) face(ctx context.Context, b *doc.Structured) *face {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f, ok := k.faces[b.Output]; ok {
		return f
	}
	o, err := card.ParseOutput([]byte(b.Output))
	if err != nil {
		return nil // it is shown as the document has it
	}
	f := &face{}
	t, ok := k.before(o)
	if !ok {
		if t, f.err = k.know.catalog().Lower(ctx, o); f.err != nil {
			t = catalog.Generic(o.Payload, o.SemanticType)
		} else if owner, ok := k.know.catalog().Type(o.SemanticType); ok {
			f.made = newMade(o, owner.Skill, t)
		}
	}
	f.Face = lower.NewFace(o, t)
	if ctx.Err() == nil {
		k.faces[b.Output] = f
	}
	return f
}

// spread makes of the cards in v what every surface shows. entry is that of the
// ledger which holds the answer, or empty.
func (k *deck) spread(ctx context.Context, v *view, p look, entry string) {
	d, notes := lower.Cards(v.doc, func(b *doc.Structured) *lower.Face {
		f := k.face(ctx, b)
		if f == nil {
			return nil
		}
		if f.err != nil {
			v.generic = append(v.generic, b.ID)
			v.said = append(v.said, doc.Diagnostic{Code: "card_lower_failed", Severity: doc.Warning, Block: b.ID, Message: "The card shows its members as they are: " + cardCause(f.err) + "."})
		}
		return f.Face
	}, lower.Options{Width: p.Grid, Appendix: p.appendix, Fits: func(text string) bool { return roomFor(text, p.Profile) }, Entry: entry})
	v.doc, v.notes = d, notes
}

// cardCause is why a card was not lowered, without a word of it.
func cardCause(err error) string {
	if e, ok := errors.AsType[*catalog.LowerError](err); ok {
		if of, ok := errors.AsType[*host.Error](e.Err); ok {
			return fmt.Sprintf("the skill %q could not lower a card of the type %q: %s", e.Skill, e.Type, packCause(of))
		}
		return e.Error()
	}
	if errors.Is(err, card.ErrUnknownType) {
		return "no skill owns its type"
	}
	return fmt.Sprintf("error of type %T", err)
}

// roomFor reports whether a block of code has room in one message with whatever
// its syntax takes: every dialect writes < > & longer than they are, or less.
func roomFor(text string, p surface.Profile) bool {
	const fence = 64
	l := p.Limit
	sent := len(text) + 4*strings.Count(text, "&") + 3*(strings.Count(text, "<")+strings.Count(text, ">")) + fence
	if l.MaxBytes > 0 && sent > l.MaxBytes {
		return false
	}
	if l.Max == 0 {
		return true
	}
	units := cover.Units(sizeOf(text), l) + fence
	if l.Of == surface.Sent {
		units += sent - len(text)
	}
	return units <= l.Max
}
