package outbox

import (
	"sync"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// targets is the state of every target that has one. Its zero value has none.
type targets struct {
	mu   sync.Mutex
	rows map[string]store.TargetRow
	busy map[string]*turnstile
}

// A turnstile lets one after another change the state of one target.
type turnstile struct {
	sync.Mutex
	users int
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
	if t.rows == nil {
		t.rows = map[string]store.TargetRow{}
	}
	t.rows[r.Target] = r
}

// change has commit write down what a target becomes, nil for what stays as it
// was. A target has two lanes: what one of them writes the other must not undo.
func (t *targets) change(name string, how change, commit func(*store.TargetRow) error) error {
	if how == nil {
		return commit(nil)
	}
	if old := t.get(name); old == how(old) { // as nearly always
		return commit(nil)
	}
	t.mu.Lock()
	if t.busy == nil {
		t.busy = map[string]*turnstile{}
	}
	gate := t.busy[name]
	if gate == nil {
		gate = &turnstile{}
		t.busy[name] = gate
	}
	gate.users++
	t.mu.Unlock()
	gate.Lock()
	defer func() {
		gate.Unlock()
		t.mu.Lock()
		if gate.users--; gate.users == 0 {
			delete(t.busy, name)
		}
		t.mu.Unlock()
	}()
	old := t.get(name)
	row := how(old)
	if row == old {
		return commit(nil)
	}
	if err := commit(&row); err != nil {
		return err
	}
	t.set(row)
	return nil
}

// A change is what becomes of a target's state.
type change func(store.TargetRow) store.TargetRow
