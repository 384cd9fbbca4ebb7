package surface

import (
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
)

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
	dst = doc.AppendString(dst, c.Text)
	dst = append(dst, `,"plain":`...)
	dst = doc.AppendString(dst, c.Plain)
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
		dst = doc.AppendString(dst, string(id))
	}
	return append(dst, `]}`...), nil
}
