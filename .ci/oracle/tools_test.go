package oracle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// unavailable skips t, or fails it where VAK_REQUIRE says that the oracles have
// to run.
func unavailable(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(os.Getenv("VAK_REQUIRE"), "oracles") {
		t.Fatal(err)
	}
	t.Skip(err)
}

// parsers starts every foreign parser.
func parsers(t *testing.T) map[string]Parser {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		unavailable(t, fmt.Errorf("tdlib on %s/%s: %w", runtime.GOOS, runtime.GOARCH, ErrUnavailable))
	}
	node, err := Node()
	if err != nil {
		unavailable(t, err)
	}
	modules, err := Modules()
	if errors.Is(err, ErrUnavailable) {
		unavailable(t, err)
	} else if err != nil {
		t.Fatal(err)
	}
	telegram, err := LoadTelegram(filepath.Join(modules, "@prebuilt-tdlib", "linux-x64-glibc", "libtdjson.so"))
	if err != nil {
		unavailable(t, fmt.Errorf("%w: %v", ErrUnavailable, err))
	}
	all := map[string]Parser{"telegram": telegram}
	for name, start := range map[string]func(string, string) (*Script, error){"slack": StartSlack, "discord": StartDiscord} {
		s, err := start(node, modules)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		all[name] = s
	}
	return all
}
