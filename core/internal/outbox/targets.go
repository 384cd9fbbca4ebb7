package outbox

import (
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// targets is the state of every target that has one.
type targets struct {
	mu   sync.Mutex
	rows map[string]store.TargetRow
}

func (t *targets) get(name string) store.TargetRow {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, ok := t.rows[name]; ok {
		return r
	}
	return store.TargetRow{Target: name}
}

func (t *targets) set(r store.TargetRow) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if (r == store.TargetRow{Target: r.Target}) {
		delete(t.rows, r.Target)
		return
	}
	t.rows[r.Target] = r
}
