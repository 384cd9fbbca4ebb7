package epoch

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

const (
	listName = "epochs.jsonl"
	blobsDir = "blobs"
)

// An Entry is the line of an epoch.
type Entry struct {
	Number uint64
	Digest string
	At     time.Time // UTC
}

// line is an entry as it is written.
type line struct {
	Version int       `json:"v"`
	Epoch   uint64    `json:"epoch"`
	Digest  string    `json:"digest"`
	At      time.Time `json:"at"`
}

// A Store is a directory of epochs. One process may publish; any number may read at
// the same time. It is safe for concurrent use.
type Store struct {
	dir   string
	files fsys.FS

	publishing sync.Mutex      // holds back no reader
	end        int64           // of the last whole line
	known      map[string]bool // blobs that this process found whole, or wrote; nil: it did not publish yet
	synced     bool            // the names of the blobs that were there before are durable
	named      bool            // and so are that of the list, and its lines

	mu       sync.Mutex
	entries  []Entry // only added to
	lost     uint64  // how many numbers behind the last entry somebody may have seen
	problems []string
}

// Open reads which epochs there are. It writes nothing; a directory that is not there
// has none.
func Open(dir string) (*Store, error) { return open(dir, fsys.OS) }

func open(dir string, files fsys.FS) (*Store, error) {
	s := &Store{dir: dir, files: files}
	path := filepath.Join(dir, listName)
	f, err := files.Open(path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, unreadable(path, err)
	}
	if err := s.read(io.NewSectionReader(f, 0, size)); err != nil {
		return nil, unreadable(path, err)
	}
	return s, nil
}

func unreadable(path string, err error) error {
	return &fsys.Error{File: path, What: "the list of epochs cannot be read", Mend: "run vak as the user that owns the file, and check the disk", Err: fsys.Bare(err)}
}

// maxNumber is the last one that every reader of JSON takes for what it is.
const maxNumber = 1<<53 - 1

// read reads the lines. One that is damaged is told and passed; one that was cut
// off at the end was never published.
func (s *Store) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		b, err := in.ReadSlice('\n')
		size := len(b)
		for errors.Is(err, bufio.ErrBufferFull) {
			b, err = in.ReadSlice('\n')
			size += len(b)
		}
		if errors.Is(err, io.EOF) {
			return nil // what has no end was cut off
		}
		if err != nil {
			return err
		}
		s.end += int64(size)
		path := filepath.Join(s.dir, listName)
		var l line
		if size > maxLine || json.Unmarshal(b, &l) != nil || l.Version < 1 || l.Epoch == 0 || l.Epoch > maxNumber || !isName(l.Digest) {
			s.problem("line %d of %s is damaged and is not used", n, path)
			// Nobody knows how many lines it was, nor how many numbers were passed
			// over between them. There are some hundred bytes for each line.
			s.lost += uint64(size)
			continue
		}
		if k := len(s.entries); k > 0 && s.entries[k-1].Number >= l.Epoch {
			s.problem("line %d of %s has the number %d, which is no higher than the one before, and is not used", n, path, l.Epoch)
			continue
		}
		s.entries, s.lost = append(s.entries, Entry{l.Epoch, l.Digest, l.At}), 0
	}
}

// maxProblems bounds what is told of a file that is no list at all.
const maxProblems = 100

func (s *Store) problem(format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

// Problems are what is wrong with the list of epochs, for people.
func (s *Store) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Current is the epoch that was published last.
func (s *Store) Current() (Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.entries) == 0 {
		return Entry{}, false
	}
	return s.entries[len(s.entries)-1], true
}

// Entry is the line of an epoch.
func (s *Store) Entry(number uint64) (Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := slices.BinarySearchFunc(s.entries, number, func(e Entry, n uint64) int { return cmp.Compare(e.Number, n) })
	if !ok {
		return Entry{}, false
	}
	return s.entries[i], true
}

// Entries lists all epochs, oldest first. The caller owns the slice.
func (s *Store) Entries() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}
