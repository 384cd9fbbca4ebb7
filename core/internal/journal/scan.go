package journal

import (
	"bytes"
	"errors"
	"io"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// A scanner reads a file line by line: little at first, since many want one line only,
// and more with every read.
type scanner struct {
	f    fsys.File
	end  int64 // where reading stops
	off  int64 // of buf[0]
	buf  []byte
	have int // bytes of buf that are filled
	used int // bytes of them that were given out
	max  int // longest line
}

// The bytes of the first read, and of the largest one that no long line needs.
const (
	firstRead = 8 << 10
	mostRead  = 256 << 10
)

func newScanner(f fsys.File, from, end int64, max int) *scanner {
	return &scanner{f: f, end: end, off: from, buf: make([]byte, firstRead/2), max: max}
}

// next returns the next line, without its newline, and where it begins. It is
// not whole when it is the rest of a file without a newline, or too long, and
// then is given without its content. The bytes are good until the next call. The
// error is io.EOF at the end.
func (s *scanner) next() (at int64, b []byte, whole bool, err error) {
	at = s.off + int64(s.used)
	looked := s.used
	for {
		if n := bytes.IndexByte(s.buf[looked:s.have], '\n'); n >= 0 {
			b, s.used = s.buf[s.used:looked+n], looked+n+1
			return at, b, len(b) <= s.max, nil
		}
		looked = s.have
		if s.off+int64(s.have) >= s.end {
			if s.used == s.have {
				return at, nil, false, io.EOF
			}
			s.used = s.have
			return at, nil, false, nil
		}
		if s.have-s.used > s.max {
			return at, nil, false, s.skip()
		}
		if s.used > 0 {
			s.have = copy(s.buf, s.buf[s.used:s.have])
			s.off += int64(s.used)
			looked -= s.used
			s.used = 0
		}
		if s.have == len(s.buf) || len(s.buf) < mostRead {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		if err := s.fill(); err != nil {
			return at, nil, false, err
		}
	}
}

// skip leaves out the rest of a line that is too long.
func (s *scanner) skip() error {
	for {
		s.off += int64(s.have)
		s.have, s.used = 0, 0
		if s.off >= s.end {
			return nil
		}
		if err := s.fill(); err != nil {
			return err
		}
		if n := bytes.IndexByte(s.buf[:s.have], '\n'); n >= 0 {
			s.used = n + 1
			return nil
		}
	}
}

func (s *scanner) fill() error {
	at := s.off + int64(s.have)
	room := min(int64(len(s.buf)-s.have), s.end-at)
	n, err := s.f.ReadAt(s.buf[s.have:s.have+int(room)], at)
	s.have += n
	if n > 0 {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF // it was longer a moment ago
	}
	return err
}
