// Package surface is what the author of a surface implements, and what the host
// knows of it: who it is ([Info]), what it can show ([Profile]), how it renders
// ([Renderer]) and how it sends ([Transport]).
//
// A surface is a binary of its own whose main calls [Serve]. The host starts it
// in one of two roles, so that what reads untrusted model output never holds a
// credential: "render" has neither environment nor files nor network,
// "transport" has credentials and network but never sees a document.
//
// Authors write no gRPC. Interfaces here stay small; they grow by optional
// interfaces that Serve finds by assertion.
package surface

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Info is the static description of a surface. It is what plugin.json is made
// from, and the host refuses a binary whose Describe reply differs from it.
type Info struct {
	ID         string          `json:"id"`                  // "telegram"; lower case, [a-z0-9-], also the surface part of a target
	Version    string          `json:"version"`             // semantic version
	DocVersion int             `json:"doc_version"`         // highest doc.SchemaVersion that the renderer understands
	Blocks     []doc.Kind      `json:"blocks,omitempty"`    // kinds that the renderer understands; core lowers the others
	Profiles   []Profile       `json:"profiles"`            // the first is the default
	Transport  bool            `json:"transport,omitempty"` // it sends, too; Serve sets it from Plugin.NewTransport
	Account    json.RawMessage `json:"account,omitempty"`   // JSON Schema of an account's settings
	Address    json.RawMessage `json:"address,omitempty"`   // JSON Schema of a target's address
}

// A Profile says what a surface can show. It is data, never permission.
type Profile struct {
	Surface   string       `json:"surface"`
	Name      string       `json:"name,omitempty"`
	Dialect   string       `json:"dialect"` // html, mrkdwn, discord, markdown, plain, json or native
	Limit     Limit        `json:"limit"`
	EditLimit Limit        `json:"edit_limit,omitzero"` // zero: as Limit
	Can       Capabilities `json:"can"`
	Links     string       `json:"links,omitempty"`    // angle, masked or bare; empty: the dialect's own form
	Tables    string       `json:"tables,omitempty"`   // grid or list; empty: grid where it fits Grid
	Mentions  string       `json:"mentions,omitempty"` // live: names may notify; empty: they never do
	Grid      int          `json:"grid,omitempty"`     // widest aligned table in columns; 0: no grids
	Delivers  string       `json:"delivers,omitempty"` // chunks (or empty), or packet
}

// Capabilities are what a surface has a form of its own for.
type Capabilities struct {
	StructuredBlocks bool `json:"structured_blocks,omitempty"`
	Tables           bool `json:"tables,omitempty"`
	Code             bool `json:"code,omitempty"`
	Links            bool `json:"links,omitempty"`
	Actions          bool `json:"actions,omitempty"`
	Media            bool `json:"media,omitempty"`
	Color            bool `json:"color,omitempty"`
	Interactive      bool `json:"interactive,omitempty"`
	FileReferences   bool `json:"file_references,omitempty"`
	AccessiblePlain  bool `json:"accessible_plain,omitempty"`
}

// A Unit is what a platform counts messages in.
type Unit string

// The units.
const (
	UTF16     Unit = "utf16"     // UTF-16 code units
	Codepoint Unit = "codepoint" // Unicode code points
	Byte      Unit = "byte"      // UTF-8 bytes
)

// Measured is what a platform counts: the text that a reader sees, or the text
// as it is sent, markup and escapes included.
type Measured string

// What is measured.
const (
	Visible Measured = "visible"
	Sent    Measured = "sent"
)

// A Limit bounds one chunk. Every bound whose figure is zero is no bound.
type Limit struct {
	Max            int      `json:"max,omitempty"`
	Unit           Unit     `json:"unit,omitempty"`             // empty: Codepoint
	Of             Measured `json:"of,omitempty"`               // empty: Sent
	MaxBytes       int      `json:"max_bytes,omitempty"`        // bytes sent
	MaxEntities    int      `json:"max_entities,omitempty"`     // pieces of markup
	MaxEntityBytes int      `json:"max_entity_bytes,omitempty"` // bytes that the markup takes when stored
}

// The bounds of Limit.Max that the host enforces; 0 stays "no limit".
const (
	MinLimit = 64
	MaxLimit = 100_000
)

// A Kind says what a delivery is.
type Kind string

// The kinds that may go out.
const (
	Assistant   Kind = "assistant"
	TaskSummary Kind = "task_summary"
	Alert       Kind = "alert"
	Approval    Kind = "approval"
	Progress    Kind = "progress"
	ToolResult  Kind = "tool_result"
	User        Kind = "user"
)

// An Action is one thing that a reader can answer with.
type Action struct {
	ID      string          `json:"id"` // at most 32 of [A-Za-z0-9._-]
	Verb    string          `json:"verb"`
	Data    json.RawMessage `json:"data,omitempty"`
	Expires time.Time       `json:"expires_at,omitzero"`
}

// A RenderRequest asks for one document in one profile. A template, if any, is
// already applied, as blocks.
type RenderRequest struct {
	Doc     *doc.Document
	Profile Profile
	Kind    Kind
	Actions []Action
	Locale  string
}

// A Renderer turns a document into chunks.
//
// Render is pure: the same request gives the same bytes. It may be called
// concurrently. It honours ctx. Every chunk stays within Profile.Limit, is valid
// on its own and holds something to read; nothing that [doc.Visible] lists is
// left out, and little else is shown: marks, labels and what a cut repeats. A
// document with nothing visible gives no chunk. The host measures and reads back
// every chunk, and renders plain itself where one breaks a rule.
type Renderer interface {
	Render(context.Context, RenderRequest) (Rendering, error)
}

// A RendererFunc is a function that is a [Renderer].
type RendererFunc func(context.Context, RenderRequest) (Rendering, error)

// Render calls f.
func (f RendererFunc) Render(ctx context.Context, r RenderRequest) (Rendering, error) {
	return f(ctx, r)
}

// A Rendering is a rendered document.
type Rendering struct {
	Chunks      []Chunk          `json:"chunks"`
	Notes       []Note           `json:"notes,omitempty"`
	Diagnostics []doc.Diagnostic `json:"diagnostics,omitempty"`
}

// A Chunk is one message. Index and sizes are core's to measure.
type Chunk struct {
	Text   string   `json:"text"`             // in the profile's dialect
	Plain  string   `json:"plain"`            // the same content without markup, within the same limit
	Native *Native  `json:"native,omitempty"` // a platform's own form, at most 64 KiB
	Blocks []doc.ID `json:"blocks"`           // blocks that have something in this chunk, in order
}

// Native is a chunk in a platform's own form.
type Native struct {
	Kind string          `json:"kind"` // "slack.rich_text.v1"
	JSON json.RawMessage `json:"json"`
}

// A Disposition is how a block reached the reader.
type Disposition string

// The dispositions.
const (
	AsNative   Disposition = "native"   // with all that it means
	AsFallback Disposition = "fallback" // readable, in a lesser form
	Omitted    Disposition = "omitted"  // not shown, for the reason given
)

// A Note says that a block, or markup in it, was shown in a lesser form.
type Note struct {
	Block       doc.ID      `json:"block"`
	Disposition Disposition `json:"disposition"`
	Reason      string      `json:"reason"`          // snake_case: word_boundary, spoiler, too_long …
	Count       int         `json:"count,omitempty"` // how often in this block; 0 means once
}
