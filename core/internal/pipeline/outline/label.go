package outline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxKey bounds what is shown of a key or a path of keys, in bytes. A deep object
// with long keys would otherwise repeat them for every scalar.
const maxKey = 200

// Label is a key as a person reads it: "as_of" is "As of", "exitCode" is "Exit
// code", "repo_url" is "Repo URL". Words in capitals stay as they are.
func Label(key string) string {
	if len(key) > maxKey {
		key = Path(key)
	}
	var words []string
	parts := 0
	for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == '_' || r == '-' || unicode.IsSpace(r) }) {
		words = append(words, humps(part)...)
		parts++
	}
	made := len(words) > parts || strings.ContainsAny(key, "_-") // by a program, not by a person
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		rest := w[size:]
		switch {
		case acronyms[w]:
			words[i] = strings.ToUpper(w)
		case rest != "" && rest == strings.ToUpper(rest) && strings.IndexFunc(rest, unicode.IsUpper) >= 0: // an acronym
		case i == 0:
			words[i] = string(unicode.ToUpper(first)) + rest
		case made:
			words[i] = string(unicode.ToLower(first)) + rest
		}
	}
	if len(words) == 0 {
		return Path(key)
	}
	return strings.Join(words, " ")
}

// acronyms are words that are read letter by letter.
var acronyms = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("api cpu css csv eta eur gbp gpu html http https id ip json pdf sql ui uri url usd utc vat xml") {
		out[w] = true
	}
	return out
}()

// humps parts a word before each capital that follows a small letter or precedes
// one.
func humps(word string) []string {
	var out []string
	start := 0
	runes := []rune(word)
	at := 0
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])) {
			out = append(out, word[start:at])
			start = at
		}
		at += utf8.RuneLen(r)
	}
	return append(out, word[start:])
}

// Path is a key, or several joined by dots, of a length that a table bears: of a
// long one the end, which tells most. An empty one is a dash.
func Path(keys ...string) string {
	s := strings.Join(keys, ".")
	if strings.Trim(s, ".") == "" {
		return "–"
	}
	if len(s) <= maxKey {
		return s
	}
	cut := len(s) - maxKey
	for cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut++
	}
	return "…" + s[cut:]
}
