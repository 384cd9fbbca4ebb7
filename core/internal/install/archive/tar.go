package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// tarRoom is what the headers of an archive may take, on top of its files.
const tarRoom = 4 << 20

// tarEnd is how many zero bytes end a tar: two blocks.
const tarEnd = 2 * 512

func readTar(f io.Reader, s *sink) error {
	in := &counter{r: bufio.NewReader(f)}
	damaged := func(err error) error {
		if own, ok := errors.AsType[*Error](err); ok {
			return own
		}
		return &Error{What: "it is damaged or cut off", Mend: another, Err: err}
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return damaged(err)
	}
	z.Multistream(false) // what follows the first is not part of it
	out := &inflated{r: z, in: in, limits: s.limits}
	t := tar.NewReader(out)
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return damaged(err)
		}
		if err := tarEntry(h, t, s); err != nil {
			return err
		}
	}
	out.ending = true
	if _, err := io.Copy(io.Discard, out); err != nil {
		return damaged(err)
	}
	if out.zeros < tarEnd {
		return refuse("", "it is cut off: a tar ends in two empty blocks", another)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return refuse("", "something follows the archive", another)
	}
	return nil
}

func tarEntry(h *tar.Header, t io.Reader, s *sink) error {
	name := strings.TrimPrefix(h.Name, "./")
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return refuse(h.Name, "it is a file with holes", anew)
		}
	}
	switch h.Typeflag {
	case tar.TypeReg:
		if what := wrongMode(uint32(h.Mode)); what != "" {
			return refuse(h.Name, what, anew)
		}
		return s.file(name, t)
	case tar.TypeDir:
		if what := wrongMode(uint32(h.Mode)); what != "" {
			return refuse(h.Name, what, anew)
		}
		if name == "" { // ./ itself
			return nil
		}
		return s.dir(strings.TrimSuffix(name, "/"))
	case tar.TypeSymlink, tar.TypeLink:
		return refuse(h.Name, "it is a link", anew)
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return refuse(h.Name, "it is a device", anew)
	}
	return refuse(h.Name, fmt.Sprintf("it is neither a file nor a folder (kind %q)", h.Typeflag), anew)
}

// wrongMode says what is wrong with the mode of an entry, in the bits of Unix;
// empty: nothing.
func wrongMode(mode uint32) string {
	switch {
	case mode&0o7000 != 0:
		return "its mode has setuid, setgid or the sticky bit"
	case mode&0o002 != 0:
		return "its mode lets everybody write to it"
	}
	return ""
}

// A counter counts what is read. It reads no further than it is asked to, so that
// gzip leaves what follows it.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// inflated bounds what comes out of gzip, and knows how many zero bytes were last.
type inflated struct {
	r      io.Reader
	in     *counter
	limits limits
	n      int64
	zeros  int64
	ending bool // only zero bytes may follow
}

func (i *inflated) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	i.n += int64(n)
	at := n
	for at > 0 && b[at-1] == 0 {
		at--
	}
	if at > 0 {
		if i.ending {
			return 0, &Error{What: "something follows the end of the tar", Mend: another}
		}
		i.zeros = 0
	}
	i.zeros += int64(n - at)
	if i.n > i.limits.bytes+tarRoom {
		return 0, &Error{What: fmt.Sprintf("more than %d MiB come out of it", i.limits.bytes>>20), Mend: "if that is no mistake, tell its author"}
	}
	if i.n > ratioFree && i.n > i.limits.ratio*i.in.n {
		return 0, bomb(i.limits.ratio)
	}
	return n, err
}

func bomb(ratio int64) error {
	return &Error{What: fmt.Sprintf("it unpacks to more than %d times its size", ratio), Mend: "that is no honest plugin; do not install it"}
}
