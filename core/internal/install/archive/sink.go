package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// limits bound what is taken out of one archive.
type limits struct {
	bytes   int64 // of all files together
	entries int
	ratio   int64 // of what comes out to what goes in, once a MiB came out
}

// MaxBytes and MaxEntries bound a plugin: all its files together, and the files
// and folders. An archive may not be longer than MaxBytes either.
const (
	MaxBytes   = 256 << 20
	MaxEntries = 1000
)

var standard = limits{bytes: MaxBytes, entries: MaxEntries, ratio: 100}

// ratioFree is what may come out before the ratio counts: a short file of spaces
// packs well.
const ratioFree = 1 << 20

// A place is a name that is taken.
type place struct {
	name string
	dir  bool
	told bool // an entry of its own; else the folder of one
}

// A sink makes folders and files and holds the bounds.
type sink struct {
	root    *os.Root
	limits  limits
	taken   map[string]place // by folded name
	entries int
	bytes   int64
}

// claim takes a name, and those of its folders.
func (s *sink) claim(name string, dir bool) error {
	if s.entries++; s.entries > s.limits.entries {
		return refuse(name, fmt.Sprintf("there are more than %d entries", s.limits.entries), "a plugin is a manifest, a binary and little else")
	}
	if what := faulty(name); what != "" {
		return refuse(name, what, another)
	}
	for _, p := range append(parents(name), name) {
		isDir := p != name || dir
		was, is := s.taken[folded(p)]
		switch {
		case is && was.name != p:
			return refuse(name, fmt.Sprintf("its name is that of %s on some platforms", shown(was.name)), anew)
		case is && (!was.dir || !isDir):
			return refuse(name, "its name is there twice", anew)
		case is && p == name && was.told:
			return refuse(name, "its name is there twice", anew)
		}
		s.taken[folded(p)] = place{p, isDir, p == name || was.told}
		if isDir && !is {
			if err := s.root.Mkdir(p, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return &Error{Entry: name, What: "its folder cannot be made", Mend: "check the space and the rights of the home", Err: fsys.Bare(err)}
			}
		}
	}
	return nil
}

// dir makes a folder.
func (s *sink) dir(name string) error { return s.claim(name, true) }

// file makes a file of what r has to its end.
func (s *sink) file(name string, r io.Reader) error {
	if err := s.claim(name, false); err != nil {
		return err
	}
	cannot := func(err error) error {
		return &Error{Entry: name, What: "it cannot be written", Mend: "check the space and the rights of the home", Err: fsys.Bare(err)}
	}
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return cannot(err)
	}
	in := &watched{r: io.LimitReader(r, s.limits.bytes-s.bytes+1)}
	n, err := io.Copy(f, in)
	s.bytes += n
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	switch own, ok := errors.AsType[*Error](in.err); {
	case ok:
		own.Entry = name
		return own
	case in.err != nil:
		return &Error{Entry: name, What: "it is damaged or cut off", Mend: another, Err: in.err}
	case err != nil:
		return cannot(err)
	case s.bytes > s.limits.bytes:
		return refuse(name, fmt.Sprintf("the files are larger than %d MiB together", s.limits.bytes>>20), "if that is no mistake, tell its author")
	}
	return nil
}

// watched keeps the error of its reader, so that it can be told from the writer's.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
