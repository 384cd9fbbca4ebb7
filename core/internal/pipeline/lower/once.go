package lower

import (
	"bytes"
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Once returns d without the cards that an earlier one repeats: of the same type,
// with the same payload, however that is written. A diagnostic says of each that
// it was left out. A card that is all that holds it up stays: nothing becomes
// empty by it.
func Once(d *doc.Document) *doc.Document {
	n := 0
	rewrite(d.Blocks, func(*doc.Structured, bool) ([]doc.Block, bool) { n++; return nil, false })
	if n < 2 { // most answers: nothing has to be read
		return d
	}
	seen := map[string]bool{}
	var said []doc.Diagnostic
	blocks, _ := rewrite(d.Blocks, func(c *doc.Structured, alone bool) ([]doc.Block, bool) {
		k := identity(c.Output)
		again := k != "" && seen[k] && !alone
		seen[k] = true
		if again {
			said = append(said, doc.Diagnostic{Code: "card_repeated", Severity: doc.Info, Message: "A card that stands above was left out where it is repeated."})
		}
		return nil, again
	})
	if len(said) == 0 {
		return d
	}
	out := *d
	out.Blocks, out.Diagnostics = blocks, append(append([]doc.Diagnostic(nil), d.Diagnostics...), said...)
	return &out
}

// identity is the same for cards that say the same.
func identity(output string) string {
	o, err := card.ParseOutput([]byte(output))
	if err != nil {
		return ""
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(o.Payload))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return ""
	}
	b, err := json.Marshal(v) // with members in order
	if err != nil {
		return ""
	}
	return o.SemanticType + "\x00" + string(b)
}
