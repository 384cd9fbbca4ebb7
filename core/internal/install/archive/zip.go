package archive

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

const (
	zipEnd       = 22      // bytes of the record that ends a zip
	zipDirectory = 1 << 20 // bytes that the list of entries may have
)

// Systems that a zip may come from whose modes are those of Unix.
const (
	zipUnix  = 3
	zipMacOS = 19
)

func readZip(f io.ReaderAt, size int64, s *sink) error {
	if err := zipWhole(f, size, s.limits.entries); err != nil {
		return err
	}
	z, err := zip.NewReader(f, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are judged below
		return &Error{What: "it is damaged or cut off", Mend: another, Err: err}
	}
	for _, h := range z.File {
		if err := zipEntry(h, size, s); err != nil {
			return err
		}
	}
	return nil
}

// zipWhole holds that the end of the file is the end of one zip with not too many
// entries. Package archive/zip looks for an end further ahead, and reads as many
// entries as it finds.
func zipWhole(f io.ReaderAt, size int64, most int) error {
	var end [zipEnd]byte
	if _, err := f.ReadAt(end[:], size-zipEnd); err != nil || string(end[:4]) != "PK\x05\x06" || end[20] != 0 || end[21] != 0 {
		return refuse("", "it is cut off, or something follows it", another)
	}
	le := binary.LittleEndian
	entries, length, start := le.Uint16(end[10:]), int64(le.Uint32(end[12:])), int64(le.Uint32(end[16:]))
	switch {
	case int(entries) > most:
		return refuse("", fmt.Sprintf("there are more than %d entries", most), "a plugin is a manifest, a binary and little else")
	case length > zipDirectory:
		return refuse("", "its list of entries is too long", anew)
	case start+length != size-zipEnd:
		return refuse("", "its list of entries is not where it says", another)
	}
	return nil
}

func zipEntry(h *zip.File, size int64, s *sink) error {
	mode := h.Mode()
	if system := h.CreatorVersion >> 8; system == zipUnix || system == zipMacOS {
		if what := wrongMode(unixMode(mode)); what != "" {
			return refuse(h.Name, what, anew)
		}
	}
	isDir := strings.HasSuffix(h.Name, "/")
	switch {
	case mode&fs.ModeSymlink != 0:
		return refuse(h.Name, "it is a link", anew)
	case mode.Type() != 0 && mode.Type() != fs.ModeDir:
		return refuse(h.Name, "it is a device", anew)
	case mode.IsDir() != isDir:
		return refuse(h.Name, "it is a folder by its mode or by its name, not by both", anew)
	case h.Flags&1 != 0:
		return refuse(h.Name, "it is encrypted", anew)
	case h.Method != zip.Store && h.Method != zip.Deflate:
		return refuse(h.Name, fmt.Sprintf("it is compressed in a way that is not known (%d)", h.Method), anew)
	case isDir:
		return s.dir(strings.TrimSuffix(h.Name, "/"))
	}
	r, err := h.Open()
	if err != nil {
		return &Error{Entry: h.Name, What: "it is damaged or cut off", Mend: another, Err: err}
	}
	defer r.Close()
	return s.file(h.Name, &measured{r: r, packed: int64(min(h.CompressedSize64, uint64(size))), ratio: s.limits.ratio})
}

// unixMode is a mode in the bits of Unix.
func unixMode(m fs.FileMode) uint32 {
	out := uint32(m.Perm())
	for bit, flag := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if m&flag != 0 {
			out |= bit
		}
	}
	return out
}

// measured bounds what comes out of an entry by what went in.
type measured struct {
	r                io.Reader
	packed, n, ratio int64
}

func (m *measured) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if m.n += int64(n); m.n > ratioFree && m.n > m.ratio*m.packed {
		return 0, bomb(m.ratio)
	}
	return n, err
}
