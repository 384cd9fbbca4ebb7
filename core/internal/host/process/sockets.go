package process

import (
	"errors"
	"os"
	"sync"
)

// LongestSocket is the longest name of a socket below the directory that
// [NewSockets] is given: the host's directory, go-plugin's and the socket's own
// name, each with a random number of up to ten digits.
const LongestSocket = "h1234567890/plugin-dir1234567890/plugin1234567890"

// Sockets is a host's own directory for the sockets of its plugins, made when
// the first process starts. It is safe for concurrent use.
type Sockets struct {
	base string

	mu     sync.Mutex
	path   string
	lock   *os.File // held, so that another host can tell that this one lives
	closed bool
}

// NewSockets returns a Sockets below base, which is made with mode 0700 when the
// first process starts; its path is absolute and short. NewSockets makes nothing,
// and removes what hosts that were killed left there.
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
