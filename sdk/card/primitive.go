package card

// A Primitive names what a [Node] is. The list is closed.
type Primitive string

// The primitives.
const (
	PrimitiveStack   Primitive = "stack"
	PrimitiveRow     Primitive = "row"
	PrimitiveSection Primitive = "section"
	PrimitiveDivider Primitive = "divider"

	PrimitiveTitle   Primitive = "title"
	PrimitiveText    Primitive = "text"
	PrimitiveBadge   Primitive = "badge"
	PrimitiveCallout Primitive = "callout"
	PrimitiveQuote   Primitive = "quote"

	PrimitiveList       Primitive = "list"
	PrimitiveChecklist  Primitive = "checklist"
	PrimitiveTimeline   Primitive = "timeline"
	PrimitiveSteps      Primitive = "steps"
	PrimitiveKeyValue   Primitive = "key_value"
	PrimitiveTable      Primitive = "table"
	PrimitiveComparison Primitive = "comparison"

	PrimitiveMetric     Primitive = "metric"
	PrimitiveMetricGrid Primitive = "metric_grid"
	PrimitiveProgress   Primitive = "progress"
	PrimitiveChart      Primitive = "chart"

	PrimitiveImage       Primitive = "image"
	PrimitiveAudio       Primitive = "audio"
	PrimitiveVideo       Primitive = "video"
	PrimitiveFile        Primitive = "file"
	PrimitiveLinkPreview Primitive = "link_preview"
	PrimitiveMedia       Primitive = "media"

	PrimitiveDiff       Primitive = "diff"
	PrimitiveTestMatrix Primitive = "test_matrix"
	PrimitiveTerminal   Primitive = "terminal"
	PrimitiveCitations  Primitive = "citations"

	PrimitiveEmpty Primitive = "empty"
	PrimitiveError Primitive = "error"

	PrimitiveRecipe        Primitive = "recipe"
	PrimitiveResearch      Primitive = "research"
	PrimitiveUIPreview     Primitive = "ui_preview"
	PrimitiveUniversalCard Primitive = "universal_card"
)

// A Props is what a [Node] is and says: one of the structs of this package that
// are named for a primitive, by value.
type Props interface {
	Primitive() Primitive
	sealed()
}

// vocabulary is the closed list: a zero value of each.
func vocabulary() []Props {
	return []Props{
		Stack{}, Row{}, Section{}, Divider{},
		Title{}, Text{}, Badge{}, Callout{}, Quote{},
		List{}, Checklist{}, Timeline{}, Steps{}, KeyValue{}, Table{}, Comparison{},
		Metric{}, MetricGrid{}, Progress{}, Chart{},
		Image{}, Audio{}, Video{}, File{}, LinkPreview{}, Media{},
		Diff{}, TestMatrix{}, Terminal{}, Citations{},
		Empty{}, Error{},
		Recipe{}, Research{}, UIPreview{}, UniversalCard{},
	}
}

// HasChildren reports whether nodes of p may have children.
func (p Primitive) HasChildren() bool {
	switch p {
	case PrimitiveStack, PrimitiveRow, PrimitiveSection, PrimitiveCallout, PrimitiveQuote, PrimitiveUniversalCard:
		return true
	}
	return false
}

// A Tone is a token of style; what it looks like is for a client to say.
type Tone string

// The tones.
const (
	Neutral Tone = "neutral"
	Accent  Tone = "accent"
	Info    Tone = "info"
	Success Tone = "success"
	Warning Tone = "warning"
	Danger  Tone = "danger"
)

// An Emphasis is a token of style.
type Emphasis string

// The emphases.
const (
	Subtle Emphasis = "subtle"
	Strong Emphasis = "strong"
)

// A Status is how something stands. It is an open word; those here have a mark of
// their own, others are shown as they are.
type Status string

// The statuses that have a mark.
const (
	Done       Status = "done"
	InProgress Status = "in_progress"
	Planned    Status = "planned"
	Blocked    Status = "blocked"
	Cancelled  Status = "cancelled"
	Passed     Status = "passed"
	Failed     Status = "failed"
	Skipped    Status = "skipped"
)
