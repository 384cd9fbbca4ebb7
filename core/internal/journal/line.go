package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// version is that of the lines that are written.
const version = 1

// maxLine bounds a line in bytes.
const maxLine = 96 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	sumName = `,"crc":"`
	sumSize = len(sumName) + 8 + len(`"}`)
)

// A line is a commit as it is read. It shares memory with the bytes it was read
// from.
type line struct {
	v, n, b uint64
	t       int64
	id      string
	session string
	q, c    uint64
	begin   string // turn that begins
	end     string // turn that ends
	rows    []row
	targets []store.TargetRow
	entries []byte // a JSON array of arrays
	records []part
	text    []byte // the line without its sum
	strange bool   // it has members that are not known
	size    int    // in bytes, with its newline
}

// A part is a record within its line.
type part struct{ at, size int }

// A row is a put within its line.
type row struct {
	at   int // offset in the line
	prev store.Place
	put  store.Put
}

// A draft is what a line is made of.
type draft struct {
	n, b      uint64
	t         int64
	id        string
	session   string
	q         uint64
	records   []byte // each ending with a newline; of use until it is appended
	sizes     []int  // of the records, without newlines
	count     int
	begin     string
	end       string
	puts      []store.Put
	prev      []store.Place // of each put
	targets   []store.TargetRow
	appended  []int // offsets of the rows in the line
	recordsAt int   // likewise of the first record
}

// append appends d as a line with its newline. The error is about an entry that
// is not JSON.
func (d *draft) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, version, 10)
	dst = appendNumber(dst, "n", d.n)
	dst = appendNumber(dst, "b", d.b)
	dst = appendNumber(dst, "t", uint64(max(d.t, 0)))
	dst = appendString(dst, "id", d.id)
	if d.count > 0 {
		dst = appendString(dst, "s", d.session)
		dst = appendNumber(dst, "q", d.q)
		dst = appendNumber(dst, "c", uint64(d.count))
		dst = append(dst, `,"l":`...)
		for i, n := range d.sizes {
			dst = strconv.AppendInt(append(dst, separator(i)), int64(n), 10)
		}
		dst = append(dst, ']')
	}
	dst = appendString(dst, "tb", d.begin)
	dst = appendString(dst, "te", d.end)
	d.appended = d.appended[:0]
	if len(d.puts) > 0 {
		dst = append(dst, `,"j":`...)
		for i := range d.puts {
			dst = append(dst, separator(i))
			d.appended = append(d.appended, len(dst)-start)
			dst = store.AppendPut(dst, &d.puts[i], d.prev[i])
		}
		dst = append(dst, ']')
	}
	if len(d.targets) > 0 {
		b, err := json.Marshal(d.targets)
		if err != nil {
			return dst[:start], err
		}
		dst = append(append(dst, `,"g":`...), b...)
	}
	if len(d.puts) > 0 {
		dst = append(dst, `,"e":`...)
		for i := range d.puts {
			var err error
			if dst, err = appendEntries(append(dst, separator(i)), d.puts[i].Entries); err != nil {
				return dst[:start], err
			}
		}
		dst = append(dst, ']')
	}
	if d.count > 0 {
		dst = append(dst, `,"r":[`...)
		at := len(dst)
		d.recordsAt = at - start
		dst = append(dst, d.records...)
		for _, n := range d.sizes {
			at += n + 1
			dst[at-1] = ','
		}
		dst[len(dst)-1] = ']'
	}
	sum := crc32.Checksum(dst[start:], castagnoli)
	dst = append(dst, sumName...)
	dst = hex.AppendEncode(dst, binary.BigEndian.AppendUint32(nil, sum))
	return append(dst, '"', '}', '\n'), nil
}

func appendEntries(dst []byte, entries []store.Entry) ([]byte, error) {
	dst = append(dst, '[')
	for i := range entries {
		e := &entries[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		t := e.Time.UTC().Truncate(time.Millisecond)
		if y := t.Year(); y < 1 || y > 9999 {
			return dst, fmt.Errorf("an entry's time is out of range")
		}
		kind, _ := json.Marshal(e.Kind) // of a string there is no error
		dst = append(t.AppendFormat(append(dst, `{"time":"`...), time.RFC3339Nano), `","kind":`...)
		dst = append(dst, kind...)
		if len(e.Body) > 0 {
			if !json.Valid(e.Body) {
				return dst, fmt.Errorf("an entry's body is not JSON")
			}
			dst = append(dst, `,"body":`...)
			if bytes.IndexByte(e.Body, '\n') < 0 {
				dst = append(dst, e.Body...)
			} else {
				b := bytes.NewBuffer(dst)
				if err := json.Compact(b, e.Body); err != nil {
					return dst, err
				}
				dst = b.Bytes()
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

func separator(i int) byte {
	if i == 0 {
		return '['
	}
	return ','
}

func appendNumber(dst []byte, name string, n uint64) []byte {
	dst = append(append(append(dst, ',', '"'), name...), '"', ':')
	return strconv.AppendUint(dst, n, 10)
}

func appendString(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	b, _ := json.Marshal(s) // of a string there is no error
	dst = append(append(append(dst, ',', '"'), name...), '"', ':')
	return append(dst, b...)
}

// sealed returns what the sum of b, a line without its newline, is about; nil if
// the sum is missing or wrong.
func sealed(b []byte) []byte {
	at := len(b) - sumSize
	if at < 1 || b[0] != '{' || string(b[at:at+len(sumName)]) != sumName || string(b[len(b)-2:]) != `"}` {
		return nil
	}
	var sum [8]byte
	hex.Encode(sum[:], binary.BigEndian.AppendUint32(nil, crc32.Checksum(b[:at], castagnoli)))
	if string(sum[:]) != string(b[at+len(sumName):len(b)-2]) {
		return nil
	}
	return b[:at]
}

// errNewer is of a line that a later version wrote.
var errNewer = fmt.Errorf("it was written by a later version of vak")

// parseLine reads b, a line without its newline.
func parseLine(b []byte) (line, error) {
	body := sealed(b)
	if body == nil {
		return line{}, fmt.Errorf("its checksum is wrong")
	}
	return parseBody(body, len(b)+1)
}

// parseBody reads a line without its sum. It judges no more than it needs to.
func parseBody(b []byte, size int) (line, error) {
	l := line{size: size, text: b}
	p := cursor{b: b, i: 1}
	for first := true; p.ok() && p.next() != 0; first = false {
		if !first {
			p.expect(',')
		}
		name := p.raw()
		p.expect(':')
		if len(name) < 2 {
			break
		}
		switch string(name[1 : len(name)-1]) { // none of those that are known has an escape
		case "v":
			l.v = p.number()
		case "n":
			l.n = p.number()
		case "b":
			l.b = p.number()
		case "t":
			l.t = int64(p.number() & (1<<62 - 1))
		case "id":
			l.id = p.str()
		case "s":
			l.session = p.str()
		case "q":
			l.q = p.number()
		case "c":
			l.c = p.number()
		case "l":
			if len(l.records) > 0 { // they were before it
				p.value()
				break
			}
			l.records = make([]part, 0, min(l.c, 64))
			p.array(func() {
				l.records = append(l.records, part{size: int(min(p.number(), maxLine))})
			})
		case "tb":
			l.begin = p.str()
		case "te":
			l.end = p.str()
		case "j":
			p.rows(&l)
		case "g":
			if json.Unmarshal(p.value(), &l.targets) != nil {
				p.fail()
			}
		case "e":
			l.entries = p.value()
		case "r":
			p.records(&l)
		default:
			l.strange = true
			p.value()
		}
	}
	switch {
	case p.ok() && l.v > version:
		return l, errNewer
	case !p.ok() || l.v == 0 || l.n == 0 || l.b == 0 || l.b > l.n || (l.c > 0) != (l.q > 0) || (l.c > 0) != (l.session != "") || l.c != uint64(len(l.records)) || l.c > 0 && l.records[0].at == 0:
		return l, fmt.Errorf("it is no commit")
	}
	return l, nil
}

// rows reads the array of rows.
func (p *cursor) rows(l *line) {
	p.array(func() {
		put, prev, n, err := store.ParsePut(p.b[p.i:])
		if err != nil {
			p.fail()
			return
		}
		l.rows = append(l.rows, row{at: p.i, prev: prev, put: put})
		p.i += n
	})
}

// records reads the array of records. Where it is the last member and the sizes
// are known there is no need to look into it.
func (p *cursor) records(l *line) {
	at := p.i + 1
	fits := len(l.records) > 0 && p.next() == '['
	for i := range l.records {
		l.records[i].at = at
		at += l.records[i].size + 1
		fits = fits && at <= len(p.b) && (p.b[at-1] == ',' || at == len(p.b) && p.b[at-1] == ']')
	}
	if fits && at == len(p.b) {
		p.i = at
		return
	}
	l.records = l.records[:0]
	p.array(func() {
		if v := p.value(); p.ok() {
			l.records = append(l.records, part{at: p.i - len(v), size: len(v)})
		}
	})
}

// record returns a record of l. It shares memory with l.
func (l *line) record(p part) []byte { return l.text[p.at : p.at+p.size] }

// history returns the entries of the i-th row.
func (l *line) history(i int) ([]store.Entry, error) {
	p := cursor{b: l.entries}
	var out []store.Entry
	var failed error
	n := 0
	p.array(func() {
		v := p.value()
		if p.ok() && n == i {
			failed = json.Unmarshal(v, &out)
		}
		n++
	})
	if !p.ok() || failed != nil || i >= n {
		return nil, fmt.Errorf("its entries are not what it says")
	}
	return out, nil
}

func (l *line) time() time.Time { return time.UnixMilli(l.t).UTC() }
