package compile

import (
	"html"
	"maps"
	"slices"
	"strings"
)

// A tagAct is what becomes of an HTML element.
type tagAct uint8

const (
	actUnknown tagAct = iota // literal text
	actStrong
	actEmphasis
	actStrike
	actSuper
	actSub
	actLink
	actSpan // an inline element without a counterpart: only its tags vanish
	actCode // code up to its end tag
	actBreak
	actImage
	actVoid // an element without content that shows nothing

	// From here on, elements that begin a block of their own.

	actWrap // no counterpart: it ends a paragraph, and its tags vanish
	actRule
	actHeading
	actList
	actItem
	actQuote
	actTable
	actRow
	actCell
	actPre
	actDetails
	actSummary
)

func (a tagAct) block() bool { return a >= actWrap }

// A tagID numbers a known element, from 1.
type tagID uint8

// tagCount is above every tagID.
const tagCount = 96

// tagIDs numbers the names of tagActs.
var tagIDs = func() map[string]tagID {
	ids := make(map[string]tagID, len(tagActs))
	// Those first that noEnds has a place for.
	for _, name := range []string{"code", "kbd", "samp", "tt", "pre"} {
		ids[name] = tagID(len(ids) + 1)
	}
	for _, name := range slices.Sorted(maps.Keys(tagActs)) {
		if ids[name] == 0 {
			ids[name] = tagID(len(ids) + 1)
		}
	}
	return ids
}()

// tagActs names the elements that are known. All others stay literal text: a
// placeholder such as <name>, a type parameter, a form, a script.
var tagActs = map[string]tagAct{
	"b": actStrong, "strong": actStrong,
	"i": actEmphasis, "em": actEmphasis, "u": actEmphasis, "cite": actEmphasis, "dfn": actEmphasis, "var": actEmphasis,
	"s": actStrike, "del": actStrike, "strike": actStrike,
	"sup": actSuper, "sub": actSub,
	"a":    actLink,
	"span": actSpan, "font": actSpan, "small": actSpan, "big": actSpan, "mark": actSpan, "ins": actSpan, "abbr": actSpan,
	"nobr": actSpan, "bdi": actSpan, "q": actSpan, "picture": actSpan, "ruby": actSpan, "rt": actSpan, "rp": actSpan,
	"code": actCode, "kbd": actCode, "samp": actCode, "tt": actCode,
	"br": actBreak, "img": actImage, "wbr": actVoid, "source": actVoid, "col": actVoid,

	"p": actWrap, "div": actWrap, "center": actWrap, "section": actWrap, "article": actWrap, "header": actWrap,
	"footer": actWrap, "main": actWrap, "aside": actWrap, "nav": actWrap, "figure": actWrap, "figcaption": actWrap,
	"dl": actWrap, "dt": actWrap, "dd": actWrap, "caption": actWrap, "colgroup": actWrap, "address": actWrap,
	"thead": actWrap, "tbody": actWrap, "tfoot": actWrap,
	"hr": actRule,
	"h1": actHeading, "h2": actHeading, "h3": actHeading, "h4": actHeading, "h5": actHeading, "h6": actHeading,
	"ul": actList, "ol": actList, "li": actItem,
	"blockquote": actQuote,
	"table":      actTable, "tr": actRow, "td": actCell, "th": actCell,
	"pre":     actPre,
	"details": actDetails, "summary": actSummary,
}

// A tag is one start or end tag.
type tag struct {
	name  string // lower case
	act   tagAct
	id    tagID
	end   bool   // an end tag
	attrs string // as written, without the name
}

// readTag reads the tag at s[i], which is "<", by the grammar of CommonMark, and
// returns the offset behind it, or -1.
func readTag(s string, i int) (t tag, end int) {
	i++
	if i < len(s) && s[i] == '/' {
		t.end = true
		i++
	}
	start := i
	upper := false
	for i < len(s) && (isAlnum(s[i]) || s[i] == '-') {
		upper = upper || s[i] <= 'Z' && s[i] >= 'A'
		i++
	}
	if i == start || !isAlpha(s[start]) {
		return t, -1
	}
	t.name = s[start:i]
	if upper {
		t.name = strings.ToLower(t.name)
	}
	if i < len(s) && s[i] == '>' { // most tags have no attributes
		t.know()
		return t, i + 1
	}
	from := i
	for {
		space := i
		i = skipToWord(s, i)
		if i >= len(s) {
			return t, -1
		}
		switch c := s[i]; {
		case c == '>':
			t.attrs = s[from:i]
			t.know()
			return t, i + 1
		case c == '/' && !t.end && i+1 < len(s) && s[i+1] == '>':
			t.attrs = s[from:i]
			t.know()
			return t, i + 2
		case t.end || space == i || !isAlpha(c) && c != '_' && c != ':':
			return t, -1
		}
		if i = skipAttribute(s, i); i < 0 {
			return t, -1
		}
	}
}

// know looks up what the element is. What stands between angle brackets like
// the attributes of a tag and is none makes the whole no tag: "if a<b and c>d".
func (t *tag) know() {
	if t.attrs != "" && !attributes(t.attrs) {
		return
	}
	if t.act = tagActs[t.name]; t.act != actUnknown {
		t.id = tagIDs[t.name]
	}
}

// attributes reports whether s holds attributes: some with a value, or only
// such as have none in HTML.
func attributes(s string) bool {
	if strings.IndexByte(s, '=') >= 0 {
		return true
	}
	for word := range strings.FieldsSeq(s) {
		switch strings.ToLower(word) {
		case "open", "checked", "disabled", "controls", "hidden", "autoplay", "loop", "muted", "reversed",
			"nowrap", "noshade", "compact", "async", "defer", "allowfullscreen", "playsinline":
		default:
			return false
		}
	}
	return true
}

// skipAttribute returns the offset behind the attribute at s[i], or -1.
func skipAttribute(s string, i int) int {
	for i < len(s) && (isAlnum(s[i]) || s[i] == '_' || s[i] == '.' || s[i] == ':' || s[i] == '-') {
		i++
	}
	v := skipToWord(s, i)
	if v >= len(s) || s[v] != '=' {
		return i
	}
	_, i = attributeValue(s, skipToWord(s, v+1))
	return i
}

// attributeValue reads a quoted or bare value and returns the offset behind it,
// or -1.
func attributeValue(s string, i int) (string, int) {
	if i >= len(s) {
		return "", -1
	}
	if q := s[i]; q == '"' || q == '\'' {
		n := strings.IndexByte(s[i+1:], q)
		if n < 0 {
			return "", -1
		}
		return s[i+1 : i+1+n], i + n + 2
	}
	start := i
	for i < len(s) && strings.IndexByte(" \t\n\"'=<>`", s[i]) < 0 {
		i++
	}
	if i == start {
		return "", -1
	}
	return s[start:i], i
}

// attr returns the value of an attribute of t, decoded.
func (t *tag) attr(name string) (string, bool) {
	s := t.attrs
	for i := 0; ; {
		i = skipToWord(s, i)
		if i >= len(s) || !isAlpha(s[i]) && s[i] != '_' && s[i] != ':' {
			return "", false
		}
		end := i
		for end < len(s) && (isAlnum(s[end]) || s[end] == '_' || s[end] == '.' || s[end] == ':' || s[end] == '-') {
			end++
		}
		found := strings.EqualFold(s[i:end], name)
		v := skipToWord(s, end)
		if v >= len(s) || s[v] != '=' {
			if found {
				return "", true
			}
			i = end
			continue
		}
		value, next := attributeValue(s, skipToWord(s, v+1))
		if next < 0 {
			return "", false
		}
		if found {
			return cleanWord(html.UnescapeString(value)), true
		}
		i = next
	}
}

// commentEnd returns the offset behind the comment at s[i:], which begins with
// "<!--", or -1 if it does not end.
func commentEnd(s string, i int) int {
	rest := s[i+4:]
	switch {
	case strings.HasPrefix(rest, ">"):
		return i + 5
	case strings.HasPrefix(rest, "->"):
		return i + 6
	}
	if n := strings.Index(rest, "-->"); n >= 0 {
		return i + 4 + n + 3
	}
	return -1
}

// indexEndTag finds "</name" in s, in any case of letters, and returns the
// offsets of its start and behind its ">", or -1.
func indexEndTag(s, name string) (start, end int) {
	for i := 0; ; {
		n := strings.Index(s[i:], "</")
		if n < 0 {
			return -1, -1
		}
		i += n
		if j := i + 2 + len(name); j < len(s) && strings.EqualFold(s[i+2:j], name) {
			if k := skipToWord(s, j); k < len(s) && s[k] == '>' {
				return i, k + 1
			}
		}
		i += 2
	}
}

// textOfHTML is what a reader of a code element sees: its text without tags and
// with entities decoded.
func textOfHTML(s string) string {
	if strings.IndexByte(s, '<') >= 0 {
		var out strings.Builder
		from := 0
		for i := 0; i < len(s); {
			if s[i] == '<' {
				if t, end := readTag(s, i); end > 0 && t.act != actUnknown {
					out.WriteString(s[from:i])
					if t.act == actBreak {
						out.WriteByte('\n')
					}
					i, from = end, end
					continue
				}
			}
			i++
		}
		out.WriteString(s[from:])
		s = out.String()
	}
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return Clean(html.UnescapeString(s))
}
