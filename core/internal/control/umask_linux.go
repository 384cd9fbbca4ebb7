package control

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// umask reads the mask of this process. The system call can only change it, and
// files that are made at the same moment would get the wrong one.
func umask() (int, bool) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if v, ok := strings.CutPrefix(lines.Text(), "Umask:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(v), 8, 32)
			return int(n), err == nil
		}
	}
	return 0, false
}
