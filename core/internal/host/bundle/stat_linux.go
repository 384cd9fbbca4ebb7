package bundle

import (
	"fmt"
	"os"
	"syscall"
)

// changeTime is when the file was last changed by the kernel's word, which, in
// contrast to the time of modification, nobody can set.
func changeTime(st os.FileInfo) string {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(" ", s.Dev, " ", s.Ino, " ", s.Ctim.Sec, " ", s.Ctim.Nsec)
	}
	return ""
}
