//go:build unix

package core

import (
	"os"
	"syscall"
)

// exposed says what is wrong with the owner and the mode of a file or directory,
// of which no bit of open may be set. Root may change every file as it is, so a
// directory of root's is as good as one's own.
func exposed(st os.FileInfo, open os.FileMode) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if own := ok && int(sys.Uid) == os.Geteuid(); !own && !(ok && st.IsDir() && sys.Uid == 0) {
		return "it belongs to another user"
	}
	if st.Mode().Perm()&open != 0 {
		return "it can be written to by others than its owner"
	}
	return ""
}
