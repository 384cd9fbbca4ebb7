package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/store"
)

// Open opens the journal of a home, or makes it. It reads what the last
// checkpoint does not tell, and repairs what an interrupted write left. Where it
// finds damage, or cannot write, it still opens: Health tells. Errors: Newer,
// Broken.
func Open(ctx context.Context, cfg Config) (*Journal, error) {
	j := &Journal{
		log: cfg.Log, fs: cfg.FS, dirs: dirsOf(cfg.Dir), now: cfg.Now,
		size: cmp.Or(cfg.SegmentBytes, segmentBytes), spare: cmp.Or(cfg.ReserveBytes, reserveBytes), keep: cmp.Or(cfg.Retention, retention),
		index: store.NewIndex(), sessions: map[string]*session{},
		busy: map[store.Key]int{}, holds: map[string]int{}, suspects: map[store.Key]error{},
		signal: make(chan struct{}, 1),
	}
	if j.log == nil {
		j.log = hclog.NewNullLogger()
	}
	if j.fs == nil {
		j.fs = fsys.OS
	}
	if j.now == nil {
		j.now = time.Now
	}
	j.size = min(j.size, maxSegment-maxLine)
	j.settled = sync.NewCond(&j.mu)
	j.segmentFiles = newPool(j.fs, false, openFiles)
	j.sessionFiles = newPool(j.fs, true, openFiles)
	if err := j.load(ctx); err != nil {
		j.segmentFiles.close()
		j.sessionFiles.close()
		if j.tail != nil {
			j.tail.Close()
		}
		if _, ok := errors.AsType[*store.Error](err); ok || ctx.Err() != nil {
			return nil, err
		}
		return nil, &store.Error{Kind: store.Broken, What: "the journal cannot be opened", Mend: "check the home's permissions and its disk", Err: err}
	}
	j.signal <- struct{}{}
	return j, nil
}

func (j *Journal) load(ctx context.Context) error {
	for _, dir := range []string{j.dirs.journal, j.dirs.sessions} {
		if _, err := j.fs.List(dir); err == nil {
			continue
		}
		if err := j.fs.Mkdir(dir); err != nil {
			return err
		}
	}
	if err := j.listSegments(); err != nil {
		return err
	}
	r := &recovery{j: j, ctx: ctx, now: j.now(), bases: map[string]filed{}, replays: map[string]*replay{}}
	if err := r.run(); err != nil {
		return err
	}
	if j.broken == nil {
		j.openTail()
	}
	if j.broken == nil && !j.reserve {
		if err := j.writeReserve(); err != nil {
			j.full = fsys.IsFull(err)
			j.log.Warn("no room could be kept for a full disk", "error", err)
		}
	}
	return nil
}

// listSegments finds the segments, and makes the first if there is none. Empty
// ones are left over from a rotation that did not come to its end; the segment
// before them goes on.
func (j *Journal) listSegments() error {
	names, err := j.fs.List(j.dirs.journal)
	if err != nil {
		return err
	}
	for _, name := range names {
		full := filepath.Join(j.dirs.journal, name)
		if first, ok := parseSegment(name); ok {
			size, err := j.fs.Size(full)
			if err != nil {
				return err
			}
			j.segments = append(j.segments, segment{first: first, size: size})
		}
		if strings.HasSuffix(name, ".tmp") {
			j.fs.Remove(full) // of a checkpoint that was not finished; it harms nobody
		}
		if name == "reserve" {
			size, err := j.fs.Size(full)
			j.reserve = err == nil && size >= j.spare
		}
	}
	slices.SortFunc(j.segments, func(a, b segment) int { return cmp.Compare(a.first, b.first) })
	whole := slices.DeleteFunc(slices.Clone(j.segments), func(s segment) bool { return s.size == 0 })
	switch {
	case len(whole) > 0:
		for _, s := range j.segments {
			if s.size == 0 {
				j.fs.Remove(j.dirs.segment(s.first)) // it harms nobody
			}
		}
		j.segments = whole
		return nil
	case len(j.segments) > 0:
		j.segments = j.segments[:1]
		return nil
	}
	j.segments = []segment{{first: 1}}
	f, err := j.fs.Create(j.dirs.segment(1))
	if err != nil {
		return err
	}
	return f.Close()
}

// openTail makes the last segment ready to be written to.
func (j *Journal) openTail() {
	s := &j.segments[len(j.segments)-1]
	var err error
	j.tail, err = j.fs.Open(j.dirs.segment(s.first), true)
	if err == nil && s.size == 0 {
		// The names that lead to it may not be durable yet: they are new, or a
		// crash came in between.
		for _, dir := range []string{j.dirs.journal, j.dirs.home, filepath.Dir(j.dirs.home)} {
			if err == nil {
				err = j.fs.SyncDir(dir)
			}
			if errors.Is(err, fs.ErrPermission) && dir != j.dirs.journal {
				err = nil // it is somebody else's, and was there before
			}
		}
	}
	if err != nil {
		j.readOnly("the journal's last segment cannot be written to", err)
		return
	}
	j.given, j.written = j.last, s.size
}

// readOnly says why nothing can be written, while what is there can be read.
func (j *Journal) readOnly(what string, err error) {
	if j.broken != nil {
		return
	}
	kind := store.Broken
	if fsys.IsFull(err) {
		kind = store.Full
	}
	j.broken = &store.Error{Kind: kind, What: what, Mend: "mend that, then start vak again; until then it only reads", Err: err}
	j.log.Error("the journal is only read", "error", j.broken)
}

// corrupt says that damage was found: the first is what Health tells.
func (j *Journal) corrupt(what string) error {
	err := &store.Error{Kind: store.Corrupt, What: what, Mend: "no new work is taken; keep a copy of the home and see vak doctor"}
	j.log.Error("the journal is damaged", "error", err)
	if j.newWork == nil {
		j.newWork = err
	}
	return err
}

// quarantine copies bytes of a file aside, durably, before they are cut off.
func (j *Journal) quarantine(from string, f fsys.File, at, end int64, lines int) error {
	err := j.setAside(from, f, at, end, lines)
	if fsys.IsFull(err) && j.reserve {
		j.useReserve()
		j.full = true
		err = j.setAside(from, f, at, end, lines)
	}
	return err
}

func (j *Journal) setAside(from string, f fsys.File, at, end int64, lines int) error {
	if err := j.fs.Mkdir(j.dirs.torn); err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(from), segmentExt)
	name := filepath.Join(j.dirs.torn, fmt.Sprintf("%s-%d", base, at))
	for i := 2; ; i++ {
		if _, err := j.fs.Size(name); isNotExist(err) {
			break
		}
		name = filepath.Join(j.dirs.torn, fmt.Sprintf("%s-%d-%d", base, at, i))
	}
	to, err := j.fs.Create(name)
	if err != nil {
		return err
	}
	err = copyRange(to, f, at, end)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err == nil {
		err = j.fs.SyncDir(j.dirs.torn)
	}
	if err != nil {
		j.fs.Remove(name)
		return err
	}
	j.health.Torn = append(j.health.Torn, store.Quarantined{Path: name, Bytes: end - at, From: from, Lines: lines})
	j.log.Warn("an interrupted write was set aside", "from", from, "offset", at, "bytes", end-at, "path", name)
	return nil
}

func copyRange(to, from fsys.File, at, end int64) error {
	b := make([]byte, min(end-at, 1<<20))
	for off := at; off < end; {
		n := min(end-off, int64(len(b)))
		if _, err := from.ReadAt(b[:n], off); err != nil {
			return err
		}
		if _, err := to.WriteAt(b[:n], off-at); err != nil {
			return err
		}
		off += n
	}
	return nil
}
