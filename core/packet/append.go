package packet

import (
	"bytes"
	"encoding/json"
)

// Append appends the JSON of p to dst, without a final newline. It is
// deterministic, and unlike json.Marshal it leaves <, > and & as they are: a
// packet is full of them.
func Append(dst []byte, p *Packet) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
