package compile

import (
	"encoding/json"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// The bounds of a card.
const (
	maxPayload      = 1 << 20 // bytes of the fence
	maxPayloadDepth = 32
)

// card is the one place where a "vak" fence is looked at. No skill is asked
// here: a fence stays exact, as code, and a diagnostic says what it would need.
func (b *builder) card(id doc.ID, meta, text string) doc.Block {
	if problem := envelopeProblem(text); problem != "" {
		b.note("vak_malformed", doc.Warning, id, problem)
	} else {
		b.note("vak_unknown_type", doc.Warning, id, "no skill owns the semantic type of this block")
	}
	return &doc.Code{ID: id, Language: "vak", Meta: meta, Text: text}
}

// envelopeProblem says why text cannot be an output envelope, or "".
func envelopeProblem(text string) string {
	if len(text) > maxPayload {
		return "the block is larger than 1 MB"
	}
	// Depth first: the JSON decoder recurses, brackets are counted in no time.
	if !shallow(text) {
		return "the block nests deeper than 32 levels"
	}
	var envelope struct {
		SemanticType string          `json:"semantic_type"`
		Payload      json.RawMessage `json:"payload"`
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "the block is not a JSON object"
	}
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		return "the block is not valid JSON, or cut off"
	}
	if envelope.SemanticType == "" {
		return "the block names no semantic_type"
	}
	return ""
}

// shallow reports whether brackets outside of strings nest within the bound.
func shallow(s string) bool {
	depth := 0
	inString := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '[' || c == '{':
			if depth++; depth > maxPayloadDepth+1 {
				return false
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return true
}
