package process

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"strings"
	"testing"
)

func elfFile(order binary.ByteOrder, change func(*elf.Header64), segments ...elf.ProgType) string {
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(len(segments))}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	if order == binary.BigEndian {
		h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
	}
	if change != nil {
		change(&h)
	}
	var b bytes.Buffer
	binary.Write(&b, order, h)
	for _, s := range segments {
		binary.Write(&b, order, elf.Prog64{Type: uint32(s)})
	}
	return b.String()
}

func TestLinkedDynamically(t *testing.T) {
	little := binary.LittleEndian
	for _, c := range []struct {
		why, file string
		want      bool
	}{
		{"a loader is named", elfFile(little, nil, elf.PT_PHDR, elf.PT_INTERP, elf.PT_LOAD), true},
		{"none is", elfFile(little, nil, elf.PT_PHDR, elf.PT_LOAD), false},
		{"the other byte order", elfFile(binary.BigEndian, nil, elf.PT_LOAD, elf.PT_INTERP), true},
		{"no segments", elfFile(little, nil), false},
		{"cut off before what matters", elfFile(little, func(h *elf.Header64) { h.Phnum = 9 }, elf.PT_LOAD), false},
		{"segments behind the end of every file", elfFile(little, func(h *elf.Header64) { h.Phoff = 1 << 63 }, elf.PT_INTERP), false},
		{"segments that overlap", elfFile(little, func(h *elf.Header64) { h.Phentsize, h.Phnum = 0, 0xffff }, elf.PT_LOAD), false},
		{"of 32 bits", elfFile(little, func(h *elf.Header64) { h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS32) }, elf.PT_INTERP), false},
		{"a script", "#!/bin/sh\n" + strings.Repeat("# \n", 100), false},
		{"a short file", "\x7fELF", false},
		{"nothing", "", false},
	} {
		if got := LinkedDynamically(strings.NewReader(c.file)); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
	if f, err := os.Open("/bin/true"); err == nil { // as most systems have it
		defer f.Close()
		real, err := elf.NewFile(f)
		if err == nil && real.Class == elf.ELFCLASS64 {
			want := false
			for _, p := range real.Progs {
				want = want || p.Type == elf.PT_INTERP
			}
			if got := LinkedDynamically(f); got != want {
				t.Errorf("/bin/true: %v, want %v", got, want)
			}
		}
	}
}

func FuzzLinkedDynamically(f *testing.F) {
	f.Add([]byte(elfFile(binary.LittleEndian, nil, elf.PT_LOAD, elf.PT_INTERP)))
	f.Add([]byte(elfFile(binary.BigEndian, nil, elf.PT_LOAD)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if LinkedDynamically(bytes.NewReader(b)) && !bytes.HasPrefix(b, []byte(elf.ELFMAG)) {
			t.Error("what is no ELF file names a loader")
		}
	})
}
