package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// addressForm is what a file of the log may be called, without its extension.
const addressForm = `^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`

var address = regexp.MustCompile(addressForm)

// files is the transport of [Log]. A message is the chunk's plain text and a
// newline at the end of a file; it is on disk before the receipt says so. The id
// in the receipt is "ADDRESS@OFFSET", where it begins, in bytes.
type files struct {
	dir  string
	open func(dir, name string) (file, error)

	mu sync.Mutex // one message after the other, whatever the file
}

// A file is an [*os.File] that is appended to.
type file interface {
	io.WriteCloser
	Stat() (os.FileInfo, error)
	Truncate(int64) error
	Sync() error
}

// Send appends. What was written of a message that does not fit is taken back.
func (f *files) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	if !address.MatchString(r.Target.Address) {
		return surface.Receipt{}, &surface.DeliveryError{
			Class: surface.Permanent, Code: "bad_address",
			Hint: "name a file by up to 64 letters, digits, '.', '_' and '-', the first of them no '.'",
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil { // it had to wait for others
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: "busy", Err: ctx.Err()}
	}
	w, err := f.open(f.dir, r.Target.Address+".log")
	if err != nil {
		return surface.Receipt{}, trouble(err)
	}
	defer w.Close()
	st, err := w.Stat()
	if err != nil {
		return surface.Receipt{}, trouble(err)
	}
	if !st.Mode().IsRegular() {
		return surface.Receipt{}, trouble(errNoFile)
	}
	at := st.Size()
	n, err := io.WriteString(w, r.Chunk.Plain+"\n")
	if err != nil {
		d := trouble(err)
		if n > 0 && w.Truncate(at) != nil { // a part of it stays
			d.Class = surface.Unknown
		}
		return surface.Receipt{}, d
	}
	if err := w.Sync(); err != nil { // what is on disk after that, nobody knows
		d := trouble(err)
		d.Class = surface.Unknown
		return surface.Receipt{}, d
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: r.Target.Address + "@" + strconv.FormatInt(at, 10)}}}, nil
}

var errNoFile = errors.New("not a regular file")

// openLog opens a file of the log to append to it, and makes it and dir if they
// are not there. It follows no link.
func openLog(dir, name string) (file, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	st, err := os.Lstat(path)
	switch {
	case err == nil && !st.Mode().IsRegular():
		return nil, errNoFile
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	f, openErr := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|noFollow, 0o600)
	if openErr != nil {
		return nil, openErr
	}
	if err != nil { // it is new: so that its name survives, too
		if err := syncDir(dir); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	return f, nil
}

// trouble is an error before anything was written.
func trouble(err error) *surface.DeliveryError {
	d := &surface.DeliveryError{Class: surface.Transient, Code: "io", Err: err, Hint: "see whether the home's directory log can be written to"}
	switch {
	case errors.Is(err, errNoFile), errors.Is(err, tooManyLinks):
		d.Class, d.Code, d.Hint = surface.Permanent, "not_a_file", "what has the name of the log is no regular file; remove it, or name another one"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		d.Code, d.Hint = "disk_full", "make space on the disk of the home"
	}
	return d
}
