package doc

// An InlineKind names one of the nine kinds of inline in the wire form.
type InlineKind string

// The kinds of inline. The list is closed.
const (
	InlineText          InlineKind = "text"
	InlineStrong        InlineKind = "strong"
	InlineEmphasis      InlineKind = "emphasis"
	InlineStrikethrough InlineKind = "strikethrough"
	InlineSpoiler       InlineKind = "spoiler"
	InlineCode          InlineKind = "code"
	InlineLink          InlineKind = "link"
	InlineImage         InlineKind = "image"
	InlineBreak         InlineKind = "break"
)

// An Inline is one of the nine inline types of this package, always as a
// pointer: *Text, *Strong, *Emphasis, *Strikethrough, *Spoiler, *CodeSpan,
// *Link, *Image, *Break.
type Inline interface {
	InlineKind() InlineKind
	sealedInline()
}

type (
	// Text is plain text without any newline.
	Text struct{ Text string }

	// Strong is strong emphasis.
	Strong struct{ Children []Inline }

	// Emphasis is emphasis.
	Emphasis struct{ Children []Inline }

	// Strikethrough is text that no longer holds.
	Strikethrough struct{ Children []Inline }

	// Spoiler is text that a reader uncovers.
	Spoiler struct{ Children []Inline }

	// CodeSpan is preformatted text in a line. Math says that Text is TeX.
	CodeSpan struct {
		Text string
		Math bool
	}

	// A Link leads to Href, which is kept exactly as the author meant it. Safe
	// is true only for the schemes of [SafeURL]. Links do not nest.
	Link struct {
		Href     string
		Title    string
		Safe     bool
		Children []Inline
	}

	// An Image is a picture in a line. Src may be a data: address.
	Image struct {
		Src   string
		Alt   string
		Title string
		Safe  bool
	}

	// A Break ends a line: hard if the author asked for it, soft if the source
	// merely went on in the next line.
	Break struct{ Hard bool }
)

func (*Text) InlineKind() InlineKind          { return InlineText }
func (*Strong) InlineKind() InlineKind        { return InlineStrong }
func (*Emphasis) InlineKind() InlineKind      { return InlineEmphasis }
func (*Strikethrough) InlineKind() InlineKind { return InlineStrikethrough }
func (*Spoiler) InlineKind() InlineKind       { return InlineSpoiler }
func (*CodeSpan) InlineKind() InlineKind      { return InlineCode }
func (*Link) InlineKind() InlineKind          { return InlineLink }
func (*Image) InlineKind() InlineKind         { return InlineImage }
func (*Break) InlineKind() InlineKind         { return InlineBreak }

func (*Text) sealedInline()          {}
func (*Strong) sealedInline()        {}
func (*Emphasis) sealedInline()      {}
func (*Strikethrough) sealedInline() {}
func (*Spoiler) sealedInline()       {}
func (*CodeSpan) sealedInline()      {}
func (*Link) sealedInline()          {}
func (*Image) sealedInline()         {}
func (*Break) sealedInline()         {}
