package oracle

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ebitengine/purego"
)

// Telegram reads chunks with TDLib, the library that the Bot API server itself
// runs. Its synchronous calls need neither a client nor a network.
type Telegram struct {
	execute func(string) string
}

// What the Bot API server allows one message.
const (
	telegramMax      = 4096    // counted here in UTF-16 units, the stricter of the two units in use
	telegramMaxBytes = 1 << 15 // before parsing
	telegramEntities = 100     // the rest is ignored without an error
)

// LoadTelegram loads TDLib from the shared library at path.
func LoadTelegram(path string) (*Telegram, error) {
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	t := &Telegram{}
	purego.RegisterLibFunc(&t.execute, lib, "td_execute")
	if err := t.call(map[string]any{"@type": "setLogVerbosityLevel", "new_verbosity_level": 0}, nil); err != nil {
		return nil, err
	}
	return t, nil
}

type tdEntity struct {
	Offset int `json:"offset"`
	Length int `json:"length"`
	Type   struct {
		Type     string `json:"@type"`
		URL      string `json:"url,omitempty"`
		Language string `json:"language,omitempty"`
	} `json:"type"`
}

type tdText struct {
	Type     string          `json:"@type"`
	Text     string          `json:"text"`
	Entities json.RawMessage `json:"entities"`
}

func (t *Telegram) call(request map[string]any, answer any) error {
	b, err := json.Marshal(request)
	if err != nil {
		return err
	}
	out := t.execute(string(b))
	var failure struct {
		Type    string `json:"@type"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(out), &failure); err != nil {
		return fmt.Errorf("tdlib: %w", err)
	}
	if failure.Type == "error" {
		return fmt.Errorf("tdlib: %s", failure.Message)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal([]byte(out), answer)
}

// Read parses chunk as a bot's message in HTML mode and checks everything that
// the server checks before it sends.
func (t *Telegram) Read(chunk string) (Reading, error) {
	var r Reading
	if len(chunk) > telegramMaxBytes {
		r.Faults = append(r.Faults, fmt.Sprintf("%d bytes before parsing", len(chunk)))
	}
	if !utf8.ValidString(chunk) {
		return r, fmt.Errorf("telegram: chunk is not UTF-8")
	}
	var parsed tdText
	err := t.call(map[string]any{
		"@type": "parseTextEntities", "text": chunk,
		"parse_mode": map[string]any{"@type": "textParseModeHTML"},
	}, &parsed)
	if err != nil {
		return r, err
	}
	var entities []tdEntity
	if err := json.Unmarshal(parsed.Entities, &entities); err != nil {
		return r, err
	}
	units := utf16.Encode([]rune(parsed.Text))
	r.Entities = len(entities)
	if n := len(units); n > telegramMax {
		r.Faults = append(r.Faults, fmt.Sprintf("%d UTF-16 units", n))
	}
	if n := len(entities); n > telegramEntities {
		r.Faults = append(r.Faults, fmt.Sprintf("%d entities", n))
	}
	if len(visible(parsed.Text)) == 0 {
		r.Faults = append(r.Faults, "blank message")
	}

	marks := mark(units, entities)
	if err := t.sent(&r, parsed, units, marks); err != nil {
		return r, err
	}

	// The server makes links of bare addresses by itself, as it does of names.
	var found struct {
		Entities []tdEntity `json:"entities"`
	}
	if err := t.call(map[string]any{"@type": "getTextEntities", "text": parsed.Text}, &found); err != nil {
		return r, err
	}
	for _, e := range found.Entities {
		if e.Offset+e.Length > len(units) || marks[e.Offset].style&(Code|Pre|Link) != 0 {
			continue
		}
		text := string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		switch e.Type.Type {
		case "textEntityTypeUrl":
			for i := e.Offset; i < e.Offset+e.Length; i++ {
				marks[i].style |= Link
				marks[i].href = text
			}
		case "textEntityTypeMention":
			r.Live = append(r.Live, text)
		}
	}
	r.Runs = runs(units, marks)
	return r, nil
}

// Link implements [Parser].
func (*Telegram) Link(href string) string { return `<a href="` + html.EscapeString(href) + `">x</a>` }

// marked is how one UTF-16 unit looks.
type marked struct {
	style      Style
	href, lang string
}

func mark(units []uint16, entities []tdEntity) []marked {
	marks := make([]marked, len(units))
	for _, e := range entities {
		for i := e.Offset; i < min(e.Offset+e.Length, len(units)); i++ {
			m := &marks[i]
			switch e.Type.Type {
			case "textEntityTypeBold":
				m.style |= Strong
			case "textEntityTypeItalic":
				m.style |= Emphasis
			case "textEntityTypeStrikethrough":
				m.style |= Strike
			case "textEntityTypeSpoiler":
				m.style |= Spoiler
			case "textEntityTypeCode":
				m.style |= Code
			case "textEntityTypePre":
				m.style |= Pre
			case "textEntityTypePreCode":
				m.style |= Pre
				m.lang = e.Type.Language
			case "textEntityTypeBlockQuote", "textEntityTypeExpandableBlockQuote":
				m.style |= Quote
			case "textEntityTypeTextUrl":
				m.style |= Link
				m.href = e.Type.URL
			}
		}
	}
	return marks
}

// hide replaces the markers of Telegram's markdown by private characters.
var hide, unhide = func() (*strings.Replacer, *strings.Replacer) {
	var h, u []string
	for i, c := range "*_~|`[]()!" {
		private := string(rune(0xF8D0 + i))
		h = append(h, string(c), private)
		u = append(u, private, string(c))
	}
	return strings.NewReplacer(h...), strings.NewReplacer(u...)
}()

// sent finds out what becomes of the entities on the way out. The server mends
// overlapping and forbidden entities without a word; parseMarkdown is the one
// call that runs the same code offline, so the text is given to it with its own
// markers hidden.
func (t *Telegram) sent(r *Reading, parsed tdText, units []uint16, marks []marked) error {
	var out tdText
	err := t.call(map[string]any{
		"@type": "parseMarkdown",
		"text":  map[string]any{"@type": "formattedText", "text": hide.Replace(parsed.Text), "entities": parsed.Entities},
	}, &out)
	if err != nil {
		return err
	}
	text := unhide.Replace(out.Text)
	if text != parsed.Text {
		// Telegram removes and replaces characters of its own list; only what a
		// reader would miss is a fault.
		if string(visible(text)) != string(visible(parsed.Text)) {
			r.Faults = append(r.Faults, "Telegram would change the text itself")
		}
		if len(utf16.Encode([]rune(text))) != len(units) {
			return nil // offsets cannot be compared
		}
	}
	var kept []tdEntity
	if err := json.Unmarshal(out.Entities, &kept); err != nil {
		return err
	}
	after := mark(units, kept)
	for i := 0; i < len(units); i++ {
		if units[i] <= ' ' || marks[i] == after[i] {
			continue
		}
		start := i
		for i+1 < len(units) && marks[i+1] == marks[start] && after[i+1] == after[start] {
			i++
		}
		r.Faults = append(r.Faults, fmt.Sprintf("Telegram would drop %v from %q",
			marks[start].style&^after[start].style, string(utf16.Decode(units[start:min(i+1, start+60)]))))
	}
	return nil
}

func runs(units []uint16, marks []marked) []Run {
	var rs []Run
	for i := 0; i < len(units); {
		j := i + 1
		for j < len(units) && marks[j] == marks[i] {
			j++
		}
		var letters []byte
		for _, n := range styleNames {
			if marks[i].style&n.s != 0 {
				letters = append(letters, n.letter)
			}
		}
		rs = append(rs, Run{
			Text: string(utf16.Decode(units[i:j])), Marks: string(letters), Href: marks[i].href, Lang: marks[i].lang,
		})
		i = j
	}
	return rs
}
