package core

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// Health is the state of what a Core keeps.
type Health struct {
	// ReadOnly is why nothing can be written any more, of kind ErrStore; nil: it
	// can. What was accepted stays on disk and goes after a restart.
	ReadOnly error

	// NewWork is why nothing new is accepted while accepted work goes on, of kind
	// ErrFull or ErrStore; nil: it is.
	NewWork error

	Torn     []Torn    // what was set aside when the journal was opened
	Live     int       // jobs
	Segments int       // files of the journal
	Bytes    int64     // of them
	Oldest   time.Time // entry of the journal; zero: there is none

	Free    int64 // bytes of the disk that this user may take; -1: not known
	Reserve int64 // bytes kept back for finishing accepted work; 0: they are used
}

// A Torn is a write that was cut off, by a crash or a full disk, before anything
// of it was accepted.
type Torn struct {
	Path  string // where it was set aside
	From  string // where it was
	Bytes int64
}

// Health tells the state of what the Core keeps. Its error is of kind ErrReadOnly.
func (c *Core) Health(ctx context.Context) (Health, error) {
	if c.store == nil {
		return Health{}, errReadOnly()
	}
	s := c.store.Health(ctx)
	h := Health{
		ReadOnly: storeError(s.ReadOnly), NewWork: storeError(s.NewWork), Live: s.Live,
		Segments: s.Segments, Bytes: s.Bytes, Oldest: s.Oldest, Free: -1,
	}
	for _, t := range s.Torn {
		h.Torn = append(h.Torn, Torn{Path: t.Path, From: t.From, Bytes: t.Bytes})
	}
	dir := filepath.Join(c.hold.dir, "journal")
	if free, known := fsys.OS.Free(dir); known {
		h.Free = free
	}
	if st, err := os.Stat(filepath.Join(dir, "reserve")); err == nil {
		h.Reserve = st.Size()
	}
	return h, nil
}
