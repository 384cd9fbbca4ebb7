//go:build !unix

package builtin

import "syscall"

const noFollow = 0

const tooManyLinks = syscall.ELOOP

// syncDir does nothing where directories cannot be synced.
func syncDir(string) error { return nil }
