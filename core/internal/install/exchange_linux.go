package install

import "golang.org/x/sys/unix"

// exchangeAtOnce exchanges the names of two folders, so that each of them is always
// one of the two.
func exchangeAtOnce(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
