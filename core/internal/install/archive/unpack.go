package archive

import (
	"errors"
	"io"
	"os"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// Unpack puts what is in src, a .tar.gz, a .zip or a folder, into the empty folder
// dst. What src is says its beginning, not its name. Its error is an *Error; the
// caller then removes what is in dst.
func Unpack(src, dst string) error { return unpack(src, dst, standard) }

func unpack(src, dst string, l limits) error {
	root, err := os.OpenRoot(dst)
	if err != nil {
		return &Error{Archive: src, What: "there is no folder to put it in", Mend: "check the rights of the home", Err: err}
	}
	defer root.Close()
	err = read(src, &sink{root: root, limits: l, taken: map[string]place{}})
	if own, ok := errors.AsType[*Error](err); ok {
		own.Archive = src
		return own
	}
	if err != nil {
		return &Error{Archive: src, What: "it cannot be read", Mend: "check that it is there and may be read", Err: fsys.Bare(err)}
	}
	return nil
}

func read(src string, s *sink) error {
	st, err := os.Stat(src)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return readFolder(src, s)
	case !st.Mode().IsRegular(): // opening a pipe would block
		return refuse("", "it is neither a file nor a folder", "name an archive or the folder of a plugin")
	case st.Size() > s.limits.bytes:
		return refuse("", "it is larger than a plugin may be", "name an archive of a plugin")
	}
	f, err := os.Open(src)
	if err != nil {
		return err
	}
	defer f.Close()
	var magic [4]byte
	n, err := io.ReadFull(f, magic[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	switch {
	case n >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		return readTar(f, s)
	case string(magic[:n]) == "PK\x03\x04":
		return readZip(f, st.Size(), s)
	}
	return refuse("", "it is no .tar.gz, no .zip and no folder", `name what "vak plugin pack" wrote, or the folder of a plugin`)
}
