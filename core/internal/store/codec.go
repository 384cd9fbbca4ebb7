package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendPut appends the row of p as a journal's line holds it: a JSON object in
// fixed order, without what is empty. prev is where the job's line before this
// one is.
func AppendPut(dst []byte, p *Put, prev Place) []byte {
	r := &p.Row
	dst = appendText(append(dst, '{'), "j", r.Job)
	dst = appendText(dst, "g", r.Target)
	dst = appendNumber(dst, "f", boolNumber(r.Fast))
	dst = appendText(dst, "k", r.Kind)
	dst = appendText(dst, "s", string(r.State))
	dst = appendText(dst, "w", r.Reason)
	dst = appendText(dst, "h", r.Hold)
	dst = appendNumber(dst, "d", milliseconds(r.Due))
	dst = appendNumber(dst, "a", int64(r.Attempts))
	dst = appendNumber(dst, "p", int64(r.Part))
	dst = appendNumber(dst, "o", int64(r.Of))
	dst = appendNumber(dst, "c", milliseconds(r.Created))
	dst = appendNumber(dst, "u", milliseconds(r.Updated))
	dst = appendText(dst, "m", r.Digest)
	dst = appendNumber(dst, "x", boolNumber(p.Tail))
	dst = appendNumber(dst, "l", int64(prev))
	return append(dst, '}')
}

// A putJSON is the same for encoding/json, in any order.
type putJSON struct {
	J, G, K, S, W, H, M    string
	F, D, A, P, O, C, U, X int64
	L                      int64
}

// ParsePut reads what AppendPut wrote at the beginning of b, and returns the
// place of the job's line before and the number of bytes read. Members may come
// in any order and others among them; what comes in order is read without
// reflection.
func ParsePut(b []byte) (p Put, prev Place, n int, err error) {
	var m putJSON
	f := fields{b: b}
	if !f.read(&m) {
		d := json.NewDecoder(bytes.NewReader(b))
		m = putJSON{}
		if err := d.Decode(&m); err != nil {
			return Put{}, 0, 0, fmt.Errorf("a job's row is no JSON object of the kind")
		}
		f.i = int(d.InputOffset())
	}
	p.Row = Row{
		Job: m.J, Target: m.G, Fast: m.F != 0, Kind: m.K, State: State(m.S), Reason: m.W, Hold: m.H, Due: instant(m.D),
		Attempts: int(m.A), Part: int(m.P), Of: int(m.O), Created: instant(m.C), Updated: instant(m.U), Digest: m.M,
	}
	p.Tail = m.X != 0
	if err := p.Row.check(); err != nil {
		return Put{}, 0, 0, err
	}
	return p, Place(m.L), f.i, nil
}

// fields reads an object whose members are in AppendPut's order.
type fields struct {
	b     []byte
	i     int
	first bool
	bad   bool
}

func (f *fields) read(m *putJSON) bool {
	if len(f.b) == 0 || f.b[0] != '{' {
		return false
	}
	f.i, f.first = 1, true
	f.text('j', &m.J)
	f.text('g', &m.G)
	f.number('f', &m.F)
	f.text('k', &m.K)
	f.text('s', &m.S)
	f.text('w', &m.W)
	f.text('h', &m.H)
	f.number('d', &m.D)
	f.number('a', &m.A)
	f.number('p', &m.P)
	f.number('o', &m.O)
	f.number('c', &m.C)
	f.number('u', &m.U)
	f.text('m', &m.M)
	f.number('x', &m.X)
	f.number('l', &m.L)
	if f.bad || f.i >= len(f.b) || f.b[f.i] != '}' {
		return false
	}
	f.i++
	return true
}

// member moves behind the name of a member, if it is there.
func (f *fields) member(name byte) bool {
	i := f.i
	if !f.first {
		if i >= len(f.b) || f.b[i] != ',' {
			return false
		}
		i++
	}
	if f.bad || i+4 > len(f.b) || f.b[i] != '"' || f.b[i+1] != name || f.b[i+2] != '"' || f.b[i+3] != ':' {
		return false
	}
	f.i, f.first = i+4, false
	return true
}

func (f *fields) text(name byte, into *string) {
	if !f.member(name) {
		return
	}
	if f.i >= len(f.b) || f.b[f.i] != '"' {
		f.bad = true
		return
	}
	for i := f.i + 1; i < len(f.b); i++ {
		switch c := f.b[i]; {
		case c == '"':
			*into = string(f.b[f.i+1 : i])
			f.i = i + 1
			return
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf: // let the slower one judge
			f.bad = true
			return
		}
	}
	f.bad = true
}

func (f *fields) number(name byte, into *int64) {
	if !f.member(name) {
		return
	}
	i, n := f.i, int64(0)
	for ; i < len(f.b) && '0' <= f.b[i] && f.b[i] <= '9' && i-f.i < 18; i++ {
		n = n*10 + int64(f.b[i]-'0')
	}
	if f.bad = i == f.i; !f.bad {
		*into, f.i = n, i
	}
}

func appendText(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	dst = appendName(dst, name)
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			b, _ := json.Marshal(s) // of a string there is no error
			return append(dst, b...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendNumber(dst []byte, name string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(appendName(dst, name), n, 10)
}

func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func boolNumber(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
