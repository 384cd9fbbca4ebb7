package host

import (
	"errors"
	"os"
	"sync"
)

// sockets is the host's own directory for the sockets of its plugins, made when
// the first process starts. The zero value uses the default base.
type sockets struct {
	base string // as configured

	mu     sync.Mutex
	path   string
	lock   *os.File // held, so that another host can tell that this one lives
	closed bool
}

// dir returns the directory, making it if need be.
func (s *sockets) dir() (string, error) {
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

// close removes the directory and all that is left in it.
func (s *sockets) close() error {
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
