package journal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// checkpointForm begins a checkpoint; its last byte rises with the form.
const checkpointForm = "vakckpt\x01"

// A checkpoint is all that a segment and those before it leave behind. It only
// saves reading them.
type checkpoint struct {
	last     uint64 // commit
	time     int64  // of that, in milliseconds
	size     int64  // of the segment
	sessions []filed
	index    *store.Index
}

// A filed session is one whose file is durable up to a size.
type filed struct {
	chain ledger.Chain
	size  int64
}

func (c *checkpoint) append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, checkpointForm...)
	for _, n := range []uint64{c.last, uint64(c.time), uint64(c.size), uint64(len(c.sessions))} {
		dst = binary.LittleEndian.AppendUint64(dst, n)
	}
	for i := range c.sessions {
		s := &c.sessions[i]
		dst = append(dst, byte(len(s.chain.Session)))
		dst = append(dst, s.chain.Session...)
		dst = append(dst, s.chain.Head[:]...)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.chain.Seq))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.size))
	}
	dst = c.index.Append(dst)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

var errCheckpoint = errors.New("the checkpoint is damaged or of another form")

// parseCheckpoint reads a checkpoint. What it cannot read is made anew from the
// segments.
func parseCheckpoint(b []byte) (*checkpoint, error) {
	const head = len(checkpointForm) + 4*8
	if len(b) < head+4 || string(b[:len(checkpointForm)]) != checkpointForm {
		return nil, errCheckpoint
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return nil, errCheckpoint
	}
	number := func() uint64 {
		n := binary.LittleEndian.Uint64(body)
		body = body[8:]
		return n
	}
	body = body[len(checkpointForm):]
	c := &checkpoint{last: number(), time: int64(number()), size: int64(number())}
	count := number()
	if count > uint64(len(body)/(1+len(ledger.Hash{})+16)) || c.size < 0 {
		return nil, errCheckpoint
	}
	c.sessions = slices.Grow(c.sessions, int(count))
	for range count {
		if len(body) < 1 || len(body) < 1+int(body[0])+len(ledger.Hash{})+16 {
			return nil, errCheckpoint
		}
		var s filed
		n := 1 + int(body[0])
		s.chain.Session = string(body[1:n])
		body = body[n+copy(s.chain.Head[:], body[n:n+len(s.chain.Head)]):]
		s.chain.Seq = ledger.Seq(number())
		s.size = int64(number())
		if ledger.CheckSession(s.chain.Session) != nil || s.size <= 0 || s.chain.Seq == 0 {
			return nil, errCheckpoint
		}
		c.sessions = append(c.sessions, s)
	}
	var err error
	if c.index, err = store.ParseIndex(body); err != nil {
		return nil, errCheckpoint
	}
	return c, nil
}
