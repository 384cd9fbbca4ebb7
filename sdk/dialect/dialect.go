// Package dialect describes how five kinds of message write what a document
// means: how text is escaped, how a construct opens and closes, what counts
// towards the limit, and what a reader sees of the result.
//
// A dialect is syntax only. It has no loop over blocks: the one walk over a
// document is in package layout. Each dialect stands beside its reader, so that
// what is written here can be read back here; core verifies every chunk with
// its own copy.
//
// All dialects are stateless values, safe for concurrent use.
package dialect

import "unicode/utf8"

// A Dialect is the syntax of one kind of message.
type Dialect interface {
	// Name is the name that profiles use: html, mrkdwn, discord, markdown, plain.
	Name() string

	// Escape appends s to dst so that a reader sees exactly s. s has no newline,
	// except in a fence, where Escape is called line by line all the same.
	Escape(dst []byte, s string, at Position) []byte

	// Syntax gives the markup for c between the runes that stand directly
	// outside of it (0 at the end of a line or a chunk). It reports false where
	// the construct cannot stand; its text is then printed without it.
	Syntax(c Construct, before, after rune) (Syntax, bool)

	// Measure counts a chunk, or a piece of one that is not cut inside a tag or
	// an escape. It is additive over such pieces.
	Measure(chunk []byte) Size

	// Visible appends what a reader of chunk sees. An address that a reader
	// reaches by touching a label is set between [TargetStart] and [TargetEnd]
	// behind the label.
	Visible(dst, chunk []byte) []byte
}

// Contextual is a [Dialect] whose Syntax depends on what stands inside and around
// a construct: First to Run of [Construct] are filled in for it.
type Contextual interface {
	Dialect
	contextual()
}

// Marks around a target that is behind a label in what Visible returns. Neither
// can occur in a chunk: control characters are not sent.
const (
	TargetStart = '\x0e'
	TargetEnd   = '\x0f'
)

// A Size counts a chunk as platforms do.
type Size struct {
	Visible     Count // what a reader sees
	Sent        Count // what is sent
	Entities    int   // pieces of markup
	EntityBytes int   // bytes that they take when stored
}

// A Count is a length in each of the units that platforms use.
type Count struct{ UTF16, Codepoints, Bytes int }

// Add returns the sum of s and t.
func (s Size) Add(t Size) Size {
	s.Visible = s.Visible.add(t.Visible)
	s.Sent = s.Sent.add(t.Sent)
	s.Entities += t.Entities
	s.EntityBytes += t.EntityBytes
	return s
}

func (c Count) add(d Count) Count {
	return Count{c.UTF16 + d.UTF16, c.Codepoints + d.Codepoints, c.Bytes + d.Bytes}
}

// The dialects.
var (
	TelegramHTML    Dialect = telegramHTML{}
	SlackMrkdwn     Dialect = slackMrkdwn{}
	DiscordMarkdown Dialect = discordMarkdown{}
	GFM             Dialect = gfm{}
	PlainText       Dialect = plainText{}
)

// ByName returns the dialect that profiles call name.
func ByName(name string) (Dialect, bool) {
	for _, d := range []Dialect{TelegramHTML, SlackMrkdwn, DiscordMarkdown, GFM, PlainText} {
		if d.Name() == name {
			return d, true
		}
	}
	return nil, false
}

// count counts b in every unit.
func count(b []byte) Count {
	runes := utf8.RuneCount(b)
	wide := 0
	if runes != len(b) {
		for _, c := range b {
			if c >= 0xF0 {
				wide++
			}
		}
	}
	return Count{UTF16: runes + wide, Codepoints: runes, Bytes: len(b)}
}

// sent is the size of a piece of a dialect in which only what is sent counts.
func sent(b []byte) Size {
	c := count(b)
	return Size{Visible: c, Sent: c}
}
