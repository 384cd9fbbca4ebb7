package doc

// A Kind names one of the fifteen kinds of block in the wire form.
type Kind string

// The kinds of block. The list is closed.
const (
	KindHeading     Kind = "heading"
	KindParagraph   Kind = "paragraph"
	KindList        Kind = "list"
	KindTable       Kind = "table"
	KindQuote       Kind = "quote"
	KindCode        Kind = "code"
	KindDiff        Kind = "diff"
	KindDiagram     Kind = "diagram"
	KindCallout     Kind = "callout"
	KindCitations   Kind = "citations"
	KindMedia       Kind = "media"
	KindArtifactRef Kind = "artifact_ref"
	KindStructured  Kind = "structured"
	KindRule        Kind = "rule"
	KindRawMarkdown Kind = "raw_markdown"
)

// Kinds returns all kinds in the order of the contract. The caller owns the slice.
func Kinds() []Kind {
	return []Kind{
		KindHeading, KindParagraph, KindList, KindTable, KindQuote, KindCode,
		KindDiff, KindDiagram, KindCallout, KindCitations, KindMedia,
		KindArtifactRef, KindStructured, KindRule, KindRawMarkdown,
	}
}

// A Block is one of the fifteen block types of this package, always as a
// pointer: *Heading, *Paragraph, *List, *Table, *Quote, *Code, *Diff, *Diagram,
// *Callout, *Citations, *Media, *ArtifactRef, *Structured, *Rule, *RawMarkdown.
type Block interface {
	Kind() Kind
	BlockID() ID
	sealed()
}

type (
	// A Heading is a title line. Level is 1 to 6.
	Heading struct {
		ID      ID
		Level   int
		Inlines []Inline
	}

	// A Paragraph is running text.
	Paragraph struct {
		ID      ID
		Inlines []Inline
	}

	// A List is ordered or not. Item i of an ordered list carries the number
	// Start+i; Start is 0 for lists that are not ordered.
	List struct {
		ID      ID
		Ordered bool
		Start   int
		Items   []Item
	}

	// An Item is one entry of a [List]. Item i (from 1) of list "3" holds the
	// blocks "3.i.1", "3.i.2" and so on.
	Item struct {
		Task   Task
		Blocks []Block
	}

	// A Table has one header row and any number of rows. Rows need not be as
	// long as the header: what an author wrote too much stays, what is missing
	// is an empty cell. Align has an entry for each header column.
	Table struct {
		ID     ID
		Align  []Align
		Header []Cell
		Rows   [][]Cell
	}

	// A Cell is the text of one table cell.
	Cell []Inline

	// A Quote holds what somebody else said.
	Quote struct {
		ID     ID
		Blocks []Block
	}

	// Code is preformatted text. Text has no final newline and never a
	// carriage return. Language is the first word of the info string, Meta the
	// rest of it, Filename what Meta calls the file, if anything.
	Code struct {
		ID       ID
		Language string
		Filename string
		Meta     string
		Text     string
	}

	// A Diff is a unified diff. Files is derived from Text and may be empty.
	Diff struct {
		ID    ID
		Text  string
		Files []DiffFile
	}

	// A DiffFile names one file of a [Diff] and counts its changed lines.
	DiffFile struct {
		Old, New             string
		Additions, Deletions int
	}

	// A Diagram is text that a native client draws: mermaid, mindmap, tree,
	// list, items, records, table or youtube. Meta is what followed the kind in
	// the info string.
	Diagram struct {
		ID          ID
		DiagramKind string
		Meta        string
		Source      string
	}

	// A Callout is a titled aside.
	Callout struct {
		ID     ID
		Tone   Tone
		Title  []Inline
		Blocks []Block
	}

	// Citations is the list of footnotes or sources of an answer.
	Citations struct {
		ID    ID
		Items []Citation
	}

	// A Citation is one source. Label is what a reference to it shows between
	// brackets. Item i (from 1) of citations "9" holds the blocks "9.i.1" and so on.
	Citation struct {
		Label  string
		URL    string
		Title  string
		Blocks []Block
	}

	// Media is a picture, a video or a sound that stands alone.
	Media struct {
		ID        ID
		Source    string
		Alt       string
		MediaType string
		Caption   string
	}

	// An ArtifactRef points at a document of a project. Raw is the reference as
	// the author wrote it.
	ArtifactRef struct {
		ID           ID
		Path         string
		Project      string
		ArtifactKind string
		Mode         string
		Caption      string
		Text         string
		Raw          string
	}

	// Structured is a validated card. Output is canonical JSON of the envelope.
	Structured struct {
		ID               ID
		Output           string
		FallbackMarkdown string
	}

	// A Rule is a thematic break.
	Rule struct {
		ID ID
	}

	// RawMarkdown is source that was not compiled, and why.
	RawMarkdown struct {
		ID       ID
		Markdown string
		Reason   string
	}
)

// Task is the state of a list item that is a task.
type Task string

// The states of a task.
const (
	NoTask   Task = ""
	TaskOpen Task = "open"
	TaskDone Task = "done"
)

// Align is the alignment of a table column.
type Align string

// The alignments.
const (
	AlignNone   Align = ""
	AlignLeft   Align = "left"
	AlignCenter Align = "center"
	AlignRight  Align = "right"
)

// Tone is the colour of feeling of a [Callout], named as the style tokens are.
type Tone string

// The tones.
const (
	ToneNeutral Tone = "neutral"
	ToneAccent  Tone = "accent"
	ToneInfo    Tone = "info"
	ToneSuccess Tone = "success"
	ToneWarning Tone = "warning"
	ToneDanger  Tone = "danger"
)

func (*Heading) Kind() Kind     { return KindHeading }
func (*Paragraph) Kind() Kind   { return KindParagraph }
func (*List) Kind() Kind        { return KindList }
func (*Table) Kind() Kind       { return KindTable }
func (*Quote) Kind() Kind       { return KindQuote }
func (*Code) Kind() Kind        { return KindCode }
func (*Diff) Kind() Kind        { return KindDiff }
func (*Diagram) Kind() Kind     { return KindDiagram }
func (*Callout) Kind() Kind     { return KindCallout }
func (*Citations) Kind() Kind   { return KindCitations }
func (*Media) Kind() Kind       { return KindMedia }
func (*ArtifactRef) Kind() Kind { return KindArtifactRef }
func (*Structured) Kind() Kind  { return KindStructured }
func (*Rule) Kind() Kind        { return KindRule }
func (*RawMarkdown) Kind() Kind { return KindRawMarkdown }

func (b *Heading) BlockID() ID     { return b.ID }
func (b *Paragraph) BlockID() ID   { return b.ID }
func (b *List) BlockID() ID        { return b.ID }
func (b *Table) BlockID() ID       { return b.ID }
func (b *Quote) BlockID() ID       { return b.ID }
func (b *Code) BlockID() ID        { return b.ID }
func (b *Diff) BlockID() ID        { return b.ID }
func (b *Diagram) BlockID() ID     { return b.ID }
func (b *Callout) BlockID() ID     { return b.ID }
func (b *Citations) BlockID() ID   { return b.ID }
func (b *Media) BlockID() ID       { return b.ID }
func (b *ArtifactRef) BlockID() ID { return b.ID }
func (b *Structured) BlockID() ID  { return b.ID }
func (b *Rule) BlockID() ID        { return b.ID }
func (b *RawMarkdown) BlockID() ID { return b.ID }

func (*Heading) sealed()     {}
func (*Paragraph) sealed()   {}
func (*List) sealed()        {}
func (*Table) sealed()       {}
func (*Quote) sealed()       {}
func (*Code) sealed()        {}
func (*Diff) sealed()        {}
func (*Diagram) sealed()     {}
func (*Callout) sealed()     {}
func (*Citations) sealed()   {}
func (*Media) sealed()       {}
func (*ArtifactRef) sealed() {}
func (*Structured) sealed()  {}
func (*Rule) sealed()        {}
func (*RawMarkdown) sealed() {}
