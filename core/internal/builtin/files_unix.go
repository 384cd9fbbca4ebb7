//go:build unix

package builtin

import (
	"os"
	"syscall"
)

// noFollow refuses links, and does not wait for the reader of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// tooManyLinks is how a link that is not followed is refused.
const tooManyLinks = syscall.ELOOP

// syncDir makes the names in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
