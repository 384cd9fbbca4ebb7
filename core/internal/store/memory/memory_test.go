package memory

import (
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/internal/store/storetest"
)

func TestSuite(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Opener {
		var s *Store
		return func(now func() time.Time) (store.Store, error) {
			if s == nil {
				s = New(now)
			}
			return s, s.Reopen()
		}
	})
}
