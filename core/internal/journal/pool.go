package journal

import (
	"errors"
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// A pool keeps files open that are likely to be needed again.
type pool struct {
	fs    fsys.FS
	write bool
	max   int

	mu   sync.Mutex
	open map[string]*handle
	tick uint64
}

type handle struct {
	fsys.File
	users int
	used  uint64
	gone  bool // to be closed by its last user
}

func newPool(fs fsys.FS, write bool, max int) *pool {
	return &pool{fs: fs, write: write, max: max, open: map[string]*handle{}}
}

// with calls f with the open file. A file that is to be written to is made when
// it is not there and create is set.
func (p *pool) with(name string, create bool, f func(fsys.File) error) error {
	h, err := p.take(name, create)
	if err != nil {
		return err
	}
	defer p.release(h)
	return f(h)
}

func (p *pool) take(name string, create bool) (*handle, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tick++
	if h := p.open[name]; h != nil {
		h.users++
		h.used = p.tick
		return h, nil
	}
	f, err := p.fs.Open(name, p.write)
	if err != nil && create && isNotExist(err) {
		f, err = p.fs.Create(name)
	}
	if err != nil {
		return nil, err
	}
	h := &handle{File: f, users: 1, used: p.tick}
	p.open[name] = h
	if len(p.open) > p.max {
		p.evict()
	}
	return h, nil
}

// evict closes the file that nobody has used for the longest time.
func (p *pool) evict() {
	var oldest string
	for name, h := range p.open {
		if h.users == 0 && (oldest == "" || h.used < p.open[oldest].used) {
			oldest = name
		}
	}
	if oldest != "" {
		p.open[oldest].Close() // nothing is lost: what has to last was synced
		delete(p.open, oldest)
	}
}

func (p *pool) release(h *handle) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.users--
	if h.gone && h.users == 0 {
		h.Close()
	}
}

// forget closes a file once nobody uses it.
func (p *pool) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.open[name]; h != nil {
		delete(p.open, name)
		h.gone = true
		if h.users == 0 {
			h.Close()
		}
	}
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for name, h := range p.open {
		delete(p.open, name)
		h.gone = true
		if h.users == 0 {
			errs = append(errs, h.Close())
		}
	}
	return errors.Join(errs...)
}
