package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A Report is what Verify found.
type Report struct {
	Segments int
	Commits  uint64
	Sessions int
	Records  uint64 // in the files of sessions
	Bytes    int64
	Tail     int64 // at the end, that are being written or were when the power went
	Problems []Problem
}

// A Problem is damage. It holds no text of anybody.
type Problem struct {
	File   string
	Offset int64
	What   string
}

// Verify reads every line of every segment and session below a home, and changes
// nothing. It needs no lock: what another process writes meanwhile it does not
// reach. Errors: Newer, and what keeps it from reading.
func Verify(ctx context.Context, home string) (Report, error) {
	return verify(ctx, fsys.OS, home)
}

func verify(ctx context.Context, fs fsys.FS, home string) (Report, error) {
	v := &verifier{ctx: ctx, fs: fs, dirs: dirsOf(home), heads: map[string]ledger.Chain{}}
	sessions, err := v.list(v.dirs.sessions, ".jsonl") // before the journal: no file is ahead of it then
	if err != nil {
		return v.rep, err
	}
	sizes := map[string]int64{}
	for _, name := range sessions {
		if sizes[name], err = fs.Size(filepath.Join(v.dirs.sessions, name)); err != nil {
			return v.rep, err
		}
	}
	if err := v.journal(); err != nil {
		return v.rep, err
	}
	for _, name := range sessions {
		if err := v.session(name, sizes[name]); err != nil {
			return v.rep, err
		}
	}
	return v.rep, nil
}

type verifier struct {
	ctx   context.Context
	fs    fsys.FS
	dirs  dirs
	rep   Report
	due   uint64
	heads map[string]ledger.Chain // the last record of each session that is in the journal
}

func (v *verifier) list(dir, ext string) ([]string, error) {
	names, err := v.fs.List(dir)
	if isNotExist(err) {
		return nil, nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ext) }), err
}

func (v *verifier) problem(file string, at int64, what string) {
	const most = 1000
	if len(v.rep.Problems) < most {
		v.rep.Problems = append(v.rep.Problems, Problem{File: file, Offset: at, What: what})
	}
}

func (v *verifier) journal() error {
	names, err := v.list(v.dirs.journal, segmentExt)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, ok := parseSegment(name); return !ok })
	for i, name := range names {
		first, _ := parseSegment(name)
		err := v.segment(filepath.Join(v.dirs.journal, name), first, i == len(names)-1)
		if isNotExist(err) && i == 0 {
			continue // it was removed for its age
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) segment(name string, first uint64, last bool) error {
	f, err := v.fs.Open(name, false)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	if size > 0 && v.due != 0 && first != v.due {
		v.problem(name, 0, fmt.Sprintf("commits %d to %d are missing", v.due, first-1))
	}
	if v.due == 0 || size > 0 {
		v.due = first
	}
	v.rep.Segments++
	v.rep.Bytes += size
	type bad struct {
		at  int64
		due uint64
	}
	var doubtful []bad // lines at the end that may be of an interrupted write
	tell := func() {
		for _, b := range doubtful {
			v.problem(name, b.at, fmt.Sprintf("commit %d is damaged", b.due))
		}
		doubtful = nil
	}
	for sc := newScanner(f, 0, size, maxLine); ; {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		at, b, whole, err := sc.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		l, wrong := line{}, errors.New("cut off")
		if whole {
			l, wrong = parseLine(b)
		}
		switch {
		case errors.Is(wrong, errNewer):
			return &store.Error{Kind: store.Newer, What: fmt.Sprintf("%s was written by a later version of vak", name), Mend: "use that version"}
		case wrong != nil:
			doubtful = append(doubtful, bad{at, v.due})
			continue
		case len(doubtful) > 0 && l.b <= doubtful[0].due:
			continue // of the same write
		}
		if len(doubtful) > 0 {
			tell()
		} else if l.n != v.due {
			v.problem(name, at, fmt.Sprintf("commit %d stands where %d belongs", l.n, v.due))
		}
		v.due = l.n + 1
		v.rep.Commits++
		if wrong := v.records(&l); wrong != nil {
			v.problem(name, at, wrong.Error())
		}
	}
	if len(doubtful) > 0 && last {
		v.rep.Tail = size - doubtful[0].at
		return nil
	}
	tell()
	return nil
}

// records follows the sessions through a line.
func (v *verifier) records(l *line) error {
	for _, part := range l.records {
		b := l.record(part)
		c, known := v.heads[l.session]
		if !known { // what is before is in its file
			r, err := ledger.Parse(b)
			if err != nil || r.Session != l.session || uint64(r.Seq) != l.q {
				return fmt.Errorf("commit %d holds no record %d of session %s", l.n, l.q, l.session)
			}
			c = ledger.Chain{Session: l.session, Seq: r.Seq, Head: ledger.HashOf(b)}
		} else if _, err := c.Add(b); err != nil {
			return fmt.Errorf("commit %d: %w", l.n, err)
		}
		v.heads[l.session] = c
	}
	return nil
}

// session reads a session's file up to a size.
func (v *verifier) session(name string, size int64) error {
	full := filepath.Join(v.dirs.sessions, name)
	f, err := v.fs.Open(full, false)
	if err != nil {
		return err
	}
	defer f.Close()
	v.rep.Sessions++
	v.rep.Bytes += size
	c := ledger.Chain{Session: strings.TrimSuffix(name, ".jsonl")}
	head := v.heads[c.Session]
	for sc := newScanner(f, 0, size, ledger.MaxLine); ; {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		at, b, whole, err := sc.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case !whole && at+int64(len(b)) < size && at+ledger.MaxLine > size:
			return nil // it is being written
		}
		if _, err := c.Add(b); err != nil {
			v.problem(full, at, err.Error())
			return nil
		}
		v.rep.Records++
		if c.Seq == head.Seq && c.Head != head.Head {
			v.problem(full, at, fmt.Sprintf("record %d is not what was committed", c.Seq))
			return nil
		}
	}
}
