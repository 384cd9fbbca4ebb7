package card

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// SchemaVersion is that of the envelope.
const SchemaVersion = 1

// The bounds of an [Output].
const (
	MaxPayload      = 1 << 20 // bytes
	MaxPayloadDepth = 32      // arrays and objects within each other
	MaxArray        = 10_000  // elements of one array
	maxContext      = 64 << 10
	maxEvidence     = 256
)

// An Output is one card: what it is, and its content. A model writes SemanticType
// and Payload, and Context if it has one; the rest is for the host.
type Output struct {
	SemanticType  string
	SchemaVersion int    // of the envelope; 0: SchemaVersion
	SkillID       string // that owns the type
	SkillVersion  string
	Context       *Context
	Payload       json.RawMessage // an object, by the schema of its type
}

// A Context says what a payload is about.
type Context struct {
	Domain          string     `json:"domain,omitempty"`
	AsOf            string     `json:"as_of,omitempty"`
	ComparisonBasis string     `json:"comparison_basis,omitempty"`
	Period          *Period    `json:"period,omitempty"`
	Evidence        []Evidence `json:"evidence,omitempty"`
}

// A Period is a span of time, its ends as they are to be shown.
type Period struct {
	Start    string `json:"start,omitempty"`
	End      string `json:"end,omitempty"`
	Timezone string `json:"timezone,omitempty"`
}

// Evidence is what a payload rests on.
type Evidence struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
}

// envelope is an Output in JSON.
type envelope struct {
	SemanticType  string          `json:"semantic_type"`
	SchemaVersion int             `json:"schema_version,omitempty"`
	SkillID       string          `json:"skill_id,omitempty"`
	SkillVersion  string          `json:"skill_version,omitempty"`
	Context       json.RawMessage `json:"context,omitempty"`
	Payload       json.RawMessage `json:"payload"`
}

// ParseOutput reads an envelope that anybody may have written. It knows no types:
// whether the payload is what its type wants is for the type's schema to say. What
// it does not know is an error, so that nothing that a model wrote is passed over.
func ParseOutput(b []byte) (Output, error) {
	if len(b) > MaxPayload+maxContext {
		return Output{}, &ProblemError{ErrTooLarge, "", "a card may have 1 MB"}
	}
	if err := bounded(b, MaxPayloadDepth+1); err != nil {
		return Output{}, err
	}
	if c := bytes.TrimLeft(b, " \t\r\n"); len(c) == 0 || c[0] != '{' {
		return Output{}, &ProblemError{ErrInvalid, "", "expected an object with semantic_type and payload"}
	}
	if err := unique(b, "", func(depth int) bool { return depth == 0 }); err != nil {
		return Output{}, err
	}
	var e envelope
	if err := strict(b, "", &e); err != nil {
		return Output{}, err
	}
	o := Output{SemanticType: e.SemanticType, SchemaVersion: e.SchemaVersion, SkillID: e.SkillID, SkillVersion: e.SkillVersion}
	switch {
	case o.SemanticType == "":
		return Output{}, &ProblemError{ErrInvalid, "/semantic_type", "expected the name of a type, such as \"metric\""}
	case o.SchemaVersion > SchemaVersion:
		return Output{}, &ProblemError{ErrInvalid, "/schema_version", "expected 1, or nothing"}
	case len(e.Payload) == 0:
		return Output{}, &ProblemError{ErrInvalid, "/payload", "expected an object; it is missing"}
	case e.Payload[0] != '{':
		return Output{}, &ProblemError{ErrInvalid, "/payload", "expected an object"}
	case len(e.Payload) > MaxPayload:
		return Output{}, &ProblemError{ErrTooLarge, "/payload", "a payload may have 1 MB"}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.Payload); err != nil {
		return Output{}, &ProblemError{ErrSyntax, "/payload", "expected JSON"}
	}
	o.Payload = compact.Bytes()
	if len(e.Context) > 0 && string(e.Context) != "null" {
		if len(e.Context) > maxContext {
			return Output{}, &ProblemError{ErrTooLarge, "/context", "a context may have 64 KB"}
		}
		if err := unique(e.Context, "/context", everywhere); err != nil {
			return Output{}, err
		}
		o.Context = &Context{}
		if err := strict(e.Context, "/context", o.Context); err != nil {
			return Output{}, err
		}
		if len(o.Context.Evidence) > maxEvidence {
			return Output{}, &ProblemError{ErrTooLarge, "/context/evidence", "expected 256 elements at most"}
		}
	}
	return o, nil
}

// Looks reports whether a text could be an envelope and nothing else. It costs next
// to nothing; [ParseOutput] has the last word.
func Looks(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && strings.Contains(text, `"semantic_type"`)
}

// AppendOutput appends the canonical form of o: members in the order of the type,
// no space but what stands within texts.
func AppendOutput(dst []byte, o Output) ([]byte, error) {
	dst = append(dst, `{"semantic_type":`...)
	dst = doc.AppendString(dst, o.SemanticType)
	version := o.SchemaVersion
	if version == 0 {
		version = SchemaVersion
	}
	dst = append(dst, `,"schema_version":`...)
	dst = append(dst, Int(int64(version)).text...)
	for _, m := range []struct{ name, value string }{{"skill_id", o.SkillID}, {"skill_version", o.SkillVersion}} {
		if m.value != "" {
			dst = append(append(append(dst, `,"`...), m.name...), `":`...)
			dst = doc.AppendString(dst, m.value)
		}
	}
	if o.Context != nil {
		c, err := marshal(o.Context)
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, `,"context":`...), c...)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, o.Payload); err != nil {
		return dst, &ProblemError{ErrSyntax, "/payload", "expected JSON"}
	}
	dst = append(append(dst, `,"payload":`...), compact.Bytes()...)
	return append(dst, '}'), nil
}

// marshal is json.Marshal that leaves < > & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// bounded holds JSON to its bounds before a decoder, which recurses, sees it.
func bounded(b []byte, depth int) error {
	if !utf8.Valid(b) {
		return &ProblemError{ErrSyntax, "", "expected UTF-8"}
	}
	var counts []int // of commas, for every array or object that is open
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if len(counts) >= depth {
				return &ProblemError{ErrTooLarge, pathAt(b[:i]), "a card may nest 32 levels deep"}
			}
			counts = append(counts, 0)
		case ']', '}':
			if len(counts) > 0 {
				counts = counts[:len(counts)-1]
			}
		case ',':
			if n := len(counts); n > 0 {
				if counts[n-1]++; counts[n-1] >= MaxArray {
					return &ProblemError{ErrTooLarge, holderOf(pathAt(b[:i])), "an array may have 10,000 elements"}
				}
			}
		}
	}
	return nil
}

// pathAt is the JSON pointer of the value that JSON ends in which is cut off.
func pathAt(cut []byte) string {
	type open struct {
		array bool
		index int
		name  string
	}
	var stack []open
	last := "" // the text that was read last
	for i := 0; i < len(cut); i++ {
		top := len(stack) - 1
		switch cut[i] {
		case '"':
			from := i
			for i++; i < len(cut) && cut[i] != '"'; i++ {
				if cut[i] == '\\' {
					i++
				}
			}
			last = ""
			if i < len(cut) && json.Unmarshal(cut[from:i+1], &last) != nil {
				last = ""
			}
		case '[', '{':
			stack = append(stack, open{array: cut[i] == '['})
		case ']', '}':
			if top >= 0 {
				stack = stack[:top]
			}
		case ',':
			if top >= 0 {
				stack[top].index++
			}
		case ':':
			if top >= 0 && !stack[top].array {
				stack[top].name = last
			}
		}
	}
	path := ""
	for _, o := range stack {
		if o.array {
			o.name = strconv.Itoa(o.index)
		}
		path = Pointer(path, o.name)
	}
	return path
}

// holderOf is the pointer of what holds the value at path.
func holderOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// strict decodes exactly one value without members that v does not know.
func strict(b []byte, path string, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return problem(err, path)
	}
	if d.More() || len(bytes.TrimSpace(b[d.InputOffset():])) > 0 {
		return &ProblemError{ErrSyntax, path, "expected nothing behind the value"}
	}
	return nil
}

// problem is an error of package json without what it quotes.
func problem(err error, path string) error {
	switch e := err.(type) {
	case *json.UnmarshalTypeError:
		at := path
		for f := range strings.SplitSeq(e.Field, ".") {
			if f != "" {
				at = Pointer(at, f)
			}
		}
		return &ProblemError{ErrInvalid, at, "expected " + kindWord(e.Type.Kind().String())}
	case *json.SyntaxError:
		return &ProblemError{ErrSyntax, path, "expected JSON; it is malformed, or cut off"}
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok && len(name) < 80 {
		return &ProblemError{ErrInvalid, Pointer(path, strings.Trim(name, `"`)), "there is no such member"}
	}
	if strings.Contains(err.Error(), "expected a text") {
		return &ProblemError{ErrInvalid, path, err.Error()}
	}
	return &ProblemError{ErrSyntax, path, "expected JSON; it is malformed, or cut off"}
}

func kindWord(kind string) string {
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "slice":
		return "an array"
	case "struct", "map":
		return "an object"
	}
	return "a number"
}
