package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
)

// indexForm is the first byte of an index on disk, and rises with its form.
const indexForm = 2

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append appends the index as bytes that [ParseIndex] reads, without its leases.
func (x *Index) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, indexForm)
	all := x.sorted()
	dst = binary.AppendUvarint(dst, uint64(len(all)))
	for _, t := range all {
		row, _ := json.Marshal(t.row) // strings, numbers and times: there is no error
		dst = binary.AppendUvarint(dst, uint64(len(row)))
		dst = append(dst, row...)
		for _, l := range []*list{&t.lanes[0].jobs, &t.lanes[1].jobs, &t.held} {
			dst = binary.AppendUvarint(dst, uint64(l.n))
			for s := l.first; s != 0; s = x.jobs[s].next {
				dst = x.jobs[s].append(dst)
			}
		}
	}
	for _, m := range append(x.finished[:], x.commits) {
		dst = binary.AppendUvarint(dst, uint64(len(m)))
		for k, p := range m {
			dst = append(dst, k[:]...)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(p))
		}
	}
	turns := x.OpenTurns()
	dst = binary.AppendUvarint(dst, uint64(len(turns)))
	for _, t := range turns {
		dst = binary.AppendUvarint(dst, uint64(len(t)))
		dst = append(dst, t...)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

func (j *job) append(dst []byte) []byte {
	dst = append(dst, j.key[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(j.place))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(j.due))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(j.created))
	dst = binary.LittleEndian.AppendUint32(dst, j.hold)
	dst = binary.LittleEndian.AppendUint16(dst, j.attempts)
	fast := byte(0)
	if j.in == &j.in.target.lanes[1] {
		fast = 1
	}
	return append(dst, j.state, fast)
}

// jobBytes is what a job takes.
const jobBytes = 16 + 8 + 8 + 8 + 4 + 2 + 1 + 1

var errIndex = errors.New("store: this is no whole index")

// ParseIndex reads what Append wrote. Its error says nothing but that it is
// damaged or of another form: the index can be made anew from what it indexes.
func ParseIndex(b []byte) (*Index, error) {
	if len(b) < 5 || b[0] != indexForm {
		return nil, errIndex
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, errIndex
	}
	d := &indexDecoder{b: body[1:]}
	x := NewIndex()
	for range d.count(4) {
		d.target(x)
	}
	for _, m := range append(x.finished[:], x.commits) {
		for range d.count(24) {
			var k Key
			copy(k[:], d.take(16))
			m[k] = Place(d.uint64())
		}
	}
	for range d.count(1) {
		x.Turn(string(d.take(d.count(1))), "")
	}
	if d.bad || len(d.b) != 0 {
		return nil, errIndex
	}
	return x, nil
}

// An indexDecoder reads from b. After what is wrong it reads zeros.
type indexDecoder struct {
	b   []byte
	bad bool
}

func (d *indexDecoder) take(n int) []byte {
	if d.bad || n > len(d.b) {
		d.bad = true
		return make([]byte, min(n, 64))
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

// count reads the number of things that take at least size bytes each.
func (d *indexDecoder) count(size int) int {
	n, read := binary.Uvarint(d.b)
	if read <= 0 || n > uint64(len(d.b)/size) {
		d.bad = true
		return 0
	}
	d.b = d.b[read:]
	return int(n)
}

func (d *indexDecoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *indexDecoder) target(x *Index) {
	var row TargetRow
	if json.Unmarshal(d.take(d.count(1)), &row) != nil || row.Target == "" {
		d.bad = true
		return
	}
	t := x.target(row.Target)
	for i, l := range []*list{&t.lanes[0].jobs, &t.lanes[1].jobs, &t.held} {
		for range d.count(jobBytes) {
			j := job{timer: -1}
			copy(j.key[:], d.take(16))
			j.place, j.due, j.created = Place(d.uint64()), int64(d.uint64()), int64(d.uint64())
			j.hold = binary.LittleEndian.Uint32(d.take(4))
			j.attempts = binary.LittleEndian.Uint16(d.take(2))
			j.state = d.take(1)[0]
			fast := d.take(1)[0]
			_, twice := x.live[j.key]
			if d.bad || twice || fast > 1 || int(j.state) >= len(states) ||
				(states[j.state] == Held) != (i == 2) || i < 2 && int(fast) != i || !states[j.state].Live() {
				d.bad = true
				return
			}
			j.in = &t.lanes[fast]
			s := x.take()
			x.jobs[s] = j
			x.live[j.key] = s
			x.link(l, s)
			x.arm(s)
		}
	}
	x.ApplyTarget(row)
}
