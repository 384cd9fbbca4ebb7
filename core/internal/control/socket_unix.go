//go:build linux || darwin

package control

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/home"
)

// Available says whether this platform has control sockets.
const Available = true

// leftBehind is the age from which on a socket that nobody listens at was left
// behind, rather than just made.
const leftBehind = time.Minute

// listen makes a socket with a name that nobody has, and removes those that
// killed processes left.
func listen() (string, net.Listener, error) {
	name := socketName()
	dir, err := home.RuntimeDir(name)
	if err != nil {
		return "", nil, err
	}
	for _, path := range stale(dir, leftBehind) {
		os.Remove(path)
	}
	path := filepath.Join(dir, name)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		if err = os.Chmod(path, 0o600); err == nil { // until here the directory alone keeps others out
			return path, l, nil
		}
		l.Close()
	}
	return "", nil, &home.Error{Kind: home.ErrRuntimeDir, What: "cannot make the control socket", Mend: "check the directory and the free space there", Err: err}
}

func socketName() string {
	var b [4]byte
	rand.Read(b[:])
	return prefix + hex.EncodeToString(b[:]) + suffix
}

// Stale lists the control sockets at which nobody listens any more.
func Stale() []string {
	var out []string
	for _, dir := range home.RuntimeDirs() {
		if home.Private(dir) == nil {
			out = append(out, stale(dir, 0)...)
		}
	}
	return out
}

func stale(dir string, age time.Duration) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !ours(path) {
			continue
		}
		if st, err := e.Info(); err == nil && time.Since(st.ModTime()) >= age && dead(path) {
			out = append(out, path)
		}
	}
	return out
}

// ours reports whether path has the name of a control socket and is a socket.
func ours(path string) bool {
	name := filepath.Base(path)
	if len(name) != len(prefix)+8+len(suffix) || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) {
		return false
	}
	st, err := os.Lstat(path)
	return err == nil && st.Mode().Type() == os.ModeSocket
}

// dead reports whether nobody listens at path. One that listens and does not
// answer is not dead.
func dead(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Discard removes the socket that a killed holder left, however young it is.
// Only the holder of that home may call it, and path is what the lock says; so a
// file that is no dead control socket stays.
func Discard(path string) {
	if path != "" && ours(path) && dead(path) {
		os.Remove(path)
	}
}
