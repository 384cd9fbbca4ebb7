//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// TestChangedServed has a vak that serves take over what commands do to its plugins,
// and say what it cannot use.
func TestChangedServed(t *testing.T) {
	t.Parallel()
	s := place(t)
	s.start()
	const counts = `^It counts from the next turn on( \(epoch \d+\))?\.$`
	faulty := filepath.Join(filepath.Dir(binaries.Build(t)), "faulty")
	s.want(0, counts, "plugin", "install", faulty, "--allow-unverified", "--yes")

	file := filepath.Join(s.home, "vak.toml")
	if err := os.WriteFile(file, []byte("[policy]\ncadence = 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want(3, `^vak: that is done, but process \d+ .* cannot use all that it finds: .*vak\.toml`, "plugin", "disable", "faulty")
	s.want(0, `^faulty .* disabled, unverified`, "plugin", "list")
	// A fault in the configuration keeps nobody from starting a plugin, or from stopping one.
	s.want(0, `^telegram \S+: ready, process \d+$`, "plugin", "restart", "telegram")
	s.want(3, `^revoked  [0-9a-f]{64}  telegram .*\nvak: that is done, but process`, "plugin", "revoke", "telegram", "--now")
	s.want(0, `^telegram .* broken +-`, "plugin", "list")
	s.want(3, `^restored  [0-9a-f]{64}  telegram .*\nvak: that is done, but process`, "plugin", "restore", "telegram")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s.want(0, counts, "plugin", "enable", "faulty")
	s.want(0, counts, "plugin", "revoke", "faulty")
	s.want(0, `^It is stopped: its processes are ended`, "plugin", "revoke", "faulty", "--now")
	s.want(0, counts, "plugin", "restore", "faulty")

	s.stop(syscall.SIGTERM)
	s.want(0, `^It counts from the next start of vak: no process holds the home\.$`, "plugin", "remove", "faulty")
}
