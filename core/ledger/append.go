package ledger

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// layout is the one form of a time: RFC 3339, UTC, milliseconds.
const layout = "2006-01-02T15:04:05.000Z"

// Append appends the canonical JSON of r to dst, in one line without newline.
//
// It does not judge r: what cannot be a record, such as one without a session or
// with an extra member whose name the format uses, makes a line that [Parse]
// refuses. [Chain.Append] finds that out before the line is written anywhere.
func Append(dst []byte, r *Record) []byte {
	if u, ok := r.Body.(*Unknown); ok {
		return append(dst, u.JSON...)
	}
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = text(dst, "session", r.Session)
	dst = number(dst, "seq", uint64(r.Seq))
	dst = append(dst, `,"time":"`...)
	dst = r.Time.UTC().AppendFormat(dst, layout)
	dst = append(dst, '"')
	dst = entry(dst, "turn", EntryID(r.Turn))
	dst = hash(dst, "prev", r.Prev)
	if r.Body != nil {
		dst = text(dst, "kind", string(r.Body.Kind()))
	}
	switch b := r.Body.(type) {
	case *Turn:
		dst = text(dst, "phase", string(b.Phase))
		if b.Epoch != 0 {
			dst = number(dst, "epoch", b.Epoch)
		}
		dst = optional(dst, "digest", b.Digest)
		dst = optional(dst, "key", b.Key)
		dst = optional(dst, "status", string(b.Status))
		dst = optional(dst, "reason", b.Reason)
	case *Message:
		dst = text(dst, "role", string(b.Role))
		dst = text(dst, "markdown", b.Markdown)
		dst = optional(dst, "message_kind", string(b.MessageKind))
		dst = raw(dst, "payload", b.Payload, 1)
		dst = optional(dst, "control", string(b.Control))
		dst = metadata(dst, b.Metadata)
	case *ToolCall:
		dst = text(dst, "call_id", b.CallID)
		dst = text(dst, "name", b.Name)
		dst = raw(dst, "arguments", b.Arguments, 1)
	case *ToolResult:
		dst = text(dst, "call_id", b.CallID)
		dst = text(dst, "name", b.Name)
		dst = strconv.AppendBool(key(dst, "ok"), b.OK)
		dst = text(dst, "content", b.Content)
		dst = raw(dst, "json", b.JSON, 1)
	case *Activity:
		dst = text(dst, "what", string(b.What))
		dst = optional(dst, "detail", b.Detail)
		dst = raw(dst, "data", b.Data, 1)
	case *Presentation:
		dst = presentation(dst, b)
	}
	dst = extra(dst, r.Extra, 1)
	return append(dst, '}')
}

func presentation(dst []byte, b *Presentation) []byte {
	dst = entry(dst, "entry", b.Entry)
	dst = optional(dst, "item", b.Item)
	dst = optional(dst, "target", b.Target)
	dst = optional(dst, "job", b.Job)
	if b.Epoch != 0 {
		dst = number(dst, "epoch", b.Epoch)
	}
	dst = raw(dst, "plan", b.Plan, 1)
	if len(b.Renderers) > 0 {
		dst = append(key(dst, "renderers"), '[')
		for i := range b.Renderers {
			r := &b.Renderers[i]
			dst = item(dst, i)
			dst = text(dst, "block", string(r.Block))
			dst = text(dst, "renderer", r.Renderer)
			dst = extra(dst, r.Extra, 3)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	dst = optional(dst, "template_revision", b.TemplateRevision)
	dst = optional(dst, "profile_digest", b.ProfileDigest)
	if len(b.Trees) > 0 {
		dst = append(key(dst, "trees"), '[')
		for i := range b.Trees {
			t := &b.Trees[i]
			dst = item(dst, i)
			dst = hash(dst, "card", t.Card)
			dst = hash(dst, "sha256", t.SHA256)
			dst = raw(dst, "tree", t.Tree, 3)
			dst = extra(dst, t.Extra, 3)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return dst
}

func metadata(dst []byte, m map[string]string) []byte {
	if len(m) == 0 {
		return dst
	}
	dst = append(key(dst, "metadata"), '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, _ := packet.Exact(k)
		value, _ := packet.Exact(m[k])
		dst = doc.AppendString(dst, name)
		dst = append(dst, ':')
		dst = doc.AppendString(dst, value)
	}
	return append(dst, '}')
}

func extra(dst []byte, e Extra, depth int) []byte {
	for i := range e {
		name, _ := packet.Exact(e[i].Name)
		value := e[i].Value
		if len(value) == 0 {
			value = json.RawMessage("null") // a member without a value is not JSON
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(doc.AppendString(dst, name), ':')
		dst = appendRaw(dst, value, depth)
	}
	return dst
}

func item(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, '{')
}

// key writes the name of a member, with a comma before it unless it is the
// first of its object.
func key(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func number(dst []byte, name string, n uint64) []byte {
	return strconv.AppendUint(key(dst, name), n, 10)
}

func entry(dst []byte, name string, id EntryID) []byte {
	if id.IsZero() {
		return dst
	}
	return optional(dst, name, id.String())
}

func hash(dst []byte, name string, h Hash) []byte {
	if h.IsZero() {
		return dst
	}
	dst = append(key(dst, name), '"')
	return append(h.append(dst), '"')
}

func optional(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	return text(dst, name, s)
}

func text(dst []byte, name, s string) []byte {
	dst = key(dst, name)
	if utf8.ValidString(s) {
		return doc.AppendString(dst, s)
	}
	repaired, b64 := packet.Exact(s)
	dst = doc.AppendString(dst, repaired)
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `_b64":"`...)
	dst = append(dst, b64...)
	return append(dst, '"')
}

// raw writes a member whose value is JSON already, unless it is empty. Depth is
// how many objects and arrays are open around it.
func raw(dst []byte, name string, v json.RawMessage, depth int) []byte {
	if len(v) == 0 {
		return dst
	}
	return appendRaw(key(dst, name), v, depth)
}

func appendRaw(dst []byte, v json.RawMessage, depth int) []byte {
	p := scanner{b: v, depth: depth}
	p.skip()
	if p.err != nil || !p.end() || !utf8.Valid(v) {
		s, _ := packet.Exact(string(v))
		return doc.AppendString(dst, s)
	}
	if !p.spaced {
		return append(dst, v...)
	}
	return appendCompact(dst, v)
}

// appendCompact writes v, which is valid JSON, without the space in it.
func appendCompact(dst, v []byte) []byte {
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case ' ', '\t', '\n', '\r':
		case '"':
			from := i
			for i++; v[i] != '"'; i++ {
				if v[i] == '\\' {
					i++
				}
			}
			dst = append(dst, v[from:i+1]...)
		default:
			dst = append(dst, v[i])
		}
	}
	return dst
}
