package surface

import (
	"encoding/json"
	"fmt"
	"sync"
)

// maxKnown bounds how many profiles are remembered. An operator has a handful.
const maxKnown = 64

// profiles remembers the profiles that requests come with: the same few, all the
// time, as canonical JSON, which is the same bytes for the same profile.
type profiles struct {
	mu    sync.Mutex
	known map[string]Profile
}

// parse reads and validates a profile.
func (p *profiles) parse(b []byte) (Profile, error) {
	p.mu.Lock()
	known, ok := p.known[string(b)]
	p.mu.Unlock()
	if ok {
		return known, nil
	}
	var out Profile
	if err := json.Unmarshal(b, &out); err != nil {
		return Profile{}, fmt.Errorf("profile: %w", err)
	}
	if err := out.Validate(); err != nil {
		return Profile{}, fmt.Errorf("profile.%w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= maxKnown {
		p.known = map[string]Profile{}
	}
	p.known[string(b)] = out
	return out, nil
}
