package memfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"syscall"
)

type file struct {
	m     *FS
	n     *node
	name  string
	write bool
}

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if at >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.n.data[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes b, or the part of it that there is room for.
func (f *file) WriteAt(b []byte, at int64) (int, error) {
	if !f.write {
		return 0, f.err("write", syscall.EBADF)
	}
	failed := f.m.begin(Write, f.name, int64(len(b)))
	if failed != nil {
		short, ok := errors.AsType[*Short](failed)
		if !ok {
			return 0, failed
		}
		b = b[:min(short.N, len(b))]
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	more := max(at+int64(len(b))-int64(len(f.n.data)), 0)
	if f.m.free >= 0 && more > f.m.free {
		b = b[:max(int64(len(b))-(more-f.m.free), 0)]
		more, failed = f.m.free, f.err("write", syscall.ENOSPC)
	}
	f.m.grow(more)
	if end := at + int64(len(b)); end > int64(len(f.n.data)) {
		f.n.data = append(f.n.data, make([]byte, end-int64(len(f.n.data)))...)
	}
	copy(f.n.data[at:], b)
	return len(b), failed
}

// Sync makes the content durable.
func (f *file) Sync() error {
	if err := f.m.begin(Sync, f.name, 0); err != nil {
		return err
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.synced = bytes.Clone(f.n.data)
	return nil
}

func (f *file) Truncate(size int64) error {
	if err := f.m.begin(Truncate, f.name, size); err != nil {
		return err
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if n := size - int64(len(f.n.data)); n > 0 {
		f.n.data = append(f.n.data, make([]byte, n)...)
	}
	f.m.grow(size - int64(len(f.n.data)))
	f.n.data = f.n.data[:size:size]
	return nil
}

func (f *file) Size() (int64, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return int64(len(f.n.data)), nil
}

func (f *file) Close() error { return nil }

func (f *file) err(op string, err error) error { return &fs.PathError{Op: op, Path: f.name, Err: err} }
