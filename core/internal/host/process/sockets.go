package process

import (
	"errors"
	"os"
	"sync"
)

// Sockets is a host's own directory for the sockets of its plugins, made when
// the first process starts. It is safe for concurrent use.
type Sockets struct {
	base string // as configured

	mu     sync.Mutex
	path   string
	lock   *os.File // held, so that another host can tell that this one lives
	closed bool
}

// NewSockets returns a Sockets below base, or below the user's runtime directory
// if base is empty. It makes nothing, and removes what hosts that were killed
// left there.
func NewSockets(base string) *Sockets {
	sweep(base)
	return &Sockets{base: base}
}

// Dir returns the directory, making it if need be.
func (s *Sockets) Dir() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errors.New("the host is closed")
	}
	if s.path == "" {
		path, lock, err := makeSocketDir(s.base)
		if err != nil {
			return "", err
		}
		s.path, s.lock = path, lock
	}
	return s.path, nil
}

// Close removes the directory and all that is left in it.
func (s *Sockets) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.path == "" {
		return nil
	}
	err := os.RemoveAll(s.path)
	if s.lock != nil {
		s.lock.Close()
	}
	s.path, s.lock = "", nil
	return err
}
