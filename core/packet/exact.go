package packet

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// Exact splits source into what a JSON string can hold and, where that is not
// all of it, the base64 of the exact bytes. Every byte that is not UTF-8 is one
// U+FFFD in the text.
func Exact(source string) (text, b64 string) {
	if utf8.ValidString(source) {
		return source, ""
	}
	var b strings.Builder
	b.Grow(len(source) + len(source)/4)
	for _, r := range source { // each bad byte is one U+FFFD, as encoding/json has it
		b.WriteRune(r)
	}
	return b.String(), base64.StdEncoding.EncodeToString([]byte(source))
}

// Source returns the exact source of the answer.
func (p *Packet) Source() (string, error) {
	if p.FallbackB64 == "" {
		return p.FallbackMarkdown, nil
	}
	b, err := base64.StdEncoding.DecodeString(p.FallbackB64)
	return string(b), err
}
