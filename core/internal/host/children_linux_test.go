package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func openFiles() int {
	e, _ := os.ReadDir("/proc/self/fd")
	return len(e)
}

// children lists the processes that came from this one: those whose binary the
// tests built, which includes orphans, and zombies of ours.
func children() []string {
	var out []string
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		pid, _ := strconv.Atoi(filepath.Base(p))
		stat, _ := os.ReadFile(p + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		f := strings.Fields(rest)
		ours := len(f) > 1 && f[1] == strconv.Itoa(os.Getpid())
		st, err := os.Stat(p + "/exe")
		for _, b := range []string{built.fixture, built.telegram, built.courier} {
			if want, e := os.Stat(b); err == nil && e == nil && os.SameFile(st, want) { // a hard link, whatever its name
				ours = true
			}
		}
		if ours {
			out = append(out, fmt.Sprintf("%d %s", pid, strings.Join(f[:min(2, len(f))], " ")))
		}
	}
	return out
}

// alive reports whether pid runs; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
