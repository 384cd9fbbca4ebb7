package packet

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// Append appends the JSON of p to dst, in one line. It gives what json.Marshal
// would without its HTML escapes, of which a packet would be full, and in less
// time: most of a packet is a document that is JSON already and not read again.
//
// Strings that are not UTF-8 are repaired as [Exact] does. Payload and native
// forms are taken as they are: they have to be JSON, as their types say.
func Append(dst []byte, p *Packet) ([]byte, error) {
	a := appender{b: dst}
	a.number(`{"schema_version":`, p.SchemaVersion)
	a.optional(`,"job_id":`, p.JobID)
	a.optional(`,"target":`, p.Target)
	a.text(`,"surface":`, p.Surface)
	a.text(`,"kind":`, string(p.Kind))
	a.raw(`,"payload":`, p.Payload)
	a.text(`,"fallback_markdown":`, p.FallbackMarkdown)
	a.optional(`,"fallback_markdown_b64":`, p.FallbackB64)
	a.list(`,"chunks":`, len(p.Chunks), func(i int) { a.chunk(&p.Chunks[i]) })
	if len(p.Actions) > 0 {
		a.any(`,"actions":`, p.Actions)
	}
	a.text(`,"coverage":{"basis":`, string(p.Coverage.Basis))
	a.list(`,"blocks":`, len(p.Coverage.Blocks), func(i int) {
		b := &p.Coverage.Blocks[i]
		a.text(`{"id":`, string(b.ID))
		a.text(`,"kind":`, string(b.Kind))
		a.text(`,"disposition":`, string(b.Disposition))
		a.optional(`,"reason":`, b.Reason)
		a.lit(`}`)
	})
	a.lit(`}`)
	if len(p.Diagnostics) > 0 {
		a.list(`,"diagnostics":`, len(p.Diagnostics), func(i int) { a.diagnostic(&p.Diagnostics[i]) })
	}
	a.text(`,"renderer":{"id":`, p.Renderer.ID)
	a.optional(`,"version":`, p.Renderer.Version)
	a.lit(`}`)
	if p.Template != nil {
		a.text(`,"template":{"id":`, p.Template.ID)
		a.number(`,"revision":`, p.Template.Revision)
		a.lit(`}`)
	}
	a.lit(`,"epoch":`)
	a.b = strconv.AppendUint(a.b, p.Epoch, 10)
	a.text(`,"recipe":`, p.Recipe)
	a.lit(`}`)
	if a.err != nil {
		return dst, a.err
	}
	return a.b, nil
}

// MarshalJSON gives what [Append] does; package encoding/json then adds HTML
// escapes.
func (p Packet) MarshalJSON() ([]byte, error) { return Append(nil, &p) }

// An appender appends fields. Its first error sticks.
type appender struct {
	b   []byte
	err error
}

func (a *appender) chunk(c *Chunk) {
	a.number(`{"index":`, c.Index)
	a.text(`,"text":`, c.Text)
	a.text(`,"plain":`, c.Plain)
	if c.Native != nil {
		a.text(`,"native":{"kind":`, c.Native.Kind)
		a.raw(`,"json":`, c.Native.JSON)
		a.lit(`}`)
	}
	a.number(`,"units":`, c.Units)
	a.number(`,"bytes":`, c.Bytes)
	a.list(`,"block_ids":`, len(c.Blocks), func(i int) { a.text("", string(c.Blocks[i])) })
	a.lit(`}`)
}

func (a *appender) diagnostic(d *doc.Diagnostic) {
	a.text(`{"code":`, d.Code)
	a.optional(`,"severity":`, string(d.Severity))
	a.optional(`,"block":`, string(d.Block))
	a.optional(`,"message":`, d.Message)
	a.lit(`}`)
}

func (a *appender) lit(s string) { a.b = append(a.b, s...) }

func (a *appender) number(name string, n int) {
	a.lit(name)
	a.b = strconv.AppendInt(a.b, int64(n), 10)
}

func (a *appender) list(name string, n int, item func(int)) {
	a.lit(name)
	a.lit("[")
	for i := range n {
		if i > 0 {
			a.lit(",")
		}
		item(i)
	}
	a.lit("]")
}

// raw appends what is JSON already, if there is any, in one line.
func (a *appender) raw(name string, v json.RawMessage) {
	if len(v) == 0 {
		return
	}
	if bytes.IndexByte(v, '\n') >= 0 {
		a.any(name, v)
		return
	}
	a.lit(name)
	a.b = append(a.b, v...)
}

// any appends what is rare enough for package encoding/json.
func (a *appender) any(name string, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && a.err == nil {
		a.err = err
	}
	a.lit(name)
	a.b = append(a.b, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

func (a *appender) optional(name, s string) {
	if s != "" {
		a.text(name, s)
	}
}

func (a *appender) text(name, s string) {
	a.lit(name)
	a.b = appendString(a.b, s)
}

const hex = "0123456789abcdef"

// plain are the bytes that stand in a JSON string as they are.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendString appends s as a JSON string, with the escapes of encoding/json
// less those for HTML.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if (r != utf8.RuneError || n > 1) && r != '\u2028' && r != '\u2029' {
				i += n
				continue
			}
			dst = append(dst, s[start:i]...)
			switch r {
			case '\u2028', '\u2029': // line ends in JavaScript
				dst = append(dst, `\u202`...)
				dst = append(dst, hex[r&0xf])
			default:
				dst = append(dst, "\uFFFD"...)
			}
			i += n
			start = i
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
