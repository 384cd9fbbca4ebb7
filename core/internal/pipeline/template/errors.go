package template

import "fmt"

// An Error says what is wrong with a format, where, and what to do about it.
type Error struct {
	Line   int // from 1
	Column int // in characters, from 1
	What   string
	Mend   string // may be empty
}

// Error is one line: place, what and mend.
func (e *Error) Error() string {
	text := fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
	if e.Mend != "" {
		text += "; " + e.Mend
	}
	return text
}

// SlotNames are the slots as a person writes them, for errors and help.
const SlotNames = "{title}, {body}, {source_markdown}, {block_count}, {metadata.KEY}"
