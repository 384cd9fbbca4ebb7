package fake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A TelegramEntity is a piece of markup as the Bot API shows it. Offset and
// length are in UTF-16 units.
type TelegramEntity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
}

// telegramTags are the tags of parse_mode HTML, with the entities that they
// become; of those with none, the attributes decide.
var telegramTags = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
	"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "span": "spoiler", "tg-spoiler": "spoiler",
	"a": "text_link", "code": "code", "pre": "pre", "blockquote": "blockquote", "tg-emoji": "custom_emoji", "tg-time": "date_time",
}

// openTag is a tag whose end has not come yet.
type openTag struct {
	name, argument string
	expandable     bool
	from, units    int // where its text starts, in bytes and UTF-16 units
}

// A markupError is why markup is refused, in the server's words.
type markupError string

func (e markupError) Error() string { return string(e) }

func wrongMarkup(format string, args ...any) error { return markupError(fmt.Sprintf(format, args...)) }

// An htmlReader reads what is sent with parse_mode HTML, by the server's rules and
// with its words where it refuses.
type htmlReader struct {
	in   string
	i    int
	out  strings.Builder
	u    int // UTF-16 units in out
	open []openTag
	all  []TelegramEntity
}

// parseTelegramHTML returns the text that is shown and its markup.
func parseTelegramHTML(s string) (string, []TelegramEntity, error) {
	r := &htmlReader{in: s}
	for r.i < len(r.in) {
		var err error
		switch c := r.in[r.i]; {
		case c == '&':
			r.write(r.entity())
		case c != '<':
			ch, n := utf8.DecodeRuneInString(r.in[r.i:])
			r.i += n
			r.write(string(ch))
		case strings.HasPrefix(r.in[r.i:], "</"):
			err = r.end()
		default:
			err = r.start()
		}
		if err != nil {
			return "", nil, err
		}
	}
	if n := len(r.open); n > 0 {
		return "", nil, wrongMarkup("Can't find end tag corresponding to start tag \"%s\"", r.open[n-1].name)
	}
	return r.out.String(), telegramKept(r.all), nil
}

func (r *htmlReader) write(s string) {
	r.out.WriteString(s)
	r.u += len(utf16.Encode([]rune(s)))
}

// entity decodes the one at i, or takes the & as it is.
func (r *htmlReader) entity() string {
	rest := r.in[r.i:]
	end := strings.IndexByte(rest[:min(len(rest), 12)], ';')
	if end > 0 {
		name := rest[1:end]
		if s, ok := map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`}[name]; ok {
			r.i += end + 1
			return s
		}
		if digits, ok := strings.CutPrefix(name, "#"); ok {
			base := 10
			if hex := strings.TrimPrefix(digits, "x"); hex != digits {
				digits, base = hex, 16
			}
			if n, err := strconv.ParseUint(digits, base, 32); err == nil && n > 0 && n < unicode.MaxRune {
				r.i += end + 1
				return string(rune(n))
			}
		}
	}
	r.i++
	return "&"
}

// at is the byte at i, or 0 at the end.
func (r *htmlReader) at() byte {
	if r.i < len(r.in) {
		return r.in[r.i]
	}
	return 0
}

func (r *htmlReader) space() bool {
	switch r.at() {
	case ' ', '\t', '\r', '\n', '\v', 0:
		return r.i < len(r.in)
	}
	return false
}

func (r *htmlReader) spaces() {
	for r.space() {
		r.i++
	}
}

// word is what stands until a space, one of stops, or the end.
func (r *htmlReader) word(stops string) string {
	from := r.i
	for r.i < len(r.in) && !r.space() && strings.IndexByte(stops, r.in[r.i]) < 0 {
		r.i++
	}
	return r.in[from:r.i]
}

func (r *htmlReader) start() error {
	begin := r.i
	r.i++
	name := strings.ToLower(r.word(">"))
	unclosed := wrongMarkup("Unclosed start tag \"%s\" at byte offset %d", name, begin)
	if r.i >= len(r.in) {
		return wrongMarkup("Unclosed start tag at byte offset %d", begin)
	}
	if telegramTags[name] == "" {
		return wrongMarkup("Unsupported start tag \"%s\" at byte offset %d", name, begin)
	}
	tag := openTag{name: name, from: r.out.Len(), units: r.u}
	for r.at() != '>' {
		r.spaces()
		if r.at() == '>' {
			break
		}
		attribute := strings.ToLower(r.word("=>"))
		r.spaces()
		if attribute == "" && r.i < len(r.in) {
			return wrongMarkup("Empty attribute name in the tag \"%s\" at byte offset %d", name, begin)
		}
		if r.i >= len(r.in) {
			return unclosed
		}
		if r.at() != '=' { // one without a value
			tag.expandable = tag.expandable || attribute == "expandable"
			continue
		}
		r.i++
		r.spaces()
		if r.i >= len(r.in) {
			return unclosed
		}
		value, err := r.value()
		if err != nil {
			return err
		}
		if r.i >= len(r.in) {
			return wrongMarkup("Unclosed start tag at byte offset %d", begin)
		}
		switch {
		case name == "a" && attribute == "href", name == "tg-emoji" && attribute == "emoji-id", name == "tg-time" && attribute == "unix":
			tag.argument = value
		case name == "code" && attribute == "class" && strings.HasPrefix(value, "language-"):
			tag.argument = value[len("language-"):]
		case name == "span" && attribute == "class" && strings.HasPrefix(value, "tg-"):
			tag.argument = value[len("tg-"):]
		case name == "blockquote" && attribute == "expandable":
			tag.expandable = true
		}
	}
	if name == "span" && tag.argument != "spoiler" {
		return wrongMarkup("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	r.i++
	r.open = append(r.open, tag)
	return nil
}

// value is an attribute's, in quotes or as a bare token.
func (r *htmlReader) value() (string, error) {
	quote := r.at()
	if quote != '"' && quote != '\'' {
		from := r.i
		for r.i < len(r.in) && (r.in[r.i] == '.' || r.in[r.i] == '-' || r.in[r.i] < utf8.RuneSelf && (unicode.IsLetter(rune(r.in[r.i])) || unicode.IsDigit(rune(r.in[r.i])))) {
			r.i++
		}
		if r.i < len(r.in) && !r.space() && r.at() != '>' {
			return "", wrongMarkup("Unexpected end of name token at byte offset %d", from)
		}
		return strings.ToLower(r.in[from:r.i]), nil
	}
	r.i++
	var b strings.Builder
	for r.i < len(r.in) && r.at() != quote {
		if r.at() == '&' {
			b.WriteString(r.entity())
			continue
		}
		b.WriteByte(r.at())
		r.i++
	}
	r.i++
	return b.String(), nil
}

func (r *htmlReader) end() error {
	begin := r.i
	if len(r.open) == 0 {
		return wrongMarkup("Unexpected end tag at byte offset %d", begin)
	}
	r.i += 2
	name := strings.ToLower(r.word(">"))
	r.spaces()
	if r.at() != '>' {
		return wrongMarkup("Unclosed end tag at byte offset %d", begin)
	}
	tag := r.open[len(r.open)-1]
	if name != "" && name != tag.name {
		return wrongMarkup("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, tag.name, name)
	}
	r.i++
	r.open = r.open[:len(r.open)-1]
	if r.u == tag.units {
		return nil // an empty pair is nothing
	}
	e := TelegramEntity{Type: telegramTags[tag.name], Offset: tag.units, Length: r.u - tag.units}
	switch tag.name {
	case "a":
		e.URL = tag.argument
		if e.URL == "" {
			e.URL = r.out.String()[tag.from:]
		}
		if !telegramLinks(e.URL) {
			return nil // without a word
		}
	case "pre", "code":
		e.Language = tag.argument
	case "blockquote":
		if tag.expandable {
			e.Type = "expandable_blockquote"
		}
	}
	r.all = append(r.all, e)
	return nil
}

// telegramLinks reports whether the server keeps a link to url.
func telegramLinks(url string) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "http", url
	}
	switch strings.ToLower(scheme) {
	case "tg", "ton", "tonsite":
		return rest != ""
	case "http", "https":
		if strings.Contains(rest, ":") && !ok && !strings.Contains(rest, ".") {
			return false
		}
		host := rest
		if i := strings.IndexAny(host, "/?#"); i >= 0 {
			host = host[:i]
		}
		host = host[strings.LastIndexByte(host, '@')+1:]
		dot := strings.IndexByte(host, '.')
		return dot > 0 && dot < len(host)-1 && !strings.ContainsAny(host, " <>")
	}
	return false
}

// rank orders markup of the same text: what excludes comes before what is excluded.
func rank(e TelegramEntity) int {
	return slices.Index([]string{"pre", "code", "text_link", "custom_emoji", "expandable_blockquote", "blockquote"}, e.Type) & 0xFF
}

// telegramKept repairs markup as the server does, without a word: code, pre and
// links exclude each other and the outer one stays, styles vanish in code, quotes
// in quotes are merged, and a language stands with the pre that it fills.
func telegramKept(all []TelegramEntity) []TelegramEntity {
	slices.SortStableFunc(all, func(a, b TelegramEntity) int {
		if a.Offset != b.Offset {
			return a.Offset - b.Offset
		}
		if a.Length != b.Length {
			return b.Length - a.Length
		}
		return rank(a) - rank(b)
	})
	hard := func(e TelegramEntity) bool {
		return slices.Contains([]string{"code", "pre", "text_link", "custom_emoji"}, e.Type)
	}
	quote := func(e TelegramEntity) bool { return strings.HasSuffix(e.Type, "blockquote") }
	var out []TelegramEntity
next:
	for _, e := range all {
		for i, o := range out {
			if e.Offset >= o.Offset+o.Length {
				continue
			}
			switch {
			case o.Type == "pre" && e.Type == "code" && e.Offset == o.Offset && e.Length == o.Length:
				out[i].Language = e.Language
				continue next
			case hard(o) && hard(e), quote(o) && quote(e), (o.Type == "code" || o.Type == "pre") && !quote(e):
				continue next
			}
		}
		if e.Type == "code" {
			e.Language = ""
		}
		out = append(out, e)
	}
	return out
}
