package journal

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// rotate seals the segment that is written to and begins the next. Nobody else
// writes meanwhile, and nothing waits to be written. When there is no room for a
// new segment the old one goes on.
func (j *Journal) rotate() {
	j.filing.Lock()
	defer j.filing.Unlock()
	j.fileAll()
	sealed := segment{}
	c, err := j.checkpoint()
	switch {
	case err != nil:
		return // it is poisoned
	case c == nil: // a session's file is behind
	default:
		j.mu.Lock()
		sealed = j.segments[len(j.segments)-1]
		j.mu.Unlock()
		if err := j.writeCheckpoint(sealed.first, c); err != nil {
			if j.ended("a checkpoint could not be written", err) {
				return
			}
			sealed.first = 0
		}
	}
	j.mu.Lock()
	next := segment{first: j.last + 1}
	j.mu.Unlock()
	f, err := j.fs.Create(j.dirs.segment(next.first))
	if err == nil {
		err = j.fs.SyncDir(j.dirs.journal)
	}
	if err != nil {
		if f != nil {
			f.Close()
			j.fs.Remove(j.dirs.segment(next.first)) // an empty one harms nobody
		}
		j.ended("a new segment could not be made", err)
		return
	}
	j.mu.Lock()
	old := j.tail
	j.tail, j.written = f, 0
	j.segments = append(j.segments, next)
	if sealed.first != 0 {
		j.sealed = sealed.first
	}
	j.mu.Unlock()
	old.Close() // it is synced
}

// ended poisons the journal, unless err is for want of room, and reports whether
// it did.
func (j *Journal) ended(what string, err error) bool {
	if fsys.IsFull(err) {
		j.log.Warn(what+": the disk is full", "error", err)
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.poison(what, err)
	return true
}

// checkpoint syncs the session files and takes down what the journal says up to
// now. There is none while a session's file is behind or damaged. The caller is
// filing.
func (j *Journal) checkpoint() (*checkpoint, error) {
	j.mu.Lock()
	var dirty []*session
	c := &checkpoint{last: j.last, time: j.now().UnixMilli()}
	whole := j.newWork == nil
	for _, name := range j.sessionNames() {
		s := j.sessions[name]
		switch {
		case s.bad != nil || s.filed != s.head.Seq:
			whole = false
		case s.head.Seq > 0:
			c.sessions = append(c.sessions, filed{chain: s.head, size: s.size})
		}
		if s.dirty {
			dirty = append(dirty, s)
		}
	}
	c.size = j.segments[len(j.segments)-1].size
	j.mu.Unlock()
	for _, s := range dirty {
		err := j.sessionFiles.with(j.dirs.session(s.name), true, fsys.File.Sync)
		if err != nil {
			j.mu.Lock()
			defer j.mu.Unlock()
			return nil, j.poison("a session's file could not be synced", err)
		}
	}
	if len(dirty) > 0 {
		if err := j.fs.SyncDir(j.dirs.sessions); err != nil {
			j.mu.Lock()
			defer j.mu.Unlock()
			return nil, j.poison("the sessions' directory could not be synced", err)
		}
	}
	for _, s := range dirty {
		s.dirty = len(s.behind) > 0
	}
	if !whole {
		return nil, nil
	}
	return c, nil
}

// writeCheckpoint puts c beside its segment.
func (j *Journal) writeCheckpoint(first uint64, c *checkpoint) error {
	j.mu.Lock()
	c.index = j.index
	b := c.append(nil)
	j.mu.Unlock()
	name := j.dirs.checkpoint(first)
	if err := fsys.Replace(j.fs, name, b); err != nil {
		return err
	}
	j.thinOut()
	return nil
}

// thinOut removes all checkpoints but the last, and one before it in case that is
// damaged: each holds all that is kept. What cannot be removed harms nobody.
func (j *Journal) thinOut() {
	names, _ := j.fs.List(j.dirs.journal)
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, checkpointExt) })
	for _, name := range names[:max(len(names)-2, 0)] {
		j.fs.Remove(filepath.Join(j.dirs.journal, name))
	}
}

// loadCheckpoint reads the checkpoint of a segment, nil for none that counts. end
// is the commit that must be its last.
func (j *Journal) loadCheckpoint(s segment, end uint64) *checkpoint {
	name := j.dirs.checkpoint(s.first)
	size, err := j.fs.Size(name)
	if isNotExist(err) {
		return nil
	}
	b := make([]byte, max(size, 0))
	if err == nil {
		var f fsys.File
		if f, err = j.fs.Open(name, false); err == nil {
			_, err = f.ReadAt(b, 0)
			f.Close()
		}
	}
	var c *checkpoint
	if err == nil {
		c, err = parseCheckpoint(b)
	}
	if err == nil && (c.last != end || c.size != s.size) {
		err = errors.New("it is of another segment")
	}
	if err == nil && c.time > j.now().UnixMilli() {
		// Due times have to be held against the clock, which the lines allow.
		err = errors.New("it is from the future")
	}
	if err != nil {
		j.log.Warn("a checkpoint is not used; the segments are read instead", "file", name, "error", err)
		return nil
	}
	return c
}
