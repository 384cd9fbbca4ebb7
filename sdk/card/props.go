package card

// Structure.
type (
	// A Stack shows its children below each other.
	Stack struct {
		Density string `json:"density,omitempty"` // compact, comfortable or empty
	}

	// A Row shows its children beside each other where there is room.
	Row struct {
		Density string `json:"density,omitempty"`
	}

	// A Section has a title and children.
	Section struct {
		Title string `json:"title,omitempty"`
		Width string `json:"width,omitempty"` // narrow, wide or empty
	}

	// A Divider parts what is above from what is below.
	Divider struct{}
)

// Content.
type (
	// A Title is a heading. Level is 1 to 6; 0 is 2.
	Title struct {
		Text  string `json:"text"`
		Level int    `json:"level,omitempty"`
	}

	// A Text is running text: lines end at newlines, paragraphs at empty lines.
	Text struct {
		Text     string   `json:"text"`
		Tone     Tone     `json:"tone,omitempty"`
		Emphasis Emphasis `json:"emphasis,omitempty"`
	}

	// A Badge is a word or two that stand out.
	Badge struct {
		Text string `json:"text"`
		Tone Tone   `json:"tone,omitempty"`
	}

	// A Callout is a titled aside; its children follow its text.
	Callout struct {
		Tone  Tone   `json:"tone,omitempty"`
		Title string `json:"title,omitempty"`
		Text  string `json:"text,omitempty"`
	}

	// A Quote is what somebody else said; its children follow its text.
	Quote struct {
		Text   string `json:"text,omitempty"`
		Source string `json:"source,omitempty"` // who said it
		URL    string `json:"url,omitempty"`    // where
	}
)

// Collections.
type (
	// A List is a list of texts.
	List struct {
		Ordered bool       `json:"ordered,omitempty"`
		Items   []ListItem `json:"items"`
	}

	// A ListItem is one entry of a [List].
	ListItem struct {
		Text   string `json:"text"`
		Detail string `json:"detail,omitempty"`
		URL    string `json:"url,omitempty"` // what Text links to
	}

	// A Checklist is a list of things to do.
	Checklist struct {
		Items []CheckItem `json:"items"`
	}

	// A CheckItem is one entry of a [Checklist].
	CheckItem struct {
		Text   string `json:"text"`
		Done   bool   `json:"done,omitempty"`
		Detail string `json:"detail,omitempty"`
	}

	// A Timeline is what happens one after the other.
	Timeline struct {
		Items []Event `json:"items"`
	}

	// An Event is one entry of a [Timeline].
	Event struct {
		Label  string `json:"label"`
		Time   string `json:"time,omitempty"` // as it is to be shown
		Detail string `json:"detail,omitempty"`
		Status Status `json:"status,omitempty"`
	}

	// Steps are instructions in order.
	Steps struct {
		Items []Step `json:"items"`
	}

	// A Step is one of [Steps].
	Step struct {
		Title        string `json:"title,omitempty"`
		Text         string `json:"text"`
		TimerSeconds Scalar `json:"timer_seconds,omitzero"` // how long it takes
	}

	// A KeyValue is a list of named values.
	KeyValue struct {
		Items []Pair `json:"items"`
	}

	// A Pair is one entry of a [KeyValue].
	Pair struct {
		Key   string `json:"key"`
		Value Scalar `json:"value"`
		Unit  string `json:"unit,omitempty"`
		URL   string `json:"url,omitempty"` // what the value links to
	}

	// A Table has columns, and rows with one cell for each of them.
	Table struct {
		Caption string     `json:"caption,omitempty"`
		Columns []Column   `json:"columns"`
		Rows    [][]Scalar `json:"rows"`
	}

	// A Comparison is a [Table] whose rows are properties and whose columns, from
	// the second on, are what is compared.
	Comparison struct {
		Caption string     `json:"caption,omitempty"`
		Columns []Column   `json:"columns"`
		Rows    [][]Scalar `json:"rows"`
	}

	// A Column is one of a table. Key is for programs and not shown.
	Column struct {
		Key     string `json:"key,omitempty"`
		Label   string `json:"label"`
		Numeric bool   `json:"numeric,omitempty"` // aligned right
	}
)

// Data.
type (
	// A Metric is one figure.
	Metric struct {
		Label  string `json:"label"`
		Value  Scalar `json:"value"`
		Unit   string `json:"unit,omitempty"`
		Change string `json:"change,omitempty"` // against what it was, as it is to be shown
		Detail string `json:"detail,omitempty"`
		Tone   Tone   `json:"tone,omitempty"`
	}

	// A MetricGrid is several figures.
	MetricGrid struct {
		Metrics []Metric `json:"metrics"`
	}

	// A Progress is how far something is.
	Progress struct {
		Label string `json:"label,omitempty"`
		Value Scalar `json:"value"`
		Max   Scalar `json:"max,omitzero"` // absent: 100
		Unit  string `json:"unit,omitempty"`
	}

	// A Chart is series of points. Summary says in words what it shows, for whoever
	// does not see it drawn.
	Chart struct {
		Form    string   `json:"form"` // line, bar or area
		Title   string   `json:"title,omitempty"`
		Summary string   `json:"summary"`
		XLabel  string   `json:"x_label,omitempty"`
		YLabel  string   `json:"y_label,omitempty"`
		Series  []Series `json:"series"`
	}

	// A Series is one line of a [Chart].
	Series struct {
		Name   string  `json:"name"`
		Unit   string  `json:"unit,omitempty"`
		Points []Point `json:"points"`
	}

	// A Point is one point of a [Series]. Y is a number, or null where there is none.
	Point struct {
		X Scalar `json:"x"`
		Y Scalar `json:"y"`
	}
)

// Media. A Source is an address; Alt says in words what there is to see or hear.
type (
	// An Image is a picture.
	Image struct {
		Source    string `json:"source"`
		Alt       string `json:"alt"`
		MediaType string `json:"media_type,omitempty"`
		Caption   string `json:"caption,omitempty"`
	}

	// An Audio is a sound.
	Audio struct {
		Source    string `json:"source"`
		Alt       string `json:"alt"`
		MediaType string `json:"media_type,omitempty"`
		Caption   string `json:"caption,omitempty"`
	}

	// A Video is a moving picture.
	Video struct {
		Source    string `json:"source"`
		Alt       string `json:"alt"`
		MediaType string `json:"media_type,omitempty"`
		Caption   string `json:"caption,omitempty"`
	}

	// A File is something to fetch.
	File struct {
		Source    string `json:"source"`
		Name      string `json:"name"`
		MediaType string `json:"media_type,omitempty"`
		Bytes     Scalar `json:"bytes,omitzero"`
		Alt       string `json:"alt,omitempty"`
	}

	// A LinkPreview is a page that is elsewhere.
	LinkPreview struct {
		URL         string `json:"url"`
		Title       string `json:"title"`
		Description string `json:"description,omitempty"`
		Site        string `json:"site,omitempty"`
		Image       string `json:"image,omitempty"` // address of a picture of it
	}

	// A Media is a picture, a sound or a video, as its MediaType says.
	Media struct {
		Source    string `json:"source"`
		MediaType string `json:"media_type"`
		Alt       string `json:"alt"`
		Caption   string `json:"caption,omitempty"`
	}
)

// Work.
type (
	// A Diff is what changed, file by file.
	Diff struct {
		Files []DiffFile `json:"files"`
	}

	// A DiffFile is one file of a [Diff]. A hunk is its lines, each with ' ', '+' or
	// '-' before it, below its header if it has one.
	DiffFile struct {
		Filename  string   `json:"filename"`
		OldName   string   `json:"old_name,omitempty"`
		Additions Scalar   `json:"additions,omitzero"`
		Deletions Scalar   `json:"deletions,omitzero"`
		Hunks     []string `json:"hunks"`
	}

	// A TestMatrix is what came of tests. Counts that are absent are counted.
	TestMatrix struct {
		Title   string `json:"title,omitempty"`
		Tests   []Test `json:"tests"`
		Passed  Scalar `json:"passed,omitzero"`
		Failed  Scalar `json:"failed,omitzero"`
		Skipped Scalar `json:"skipped,omitzero"`
		Total   Scalar `json:"total,omitzero"`

		DurationMS Scalar `json:"duration_ms,omitzero"`
	}

	// A Test is one test of a [TestMatrix].
	Test struct {
		Name       string `json:"name"`
		Status     Status `json:"status"`
		DurationMS Scalar `json:"duration_ms,omitzero"`
		Message    string `json:"message,omitempty"` // why it failed; it may have lines
	}

	// A Terminal is a command and what it wrote.
	Terminal struct {
		Command    string `json:"command,omitempty"`
		Output     string `json:"output"`
		ExitCode   Scalar `json:"exit_code,omitzero"`
		DurationMS Scalar `json:"duration_ms,omitzero"`
	}

	// Citations are numbered sources.
	Citations struct {
		Items []Citation `json:"items"`
	}

	// A Citation is one source.
	Citation struct {
		Title       string `json:"title"`
		URL         string `json:"url"`
		Snippet     string `json:"snippet,omitempty"`
		SourceName  string `json:"source_name,omitempty"`
		PublishedAt string `json:"published_at,omitempty"`
	}
)

// States.
type (
	// An Empty says that there is nothing, and of what.
	Empty struct {
		Text string `json:"text"`
	}

	// An Error says what did not work.
	Error struct {
		Title string `json:"title,omitempty"`
		Text  string `json:"text"`
	}
)

// Domains.
type (
	// A Recipe is how to cook something.
	Recipe struct {
		Title       string       `json:"title"`
		Summary     string       `json:"summary,omitempty"`
		Servings    Scalar       `json:"servings,omitzero"`
		Ingredients []Ingredient `json:"ingredients"`
		Steps       []Step       `json:"steps"`
	}

	// An Ingredient is one of a [Recipe].
	Ingredient struct {
		Name   string `json:"name"`
		Amount Scalar `json:"amount,omitzero"`
		Unit   string `json:"unit,omitempty"`
	}

	// A Research is what was found out, and where.
	Research struct {
		Title     string     `json:"title,omitempty"`
		Summary   string     `json:"summary,omitempty"`
		Takeaways []Takeaway `json:"takeaways"`
		Sources   []Citation `json:"sources"`
	}

	// A Takeaway is one finding. Sources are those that it rests on, from 1.
	Takeaway struct {
		Text    string `json:"text"`
		Sources []int  `json:"sources,omitempty"`
	}

	// A UIPreview is a user interface that was made.
	UIPreview struct {
		Title        string `json:"title,omitempty"`
		Status       Status `json:"status,omitempty"`
		ArtifactPath string `json:"artifact_path,omitempty"` // of a document
		HTML         string `json:"html,omitempty"`          // its source; text surfaces show it as code
	}

	// A UniversalCard is a card of no particular shape; its children are its body.
	UniversalCard struct {
		Title   string `json:"title,omitempty"`
		Summary string `json:"summary,omitempty"`
	}
)
