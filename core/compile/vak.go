package compile

import (
	"errors"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// card is the one place where a "vak" fence is looked at. One that nobody can open
// stays exact, as code, and a diagnostic says why.
func (b *builder) card(id doc.ID, meta, text string) doc.Block {
	output, err := b.envelope(text)
	if err != nil {
		b.refused(id, err)
		return &doc.Code{ID: id, Language: "vak", Meta: meta, Text: text}
	}
	return &doc.Structured{ID: id, Output: output, FallbackMarkdown: fenced(meta, text)}
}

// bare is the block of a text that is one envelope and nothing else, or nil. A text
// that only looks like one is read as markdown.
func (b *builder) bare(text string) doc.Block {
	if b.open == nil || !card.Looks(text) {
		return nil
	}
	id := doc.ID(strconv.Itoa(b.first + 1))
	output, err := b.envelope(text)
	if err != nil {
		b.refused("", err)
		return nil
	}
	return &doc.Structured{ID: id, Output: output, FallbackMarkdown: text}
}

// envelope is the canonical form of a card.
func (b *builder) envelope(text string) (string, error) {
	open := b.open
	if open == nil {
		open = unowned
	}
	o, err := open([]byte(text))
	if err != nil {
		return "", err
	}
	out, err := card.AppendOutput(nil, o)
	return string(out), err
}

// unowned reads envelopes where nobody owns a type.
func unowned(envelope []byte) (card.Output, error) {
	o, err := card.ParseOutput(envelope)
	if err == nil {
		err = &card.ProblemError{Kind: card.ErrUnknownType, Path: "/semantic_type", Want: "no skill owns the semantic type of this block"}
	}
	return o, err
}

// refused says why a card stays as it was written.
func (b *builder) refused(id doc.ID, err error) {
	code := "vak_malformed"
	switch {
	case errors.Is(err, card.ErrUnknownType):
		code = "vak_unknown_type"
	case errors.Is(err, card.ErrInvalid):
		code = "vak_invalid"
	}
	b.note(code, doc.Warning, id, err.Error())
}

// fenced is the fence that text was in, as long as it has to be.
func fenced(meta, text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c == '`' {
			run++
			longest = max(longest, run)
			continue
		}
		run = 0
	}
	fence := strings.Repeat("`", longest+1)
	return fence + strings.TrimSpace("vak "+meta) + "\n" + text + "\n" + fence
}
