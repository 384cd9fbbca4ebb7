package process

import (
	"debug/elf"
	"encoding/binary"
	"io"
)

// maxSegments bounds what is looked at of a binary; linkers write about ten.
const maxSegments = 128

// LinkedDynamically reports whether a binary is an ELF file that names a loader,
// which the kernel runs in its place. It reads two headers and no more: package
// debug/elf reads all of a file, and does not claim to stand a hostile one.
func LinkedDynamically(file io.ReaderAt) bool {
	var ident [elf.EI_NIDENT]byte
	if _, err := file.ReadAt(ident[:], 0); err != nil || string(ident[:4]) != elf.ELFMAG || elf.Class(ident[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(ident[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	var head elf.Header64
	if binary.Read(io.NewSectionReader(file, 0, 64), order, &head) != nil || head.Phoff > 1<<40 {
		return false
	}
	for i := range min(int64(head.Phnum), maxSegments) {
		var segment elf.Prog64
		at := int64(head.Phoff) + i*int64(head.Phentsize)
		if binary.Read(io.NewSectionReader(file, at, 56), order, &segment) != nil {
			return false
		}
		if elf.ProgType(segment.Type) == elf.PT_INTERP {
			return true
		}
	}
	return false
}
