package fsys

import (
	"errors"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// syncDir does nothing: Windows knows no such thing.
func syncDir(string) error { return nil }

// IsFull reports whether a write failed for want of room.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_FILE_TOO_LARGE)
}
