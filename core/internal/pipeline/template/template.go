package template

import (
	"fmt"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// The bounds of a format.
const (
	MaxFormat  = 64 << 10 // bytes
	MaxNodes   = 128      // literals, slots and conditionals together
	MaxDepth   = 8        // of conditionals within each other, of blocks, of inlines
	MaxLiteral = 16_384   // characters of the text between two slots
)

// A Template is a compiled format. It is immutable.
type Template struct {
	ID       string
	Revision int

	marks  []mark
	blocks []doc.Block // as compiled, slots are still marks; ids are below "0"
}

// Values are what the slots are filled with, besides the answer.
type Values struct {
	// Title is what {title} shows. Blank: the answer's first heading.
	Title string

	// Metadata is what {metadata.KEY} shows.
	Metadata map[string]string
}

// Compile reads a format. What is wrong with it is an [*Error]. The id and the
// revision are only kept.
func Compile(id string, revision int, format string) (*Template, error) {
	marks, text, err := lex(format)
	if err != nil {
		return nil, err
	}
	// Code stays as it is written. What is code only the compiler can tell, and
	// spreading conditionals over lines can make some more.
	d, err := compiled(text.plain(marks))
	if err != nil {
		return nil, err
	}
	written(d.Blocks, marks)
	for range MaxDepth {
		if err := pair(marks); err != nil {
			return nil, err
		}
		if d, err = compiled(text.spread(marks)); err != nil {
			return nil, err
		}
		if written(d.Blocks, marks) {
			continue
		}
		if err := check(d.Blocks, marks); err != nil {
			return nil, err
		}
		return &Template{ID: id, Revision: revision, marks: marks, blocks: below("0", d.Blocks)}, nil
	}
	return nil, &Error{Line: 1, Column: 1, What: "conditionals and code cannot be told apart", Mend: "put the marks of conditionals around whole code blocks, on lines of their own"}
}

func compiled(text string) (*doc.Document, error) {
	d, err := compile.Markdown(text)
	if err != nil { // a format is much smaller than what the compiler takes
		return nil, &Error{Line: 1, Column: 1, What: err.Error()}
	}
	return d, nil
}

// tooLong says which bound of a whole format it exceeds, if any.
func tooLong(format string) error {
	switch {
	case len(format) > MaxFormat:
		return &Error{Line: 1, Column: 1, What: fmt.Sprintf("the format has %d bytes and the limit is %d", len(format), MaxFormat), Mend: "shorten it"}
	case !utf8.ValidString(format):
		return &Error{Line: 1, Column: 1, What: "the format is not UTF-8", Mend: "save it as UTF-8"}
	}
	return nil
}
