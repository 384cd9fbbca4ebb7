package doc

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// SourceMode says whether [Append] writes the source.
type SourceMode uint8

// The two forms of a document on the wire.
const (
	WithSource    SourceMode = iota
	WithoutSource            // renderers do not get the source
)

// Append appends the canonical JSON of d to dst: fields in a fixed order, no
// space, no field that is optional and zero, and no more escapes than JSON
// needs. There is no newline in it, so that it can be one line of a journal.
//
// A string that is not valid UTF-8 is written twice: under its name with each
// wrong byte replaced by U+FFFD, and exactly, in base64, as name_b64 behind it.
//
// The version written is [SchemaVersion], whatever d.Version says. [Parse] gives
// back what was written, except that an empty slice comes back as nil.
func Append(dst []byte, d *Document, m SourceMode) []byte {
	dst = append(dst, `{"schema_version":`...)
	dst = strconv.AppendInt(dst, SchemaVersion, 10)
	if m == WithSource {
		dst = optString(dst, "source_markdown", d.Source)
	}
	dst = blockArray(dst, "blocks", d.Blocks)
	if len(d.Diagnostics) > 0 {
		dst = append(dst, `,"diagnostics":[`...)
		for i := range d.Diagnostics {
			dst = comma(dst, i)
			dst = appendDiagnostic(dst, &d.Diagnostics[i])
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// MarshalJSON gives the canonical JSON of d with its source. Package
// encoding/json rewrites it with HTML escapes; [Append] does not.
func (d Document) MarshalJSON() ([]byte, error) {
	return Append(nil, &d, WithSource), nil
}

// AppendBlock appends the canonical JSON of one block, as it stands in that of
// its document.
func AppendBlock(dst []byte, b Block) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, b.Kind()...)
	dst = append(dst, `","id":"`...)
	dst = append(dst, b.BlockID()...) // an id is digits and full stops
	dst = append(dst, '"')
	switch b := b.(type) {
	case *Heading:
		dst = number(dst, "level", b.Level)
		dst = inlineArray(dst, "inlines", b.Inlines)
	case *Paragraph:
		dst = inlineArray(dst, "inlines", b.Inlines)
	case *List:
		dst = optBool(dst, "ordered", b.Ordered)
		dst = optNumber(dst, "start", b.Start)
		dst = append(dst, `,"items":[`...)
		for i := range b.Items {
			dst = comma(dst, i)
			dst = append(dst, '{')
			dst = optString(dst, "task", string(b.Items[i].Task))
			dst = blockArray(dst, "blocks", b.Items[i].Blocks)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	case *Table:
		dst = appendTable(dst, b)
	case *Quote:
		dst = blockArray(dst, "blocks", b.Blocks)
	case *Code:
		dst = optString(dst, "language", b.Language)
		dst = optString(dst, "filename", b.Filename)
		dst = optString(dst, "meta", b.Meta)
		dst = field(dst, "text", b.Text)
	case *Diff:
		dst = field(dst, "text", b.Text)
		dst = appendFiles(dst, b.Files)
	case *Diagram:
		dst = field(dst, "kind", b.DiagramKind)
		dst = optString(dst, "meta", b.Meta)
		dst = field(dst, "source", b.Source)
	case *Callout:
		dst = optString(dst, "tone", string(b.Tone))
		if len(b.Title) > 0 {
			dst = inlineArray(dst, "title", b.Title)
		}
		dst = blockArray(dst, "blocks", b.Blocks)
	case *Citations:
		dst = append(dst, `,"items":[`...)
		for i := range b.Items {
			it := &b.Items[i]
			dst = comma(dst, i)
			dst = append(dst, '{')
			dst = optString(dst, "label", it.Label)
			dst = optString(dst, "url", it.URL)
			dst = optString(dst, "title", it.Title)
			dst = blockArray(dst, "blocks", it.Blocks)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	case *Media:
		dst = field(dst, "source", b.Source)
		dst = optString(dst, "alt", b.Alt)
		dst = optString(dst, "media_type", b.MediaType)
		dst = optString(dst, "caption", b.Caption)
	case *ArtifactRef:
		dst = field(dst, "path", b.Path)
		dst = optString(dst, "project", b.Project)
		dst = optString(dst, "kind", b.ArtifactKind)
		dst = optString(dst, "mode", b.Mode)
		dst = optString(dst, "caption", b.Caption)
		dst = optString(dst, "text", b.Text)
		dst = optString(dst, "raw", b.Raw)
	case *Structured:
		// A string rather than an object: the exact bytes, which a ledger
		// hashes, then survive every JSON tool on the way.
		dst = field(dst, "output", b.Output)
		dst = optString(dst, "fallback_markdown", b.FallbackMarkdown)
	case *RawMarkdown:
		dst = field(dst, "markdown", b.Markdown)
		dst = optString(dst, "reason", b.Reason)
	}
	return append(dst, '}')
}

func appendTable(dst []byte, b *Table) []byte {
	for _, a := range b.Align {
		if a == AlignNone {
			continue
		}
		dst = append(dst, `,"align":[`...)
		for i, a := range b.Align {
			dst = comma(dst, i)
			dst = append(dst, '"')
			dst = append(dst, a...)
			dst = append(dst, '"')
		}
		dst = append(dst, ']')
		break
	}
	dst = append(dst, `,"header":`...)
	dst = appendRow(dst, b.Header)
	dst = append(dst, `,"rows":[`...)
	for i, r := range b.Rows {
		dst = comma(dst, i)
		dst = appendRow(dst, r)
	}
	return append(dst, ']')
}

func appendRow(dst []byte, row []Cell) []byte {
	dst = append(dst, '[')
	for i, c := range row {
		dst = comma(dst, i)
		dst = appendInlines(dst, c)
	}
	return append(dst, ']')
}

func appendFiles(dst []byte, files []DiffFile) []byte {
	if len(files) == 0 {
		return dst
	}
	dst = append(dst, `,"files":[`...)
	for i := range files {
		f := &files[i]
		dst = comma(dst, i)
		dst = append(dst, '{')
		dst = optString(dst, "old", f.Old)
		dst = optString(dst, "new", f.New)
		dst = optNumber(dst, "additions", f.Additions)
		dst = optNumber(dst, "deletions", f.Deletions)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendDiagnostic(dst []byte, g *Diagnostic) []byte {
	dst = append(dst, '{')
	dst = field(dst, "code", g.Code)
	dst = optString(dst, "severity", string(g.Severity))
	dst = optString(dst, "block", string(g.Block))
	dst = optString(dst, "message", g.Message)
	return append(dst, '}')
}

func appendInlines(dst []byte, ins []Inline) []byte {
	dst = append(dst, '[')
	for i, in := range ins {
		dst = comma(dst, i)
		dst = appendInline(dst, in)
	}
	return append(dst, ']')
}

func appendInline(dst []byte, in Inline) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, in.InlineKind()...)
	dst = append(dst, '"')
	switch in := in.(type) {
	case *Text:
		dst = field(dst, "text", in.Text)
	case *Strong:
		dst = inlineArray(dst, "children", in.Children)
	case *Emphasis:
		dst = inlineArray(dst, "children", in.Children)
	case *Strikethrough:
		dst = inlineArray(dst, "children", in.Children)
	case *Spoiler:
		dst = inlineArray(dst, "children", in.Children)
	case *CodeSpan:
		dst = field(dst, "text", in.Text)
		dst = optBool(dst, "math", in.Math)
	case *Link:
		dst = field(dst, "href", in.Href)
		dst = optString(dst, "title", in.Title)
		dst = optBool(dst, "safe", in.Safe)
		dst = inlineArray(dst, "children", in.Children)
	case *Image:
		dst = field(dst, "src", in.Src)
		dst = optString(dst, "alt", in.Alt)
		dst = optString(dst, "title", in.Title)
		dst = optBool(dst, "safe", in.Safe)
	case *Break:
		dst = optBool(dst, "hard", in.Hard)
	}
	return append(dst, '}')
}

func blockArray(dst []byte, name string, bs []Block) []byte {
	dst = append(key(dst, name), '[')
	for i, b := range bs {
		dst = comma(dst, i)
		dst = AppendBlock(dst, b)
	}
	return append(dst, ']')
}

func inlineArray(dst []byte, name string, ins []Inline) []byte {
	return appendInlines(key(dst, name), ins)
}

func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// key writes the name of a member, with a comma before it unless it is the
// first of its object.
func key(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func field(dst []byte, name, s string) []byte {
	dst = key(dst, name)
	if utf8.ValidString(s) {
		return AppendString(dst, s)
	}
	dst = AppendString(dst, repair(s))
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `_b64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
	return append(dst, '"')
}

func optString(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	return field(dst, name, s)
}

func number(dst []byte, name string, n int) []byte {
	return strconv.AppendInt(key(dst, name), int64(n), 10)
}

func optNumber(dst []byte, name string, n int) []byte {
	if n == 0 {
		return dst
	}
	return number(dst, name, n)
}

func optBool(dst []byte, name string, b bool) []byte {
	if !b {
		return dst
	}
	return append(key(dst, name), "true"...)
}

// repair replaces every byte that is not part of valid UTF-8 by U+FFFD, as
// ranging over the string does.
func repair(s string) string {
	out := make([]byte, 0, len(s)+16)
	for _, r := range s {
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// AppendString appends s as a JSON string in canonical form: with no escapes but
// those that JSON demands. s has to be valid UTF-8.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
