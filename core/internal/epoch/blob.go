package epoch

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// mend is what to do about a blob that is not what it must be. Publishing an epoch
// that needs it writes it anew; what only older epochs need is in copies alone.
const mend = "start vak again, which writes anew what it uses now; what older epochs used has to be put back from a copy of the home"

// Load reads an epoch by its digest. It is safe to call while another is published.
// Its errors are of type *[fsys.Error].
func (s *Store) Load(digest string) (*Epoch, error) {
	b, err := s.blob(digest, maxList)
	if err != nil {
		return nil, err
	}
	e, err := parse(b, s.Blob)
	if err == nil {
		return e, nil
	}
	if _, ok := errors.AsType[*fsys.Error](err); ok {
		return nil, err
	}
	return nil, &fsys.Error{File: s.path(digest), What: "the epoch cannot be read", Mend: mend, Err: err}
}

// Blob reads a blob by its name, which is the sha256 of its bytes. Its errors are of
// type *[fsys.Error].
func (s *Store) Blob(hash string) ([]byte, error) { return s.blob(hash, maxBlob) }

func (s *Store) path(hash string) string { return filepath.Join(s.dir, blobsDir, hash) }

func (s *Store) blob(hash string, most int64) ([]byte, error) {
	if !isName(hash) {
		return nil, &fsys.Error{File: filepath.Join(s.dir, blobsDir), What: fmt.Sprintf("%.80q is the name of nothing in it", hash), Mend: mend}
	}
	path := s.path(hash)
	failed := func(what string, err error) error {
		return &fsys.Error{File: path, What: what, Mend: mend, Err: fsys.Bare(err)}
	}
	f, err := s.files.Open(path, false)
	if err != nil {
		return nil, failed("it cannot be read", err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, failed("it cannot be read", err)
	}
	if size > most {
		return nil, failed(fmt.Sprintf("it has %d bytes, want at most %d", size, most), nil)
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, failed("it cannot be read", err)
	}
	if name(b) != hash {
		return nil, failed("its bytes are not those that its name says", nil)
	}
	return b, nil
}
