package bundle

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// lineOf is the line of valid JSON at which the value begins that a JSON pointer
// names, or its name; of one that is not there, that of the last step that is.
func lineOf(b []byte, pointer string) int {
	d := json.NewDecoder(bytes.NewReader(b))
	at := next(b, 0)
	if pointer = strings.TrimPrefix(pointer, "/"); pointer != "" {
		for step := range strings.SplitSeq(pointer, "/") {
			step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			found := enter(b, d, step)
			if found < 0 {
				break
			}
			at = found
		}
	}
	return 1 + bytes.Count(b[:at], []byte("\n"))
}

// enter takes d, which is before a value, to before the member or element step of
// it, and returns where that begins; -1: there is none.
func enter(b []byte, d *json.Decoder, step string) int {
	open, err := d.Token()
	if err != nil {
		return -1
	}
	want, err := strconv.Atoi(step)
	for n := 0; d.More(); n++ {
		at := next(b, int(d.InputOffset()))
		found := open == json.Delim('[') && err == nil && n == want
		if open == json.Delim('{') {
			name, _ := d.Token()
			found = name == step
		}
		if found {
			return at
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return -1
		}
	}
	return -1
}

// next is where the next value or name begins from at on.
func next(b []byte, at int) int {
	for at < len(b) && strings.IndexByte(" \t\r\n,", b[at]) >= 0 {
		at++
	}
	return at
}
