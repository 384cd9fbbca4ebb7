package host

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// dynamic is the least of a binary that names a loader.
func dynamic(t *testing.T, loader string) []byte {
	t.Helper()
	machine, ok := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if !ok {
		t.Skip("no binary for this processor")
	}
	const head, segment, base = 64, 56, 0x400000
	size := uint64(head + 2*segment + len(loader) + 1)
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Entry: base + head,
		Phoff: head, Ehsize: head, Phentsize: segment, Phnum: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	var b bytes.Buffer
	for _, part := range []any{
		h,
		elf.Prog64{Type: uint32(elf.PT_INTERP), Flags: uint32(elf.PF_R), Off: head + 2*segment, Filesz: uint64(len(loader) + 1), Memsz: uint64(len(loader) + 1), Align: 1},
		elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: base, Paddr: base, Filesz: size, Memsz: size, Align: 4096},
		append([]byte(loader), 0),
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// TestDynamicallyLinked has a plugin that needs a loader, which its sandbox does
// not let it have, and one that there is none for.
func TestDynamicallyLinked(t *testing.T) {
	for _, c := range []struct {
		why, loader string
		config      Config
		says        string
	}{
		{"the loader is out of reach", built.fixture, Config{}, "permission denied"},
		{"the loader is not there", "/nowhere/ld.so", Config{noSandbox: true}, "no such file"},
	} {
		t.Run(c.why, func(t *testing.T) {
			if !c.config.noSandbox && !Sandbox().Whole {
				t.Skip("no sandbox on this system")
			}
			leavesNothing(t)
			dir := t.TempDir()
			folder := install(t, dir, built.fixture, "linked")
			manifest, err := os.ReadFile(filepath.Join(folder, "plugin.json"))
			if err != nil {
				t.Fatal(err)
			}
			was, err := os.ReadFile(built.fixture)
			if err != nil {
				t.Fatal(err)
			}
			is := dynamic(t, c.loader)
			hash := func(b []byte) []byte { s := sha256.Sum256(b); return []byte(hex.EncodeToString(s[:])) }
			manifest = bytes.Replace(manifest, hash(was), hash(is), 1)
			os.Remove(filepath.Join(folder, "linked")) // a link to what other tests run
			if err := os.WriteFile(filepath.Join(folder, "linked"), is, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "plugin.json"), manifest, 0o644); err != nil {
				t.Fatal(err)
			}
			install(t, dir, built.fixture, "good")
			c.config.Places.Dirs = []string{dir}
			h := open(t, c.config)
			pid := say(t, h, "good", "pid")
			_, err = try(h, "linked", "x")
			named(t, err, StartFailed, FromPlugin, c.says)
			named(t, err, StartFailed, FromPlugin, "linked dynamically")
			named(t, err, StartFailed, FromPlugin, "CGO_ENABLED=0")
			unharmed(t, h, pid)
		})
	}
}
