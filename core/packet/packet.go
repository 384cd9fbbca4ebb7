// Package packet is what one rendered delivery is called when somebody asks for
// it: every chunk with its measured size, what each block became, and where the
// answer came from. It is data: it renders and sends nothing.
package packet

import (
	"encoding/json"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// SchemaVersion is the version of the wire form of [Packet].
const SchemaVersion = 1

// A Packet is one answer as one target gets it.
type Packet struct {
	SchemaVersion    int              `json:"schema_version"`
	JobID            string           `json:"job_id,omitempty"`
	Target           string           `json:"target,omitempty"` // canonical text
	Surface          string           `json:"surface"`
	Kind             surface.Kind     `json:"kind"`
	Payload          json.RawMessage  `json:"payload,omitempty"`               // by kind; for text {"document": …}
	FallbackMarkdown string           `json:"fallback_markdown"`               // exact source, repaired where it is not UTF-8
	FallbackB64      string           `json:"fallback_markdown_b64,omitempty"` // the exact bytes where they are not UTF-8
	Chunks           []Chunk          `json:"chunks"`
	Actions          []surface.Action `json:"actions,omitempty"`
	Coverage         Coverage         `json:"coverage"`
	Diagnostics      []doc.Diagnostic `json:"diagnostics,omitempty"`
	Renderer         Renderer         `json:"renderer"`
	Template         *Template        `json:"template,omitempty"` // that the answer was put into
	Epoch            uint64           `json:"epoch"`
	Recipe           string           `json:"recipe"`
}

// A Chunk is one message with what core measured of it.
type Chunk struct {
	Index  int             `json:"index"`
	Text   string          `json:"text"`
	Plain  string          `json:"plain"`
	Native *surface.Native `json:"native,omitempty"`
	Units  int             `json:"units"` // in the unit of the profile's limit
	Bytes  int             `json:"bytes"` // UTF-8 bytes of Text
	Blocks []doc.ID        `json:"block_ids"`
}

// A Renderer names what rendered a packet: "telegram" or "core/plain".
type Renderer struct {
	ID      string `json:"id"`
	Version string `json:"version,omitempty"`
}

// A Template names the template that an answer was put into. Its own blocks have
// ids below "0" and are in the coverage, not in the payload.
type Template struct {
	ID       string `json:"id"`
	Revision int    `json:"revision"`
}

// A Basis says what coverage was read from.
type Basis string

// The bases.
const (
	Verified Basis = "verified" // core read the chunks with its own reader of the dialect
	Claimed  Basis = "claimed"  // core knows no reader for the dialect and checked the plain form
)

// Coverage says of every block how it reached the reader. It is computed on
// what is sent.
type Coverage struct {
	Basis  Basis   `json:"basis"`
	Blocks []Block `json:"blocks"`
}

// A Block is the coverage of one block.
type Block struct {
	ID          doc.ID              `json:"id"`
	Kind        doc.Kind            `json:"kind"`
	Disposition surface.Disposition `json:"disposition"`
	Reason      string              `json:"reason,omitempty"`
}
