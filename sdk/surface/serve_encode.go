package surface

import "github.com/seed-1ae66336/vak/sdk/internal/wire"

// encode returns the canonical JSON of r, whose text is valid UTF-8. It is
// package encoding/json's Marshal for this one type, without reflection and
// without growing its buffer on the way.
func encode(r Rendering) ([]byte, error) {
	size := 64
	for _, c := range r.Chunks {
		size += 64 + len(c.Text) + len(c.Plain) + (len(c.Text)+len(c.Plain))/16 // for what is escaped
		for _, id := range c.Blocks {
			size += len(id) + 3
		}
		if c.Native != nil {
			size += 32 + len(c.Native.Kind) + len(c.Native.JSON)
		}
	}
	b := append(make([]byte, 0, size), `{"chunks":[`...)
	for i, c := range r.Chunks {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = AppendChunk(b, c); err != nil {
			return nil, err
		}
	}
	b = append(b, ']')
	for _, part := range []struct {
		name  string
		value any
		n     int
	}{{`,"notes":`, r.Notes, len(r.Notes)}, {`,"diagnostics":`, r.Diagnostics, len(r.Diagnostics)}} {
		if part.n == 0 {
			continue
		}
		v, err := wire.JSON(part.value)
		if err != nil {
			return nil, err
		}
		b = append(append(b, part.name...), v...)
	}
	return append(b, '}'), nil
}

// AppendChunk adds the canonical JSON of c, whose text is valid UTF-8, to dst. It
// is the form in which a chunk crosses to a transport. It fails if the native
// form is no JSON.
func AppendChunk(dst []byte, c Chunk) ([]byte, error) {
	dst = append(dst, `{"text":`...)
	dst = appendString(dst, c.Text)
	dst = append(dst, `,"plain":`...)
	dst = appendString(dst, c.Plain)
	if c.Native != nil {
		native, err := wire.JSON(c.Native)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, `,"native":`...), native...)
	}
	if c.Blocks == nil {
		return append(dst, `,"blocks":null}`...), nil
	}
	dst = append(dst, `,"blocks":[`...)
	for j, id := range c.Blocks {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, string(id))
	}
	return append(dst, `]}`...), nil
}

// appendString adds s as a JSON string, with no escapes but those that JSON
// demands.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}
