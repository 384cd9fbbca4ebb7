package journal_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/internal/store/storetest"
)

// TestSuite runs the suite on the machine's disk and, with segments so small that
// it is always rotating, in memory.
func TestSuite(t *testing.T) {
	t.Run("disk", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Opener {
			dir := t.TempDir()
			return func(now func() time.Time) (store.Store, error) {
				return journal.Open(context.Background(), journal.Config{Dir: dir, Now: now})
			}
		})
	})
	t.Run("small segments", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Opener {
			fs := memfs.New()
			return func(now func() time.Time) (store.Store, error) {
				return journal.Open(context.Background(), journal.Config{Dir: "/home", Now: now, FS: fs, SegmentBytes: 1000, ReserveBytes: 1000})
			}
		})
	})
}
