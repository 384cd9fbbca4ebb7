package host

import (
	"fmt"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
)

// Hold makes plugins callable until release is called, whatever becomes of them on
// disk and of what is used. One that is not listed any more is found again if its
// folder still holds exactly that. What is not there is told in missing.
func (h *Host) Hold(keys []Key) (release func(), missing map[Key]error) {
	held := make([]*slot, 0, len(keys))
	for _, k := range keys {
		s, e := h.hold(k)
		if e != nil {
			if missing == nil {
				missing = map[Key]error{}
			}
			missing[k] = e
			continue
		}
		held = append(held, s)
	}
	done := false
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if done {
			return
		}
		done = true
		for _, s := range held {
			s.holds--
			h.tend(s)
		}
	}, missing
}

// hold counts one who wants the plugin with a key callable.
func (h *Host) hold(k Key) (*slot, *Error) {
	if s, e := h.take(k, nil); s != nil || e != nil {
		return s, e
	}
	if k.Dir == "" {
		return nil, &Error{
			Op: "open", Plugin: k.ID, Kind: NotFound, Source: FromHost, Message: fmt.Sprintf("this program has no surface %q", k.ID),
			Hint: "the next turn uses what is there now",
		}
	}
	b := bundle.Read(k.Dir)
	switch {
	case keyOf(b) != k:
		return nil, replaced(k)
	case b.Err != nil:
		return nil, b.Err
	}
	return h.take(k, newSlot(h, b))
}

// take is hold for what is known, or else for fresh. Both results are nil where neither
// is there.
func (h *Host) take(k Key, fresh *slot) (*slot, *Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, isClosed()
	}
	s, known := h.slots[k]
	if !known {
		if s = fresh; s == nil {
			return nil, nil
		}
		s.banned = h.ban(k)
	}
	if s.banned != nil {
		return nil, s.banned
	}
	h.slots[k] = s
	s.holds++
	h.tend(s)
	return s, nil
}
