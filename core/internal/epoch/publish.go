package epoch

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// Publish puts an epoch on disk and makes it the current one, with the next number.
// Where it is the current one already, its entry is returned and nothing is written;
// except that the first call of a process writes anew what it finds damaged of it.
//
// After an error the current epoch is that of before. The number of a line that
// could not be written is not given again.
func (s *Store) Publish(e *Epoch, at time.Time) (Entry, error) {
	digest, blobs, err := parts(e)
	if err != nil {
		return Entry{}, err
	}
	if year := at.UTC().Year(); year < 0 || year > 9999 {
		return Entry{}, fmt.Errorf("the epoch cannot be kept: its time is in the year %d; set the clock", year)
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	if err := s.put(blobs); err != nil {
		return Entry{}, err
	}
	s.mu.Lock()
	next := Entry{1 + s.lost, digest, at.UTC()}
	if n := len(s.entries); n > 0 {
		if last := s.entries[n-1]; last.Digest == digest && s.lost == 0 {
			s.mu.Unlock()
			if err := s.settle(); err != nil {
				return Entry{}, err
			}
			return last, nil
		}
		next.Number += s.entries[n-1].Number
	}
	s.mu.Unlock()
	if next.Number > maxNumber {
		path := filepath.Join(s.dir, listName)
		return Entry{}, &fsys.Error{File: path, What: "it has the highest number that there is, so that no epoch can follow", Mend: "put back a copy of it"}
	}
	err = s.append(next)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.lost++ // who reads the home may have seen the line
		return Entry{}, err
	}
	s.entries, s.lost = append(s.entries, next), 0
	return next, nil
}

// writers is the number of blobs that are written at the same time: each waits for
// the disk.
const writers = 8

// put writes the blobs that are not there whole. The caller holds s.publishing.
func (s *Store) put(blobs map[string][]byte) error {
	dir := filepath.Join(s.dir, blobsDir)
	failed := func(err error) error {
		return &fsys.Error{File: dir, What: "an epoch cannot be written", Mend: "check the space and the rights of the home", Err: fsys.Bare(err)}
	}
	if s.known == nil {
		if err := s.prepare(dir); err != nil {
			return failed(err)
		}
	}
	var names []string
	for n := range blobs {
		if !s.known[n] {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	var wg sync.WaitGroup
	var wrote [writers]bool
	var errs [writers]error
	for w := range writers {
		wg.Go(func() {
			for i := w; i < len(names) && errs[w] == nil; i += writers {
				path, b := filepath.Join(dir, names[i]), blobs[names[i]]
				if !s.has(path, b) {
					wrote[w], errs[w] = true, fsys.Put(s.files, path, b)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return failed(err)
	}
	// A process that was killed may have left names that are not durable yet.
	if !s.synced || slices.Contains(wrote[:], true) {
		if err := s.files.SyncDir(dir); err != nil {
			return failed(err)
		}
		s.synced = true
	}
	for _, n := range names {
		s.known[n] = true
	}
	return nil
}

// prepare makes the folder of blobs, and removes what was being written when an
// earlier process was killed.
func (s *Store) prepare(dir string) error {
	if err := s.files.Mkdir(dir); err != nil {
		return err
	}
	for _, up := range []string{s.dir, filepath.Dir(s.dir)} { // folders that another process made and did not sync
		if err := s.files.SyncDir(up); err != nil {
			return err
		}
	}
	names, err := s.files.List(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasSuffix(n, fsys.TempSuffix) {
			s.files.Remove(filepath.Join(dir, n)) // what stays costs room and nothing else
		}
	}
	s.known = map[string]bool{}
	return nil
}

// has reports whether b is there already.
func (s *Store) has(path string, b []byte) bool {
	if size, err := s.files.Size(path); err != nil || size != int64(len(b)) {
		return false
	}
	f, err := s.files.Open(path, false)
	if err != nil {
		return false
	}
	defer f.Close()
	there := make([]byte, len(b))
	n, _ := f.ReadAt(there, 0)
	return n == len(b) && bytes.Equal(there, b)
}

// settle makes the list durable as it was read: a process that was killed may have
// written its last line and not have synced it. The caller holds s.publishing.
func (s *Store) settle() error {
	if s.named {
		return nil
	}
	path := filepath.Join(s.dir, listName)
	f, err := s.files.Open(path, true)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = s.files.SyncDir(s.dir)
	}
	if err != nil {
		return unlisted(path, err)
	}
	s.named = true
	return nil
}

func unlisted(path string, err error) error {
	return &fsys.Error{File: path, What: "an epoch cannot be listed", Mend: "check the space and the rights of the home", Err: fsys.Bare(err)}
}

// append writes a line behind the last whole one. The caller holds s.publishing.
func (s *Store) append(e Entry) error {
	path := filepath.Join(s.dir, listName)
	f, err := s.files.Open(path, true)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = s.files.Create(path)
	}
	if err != nil {
		return unlisted(path, err)
	}
	b := append(encode(line{version, e.Number, e.Digest, e.At}), '\n')
	if err = s.extend(f, b); err != nil {
		err = errors.Join(err, f.Truncate(s.end)) // nobody is to find it later
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return unlisted(path, err)
	}
	s.end += int64(len(b))
	return nil
}

// extend puts b in place of what was cut off behind the last whole line, on disk.
func (s *Store) extend(f fsys.File, b []byte) error {
	size, err := f.Size()
	if err == nil && size > s.end {
		err = f.Truncate(s.end)
	}
	if err == nil {
		_, err = f.WriteAt(b, s.end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil && !s.named {
		err = s.files.SyncDir(s.dir)
		s.named = err == nil
	}
	return err
}
