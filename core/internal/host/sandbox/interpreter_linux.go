package sandbox

import (
	"debug/elf"
	"path/filepath"
	"strings"
)

// loader is the dynamic loader that a program names, which the kernel executes in
// its place; empty if it names none. The program is the operator's choice, not a
// plugin's.
func loader(program string) string {
	f, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz > 4096 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil {
			return ""
		}
		if path := strings.TrimRight(string(b), "\x00"); filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}
