//go:build !linux

package fsys

import "os"

// datasync is a whole sync; on Darwin that is F_FULLFSYNC.
func datasync(f *os.File) error { return f.Sync() }
