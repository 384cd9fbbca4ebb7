package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/template"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// An Alert is what a [Draft] of kind alert holds beside its text.
type Alert struct {
	Severity Severity `json:"severity"`
}

// A Severity is how bad an alert is.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// An Approval is what a [Draft] of kind approval holds beside its text, which is
// the question. The options stay fields whatever the text says.
type Approval struct {
	Options []Option  `json:"options"`             // 1 to 20
	Expires time.Time `json:"expires_at,omitzero"` // zero: never
}

// An Option is one way to answer an approval.
type Option struct {
	ID   string          `json:"id"`             // 1 to 32 of [A-Za-z0-9._-], unique in the approval
	Verb string          `json:"verb"`           // what a reader sees, up to 100 bytes
	Data json.RawMessage `json:"data,omitempty"` // JSON of up to 4 KiB for whoever asked
}

// Progress is what a [Draft] of kind progress holds beside its text, which is a
// note and may be empty. A later one of its turn takes the place of those that
// have not gone yet.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total,omitempty"` // 0: not known
}

// A ToolResult is what a [Draft] of kind tool_result holds beside its text.
type ToolResult struct {
	Tool string `json:"tool"` // its name, up to 100 bytes
	OK   bool   `json:"ok"`
}

// The bounds of a draft's typed content.
const (
	maxOptions = 20
	maxVerb    = 100
	maxData    = 4 << 10

	maxMetadata = 32      // entries
	maxValue    = 4 << 10 // bytes of one
)

var actionID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// kind checks that the draft's kind may go out and fits its content.
func (d *Draft) kind() (surface.Kind, error) {
	contents := []struct {
		is   bool
		kind surface.Kind
	}{
		{d.Alert != nil, surface.Alert},
		{d.Approval != nil, surface.Approval},
		{d.Progress != nil, surface.Progress},
		{d.ToolResult != nil, surface.ToolResult},
	}
	var of surface.Kind
	for _, c := range contents {
		if c.is && of != "" {
			return "", &Error{Kind: ErrDraft, What: "a draft is one of alert, approval, progress and tool result, not several"}
		}
		if c.is {
			of = c.kind
		}
	}
	if of == "" {
		return textKind(d.Kind)
	}
	if d.Kind != "" && d.Kind != of {
		return "", &Error{Kind: ErrDraft, What: fmt.Sprintf("a draft of kind %s holds the content of kind %s", d.Kind, of), Mend: "leave the kind out, it follows from the content"}
	}
	if err := d.check(); err != nil {
		return "", err
	}
	return of, nil
}

// check says what is wrong with the typed content.
func (d *Draft) check() error {
	wrong := func(what, mend string) error { return &Error{Kind: ErrDraft, What: what, Mend: mend} }
	switch {
	case d.Alert != nil:
		switch d.Alert.Severity {
		case Info, Warning, Critical:
		default:
			return wrong("an alert's severity is "+strconv.Quote(string(d.Alert.Severity)), "use info, warning or critical")
		}
	case d.Progress != nil:
		if p := d.Progress; p.Done < 0 || p.Total < 0 || p.Total > 0 && p.Done > p.Total {
			return wrong(fmt.Sprintf("a progress of %d of %d is none", p.Done, p.Total), "")
		}
	case d.ToolResult != nil:
		if t := d.ToolResult.Tool; t == "" || len(t) > maxVerb {
			return wrong("a tool result needs the name of its tool, in up to 100 bytes", "")
		}
	case d.Approval != nil:
		return d.Approval.check()
	}
	return nil
}

func (a *Approval) check() error {
	wrong := func(what string) error {
		return &Error{Kind: ErrDraft, What: what, Mend: "an option has an id of 1 to 32 of A-Z, a-z, 0-9, '.', '_' and '-', and a verb"}
	}
	if len(a.Options) == 0 || len(a.Options) > maxOptions {
		return wrong(fmt.Sprintf("an approval has %d options, and may have 1 to %d", len(a.Options), maxOptions))
	}
	seen := map[string]bool{}
	for i, o := range a.Options {
		switch {
		case !actionID.MatchString(o.ID):
			return wrong(fmt.Sprintf("option %d of the approval has no usable id", i+1))
		case seen[o.ID]:
			return wrong("two options of the approval have the id " + o.ID)
		case o.Verb == "" || len(o.Verb) > maxVerb:
			return wrong(fmt.Sprintf("option %s of the approval needs a verb of up to %d bytes", o.ID, maxVerb))
		case len(o.Data) > maxData || len(o.Data) > 0 && !json.Valid(o.Data):
			return wrong(fmt.Sprintf("the data of option %s is no JSON of up to %d bytes", o.ID, maxData))
		}
		seen[o.ID] = true
	}
	return nil
}

// checkMetadata says what is wrong with the metadata. Keys are told, values not.
func (d *Draft) checkMetadata() error {
	wrong := func(what string) error {
		return &Error{Kind: ErrDraft, What: what, Mend: fmt.Sprintf("use up to %d entries, keys of 1 to 64 of a-z, 0-9, '_', '.' and '-' that begin with a letter, and values of up to %d bytes of UTF-8", maxMetadata, maxValue)}
	}
	if len(d.Metadata) > maxMetadata {
		return wrong(fmt.Sprintf("the metadata has %d entries", len(d.Metadata)))
	}
	for _, key := range slices.Sorted(maps.Keys(d.Metadata)) {
		switch value := d.Metadata[key]; {
		case !template.ValidKey(key):
			return wrong(fmt.Sprintf("the metadata cannot have the key %.80q", key))
		case len(value) > maxValue:
			return wrong(fmt.Sprintf("the value of %q in the metadata has %d bytes", key, len(value)))
		case !utf8.ValidString(value):
			return wrong(fmt.Sprintf("the value of %q in the metadata is not UTF-8", key))
		}
	}
	return nil
}

// properties are the metadata as one text, the same for the same entries, and
// empty where there are none.
func (d *Draft) properties() string {
	if len(d.Metadata) == 0 {
		return ""
	}
	b, err := json.Marshal(d.Metadata) // its keys are sorted
	if err != nil {
		return "" // strings always encode
	}
	return string(b)
}

// actions are the options as surfaces know them.
func (d *Draft) actions() []surface.Action {
	if d.Approval == nil {
		return nil
	}
	out := make([]surface.Action, len(d.Approval.Options))
	for i, o := range d.Approval.Options {
		out[i] = surface.Action{ID: o.ID, Verb: o.Verb, Data: o.Data, Expires: d.Approval.Expires}
	}
	return out
}

// typed is the typed content as a ledger keeps it, or nothing.
func (d *Draft) typed() json.RawMessage {
	var v any
	switch {
	case d.Alert != nil:
		v = d.Alert
	case d.Approval != nil:
		v = d.Approval
	case d.Progress != nil:
		v = d.Progress
	case d.ToolResult != nil:
		v = d.ToolResult
	default:
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil // check has found the one thing that could be wrong: the data
	}
	return b
}

// payload is the part of a packet that programs read: what the kind of the draft
// says, and the document. The source stands beside it in the packet and so not in
// the document.
func (d *Draft) payload(compiled *doc.Document) []byte {
	b := append(make([]byte, 0, 2*len(compiled.Source)+256), '{')
	if typed := d.typed(); typed != nil {
		b = append(append(b, typed[1:len(typed)-1]...), ',')
	}
	name := `"document":`
	switch {
	case d.Approval != nil:
		name = `"question":`
	case d.Progress != nil:
		name = `"note":`
	}
	b = append(b, name...)
	b = doc.Append(b, compiled, doc.WithoutSource)
	return append(b, '}')
}

// restore is the draft that a ledger keeps.
func restore(k surface.Kind, m *ledger.Message) (Draft, error) {
	d := Draft{Markdown: m.Markdown, Kind: k, Metadata: m.Metadata}
	var into any
	switch k {
	case surface.Alert:
		d.Alert = &Alert{}
		into = d.Alert
	case surface.Approval:
		d.Approval = &Approval{}
		into = d.Approval
	case surface.Progress:
		d.Progress = &Progress{}
		into = d.Progress
	case surface.ToolResult:
		d.ToolResult = &ToolResult{}
		into = d.ToolResult
	default:
		return d, nil
	}
	return d, json.Unmarshal(m.Payload, into)
}

// buttons are the actions for a surface that shows them itself. For all others
// they are part of the document, where it can be checked that they are shown.
func (a *Answer) buttons(p surface.Profile) []surface.Action {
	if p.Can.Actions {
		return a.actions
	}
	return nil
}

// A frame is what stands around the text of a draft that is more than a text.
type frame struct {
	head []doc.Block // everywhere
	tail []doc.Block // where there are no buttons
}

// words is what a reader has to see of the typed content.
func (d *Draft) frame(blocks int) frame {
	var f frame
	line := func(s string) {
		f.head = []doc.Block{&doc.Paragraph{ID: "0", Inlines: []doc.Inline{&doc.Strong{Children: []doc.Inline{&doc.Text{Text: s}}}}}}
	}
	switch {
	case d.Alert != nil:
		line(map[Severity]string{Info: "Notice", Warning: "Warning", Critical: "Critical alert"}[d.Alert.Severity])
	case d.Progress != nil && d.Progress.Total > 0:
		line(fmt.Sprintf("%d of %d done", d.Progress.Done, d.Progress.Total))
	case d.Progress != nil:
		line(fmt.Sprintf("%d done", d.Progress.Done))
	case d.ToolResult != nil && d.ToolResult.OK:
		line(d.ToolResult.Tool + ": done")
	case d.ToolResult != nil:
		line(d.ToolResult.Tool + ": failed")
	case d.Approval != nil:
		f.tail = d.Approval.list(blocks)
	}
	return f
}

// list prints the options, for readers who have no buttons.
func (a *Approval) list(blocks int) []doc.Block {
	id := doc.ID(strconv.Itoa(blocks + 1))
	l := &doc.List{ID: id, Ordered: true, Start: 1}
	for i, o := range a.Options {
		item := doc.Item{Blocks: []doc.Block{&doc.Paragraph{ID: id.Child(i + 1).Child(1), Inlines: []doc.Inline{&doc.Text{Text: o.Verb}}}}}
		l.Items = append(l.Items, item)
	}
	out := []doc.Block{l}
	if !a.Expires.IsZero() {
		text := "Answer before " + a.Expires.UTC().Format("2006-01-02 15:04 UTC") + "."
		out = append(out, &doc.Paragraph{ID: doc.ID(strconv.Itoa(blocks + 2)), Inlines: []doc.Inline{&doc.Text{Text: text}}})
	}
	return out
}

// around is d within f.
func (f frame) around(d *doc.Document, buttons bool) *doc.Document {
	tail := f.tail
	if buttons {
		tail = nil
	}
	if len(f.head) == 0 && len(tail) == 0 {
		return d
	}
	out := *d
	out.Blocks = append(append(append(make([]doc.Block, 0, len(f.head)+len(d.Blocks)+len(tail)), f.head...), d.Blocks...), tail...)
	return &out
}

// whole is all that the answer says, as text that nothing has parsed.
func (a *Answer) whole() string {
	var parts []string
	for _, b := range a.frame.head {
		parts = append(parts, strings.Join(slices.Collect(doc.Visible(b)), " "))
	}
	if a.doc.Source != "" {
		parts = append(parts, a.doc.Source)
	}
	for _, b := range a.frame.tail {
		parts = append(parts, strings.Join(slices.Collect(doc.Visible(b)), "\n"))
	}
	return strings.Join(parts, "\n\n")
}
