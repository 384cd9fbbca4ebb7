package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// LockName is the name of the lock file in a home.
const LockName = "lock"

// A Holder is the process that holds a home, as its lock file says.
type Holder struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
	Version string    `json:"version"`
	Control string    `json:"control,omitempty"` // path of its control socket; empty: it has none
}

// String names the holder for a person.
func (h Holder) String() string {
	if h.PID == 0 {
		return "a process that does not say who it is"
	}
	return fmt.Sprintf("process %d (vak %s, since %s)", h.PID, h.Version, h.Started.UTC().Format(time.RFC3339))
}

// A Lock is a home that this process holds.
type Lock struct {
	file *os.File
	left Holder
}

const (
	// patience is how long Take waits for others who only look: Find has the lock
	// for some microseconds.
	patience = 200 * time.Millisecond

	// maxLock bounds what is read of a lock file.
	maxLock = 16 << 10
)

// Take makes dir if it is not there and this process its holder. An error of
// kind ErrHeld names who holds it.
func Take(dir string) (*Lock, error) {
	if err := ensure(dir); err != nil {
		return nil, err
	}
	f, got, err := seize(filepath.Join(dir, LockName), patience)
	if err != nil {
		return nil, err
	}
	if got {
		left, _ := read(f)
		return &Lock{file: f, left: left}, nil
	}
	defer f.Close()
	holder := settled(f)
	return nil, &Error{
		Kind: ErrHeld, Holder: holder,
		What: fmt.Sprintf("the home %s is held by %s", dir, holder),
		Mend: "stop that process, or use another home with --home or " + Env,
	}
}

// Left is what a holder that did not end in order left in the file, or zero.
func (l *Lock) Left() Holder { return l.left }

// Say writes who holds the home.
func (l *Lock) Say(h Holder) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(b, '\n'), 0)
	return err
}

// Release ends the hold. The file stays, and is empty. A second Release does
// nothing.
func (l *Lock) Release() error {
	err := l.file.Truncate(0)
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return errors.Join(err, l.file.Close())
}

// Find says who holds the home dir, if anybody does. It writes nothing.
func Find(dir string) (h Holder, held bool, _ error) {
	f, free, err := glance(filepath.Join(dir, LockName))
	if f == nil {
		return Holder{}, false, err
	}
	defer f.Close()
	if free {
		h, _ := read(f)
		return h, false, nil
	}
	return settled(f), true, nil
}

// settled reads who holds a lock that is held. A holder needs a moment to write
// it down, and may be about to.
func settled(f *os.File) Holder {
	for until := time.Now().Add(5 * patience); ; time.Sleep(patience / 20) {
		h, err := read(f)
		if err == nil && alive(h.PID) || time.Now().After(until) {
			return h
		}
	}
}

// read is the holder that the file names.
func read(f *os.File) (h Holder, err error) {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, maxLock))
	if err != nil {
		return Holder{}, err
	}
	if err := json.Unmarshal(b, &h); err != nil || h.PID <= 0 {
		return Holder{}, errors.New("the lock file names nobody")
	}
	return h, nil
}

type mode int

const (
	shared mode = iota
	exclusive
)
