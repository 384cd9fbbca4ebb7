package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
)

// A segment is a file of lines.
type segment struct {
	first uint64 // its first commit, which it is named for
	size  int64  // as far as it is durable
}

func (s segment) place(at int64) store.Place {
	return store.Place(s.first)<<offsetBits | store.Place(at)
}

func segmentOf(p store.Place) uint64 { return uint64(p >> offsetBits) }
func offsetOf(p store.Place) int64   { return int64(p & (maxSegment - 1)) }

const segmentExt, checkpointExt = ".jsonl", ".ckpt"

func (d dirs) segment(first uint64) string {
	return filepath.Join(d.journal, segmentName(first)+segmentExt)
}

func (d dirs) checkpoint(first uint64) string {
	return filepath.Join(d.journal, segmentName(first)+checkpointExt)
}

func segmentName(first uint64) string { return fmt.Sprintf("%020d", first) }

// parseSegment reads the name of a file, and reports whether it has that of a
// segment.
func parseSegment(name string) (first uint64, ok bool) {
	digits, ok := strings.CutSuffix(name, segmentExt)
	if !ok || len(digits) != 20 {
		return 0, false
	}
	first, err := strconv.ParseUint(digits, 10, 64)
	return first, err == nil && first > 0 && first < 1<<(63-offsetBits)
}

// unreadable is the error of a place that cannot be read.
func (j *Journal) unreadable(p store.Place, err error) error {
	return &store.Error{
		Kind: store.Corrupt,
		What: fmt.Sprintf("the journal cannot be read: %s at byte %d", j.dirs.segment(segmentOf(p)), offsetOf(p)),
		Mend: "vak doctor tells what is damaged", Err: err,
	}
}

// lineAt reads the line that a place is in, and says where in it. The caller
// holds j.reading or j.mu.
func (j *Journal) lineAt(p store.Place) (l line, at int, err error) {
	off := offsetOf(p)
	var b []byte
	var start int64
	err = j.segmentFiles.with(j.dirs.segment(segmentOf(p)), false, func(f fsys.File) error {
		var err error
		b, start, err = lineAround(f, off)
		return err
	})
	if err == nil {
		l, err = parseLine(b)
	}
	if err != nil {
		return line{}, 0, j.unreadable(p, err)
	}
	base := p - store.Place(off) + store.Place(start)
	for i := range l.rows {
		l.rows[i].put.Row.Place = base + store.Place(l.rows[i].at)
	}
	return l, int(off - start), nil
}

// rowAt reads the row that is at a place: the i-th of its line.
func (j *Journal) rowAt(p store.Place) (l line, i int, err error) {
	l, at, err := j.lineAt(p)
	if err != nil {
		return line{}, 0, err
	}
	for i := range l.rows {
		if l.rows[i].at == at {
			return l, i, nil
		}
	}
	return line{}, 0, j.unreadable(p, errors.New("there is no job"))
}

// lineAround reads the line that has the byte at off, without its newline.
func lineAround(f fsys.File, off int64) (b []byte, start int64, err error) {
	const step = 4 << 10
	for n := int64(step / 2); ; n *= 2 { // backwards to the newline before it
		start = max(off-n, 0)
		b = make([]byte, off-start)
		if _, err := f.ReadAt(b, start); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			b, start = b[i+1:], start+int64(i)+1
			break
		}
		if start == 0 {
			break
		}
		if n > maxLine {
			return nil, 0, errors.New("there is no line")
		}
	}
	for n := step; ; n *= 2 {
		have := len(b)
		b = append(b, make([]byte, n)...)
		read, err := f.ReadAt(b[have:], start+int64(have))
		b = b[:have+read]
		if i := bytes.IndexByte(b[have:], '\n'); i >= 0 {
			return b[:have+i], start, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if len(b) > maxLine {
			return nil, 0, errors.New("there is no line")
		}
	}
}
