package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// TestQuickstart does in an empty directory what docs/skill-authors.md says, without
// a network: what is built comes from this checkout and the cache of modules.
func TestQuickstart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the page's commands are for a shell")
	}
	page, err := os.ReadFile("../../docs/skill-authors.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	code, cards, commands := blocks(string(page), "go"), blocks(string(page), "text"), strings.Join(blocks(string(page), "sh"), "")
	if len(code) != 2 || len(cards) != 1 || commands == "" {
		t.Fatalf("the page has %d blocks of Go and %d of text, want main.go and main_test.go, and a card", len(code), len(cards))
	}
	for name, text := range map[string]string{"main.go": code[0], "main_test.go": code[1], "testdata/sunny.txtar": cards[0]} {
		same, err := os.ReadFile(filepath.Join("minimal", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(same), text) || strings.HasSuffix(name, ".go") && string(same) != text {
			t.Errorf("%s of the page is not that of sdk/examples/minimal", name)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644); err != nil {
		t.Fatal(err)
	}
	// Tidying asks for modules that nothing here is built of; -mod=mod takes its place.
	const tidy = "go mod tidy\n"
	if !strings.Contains(commands, tidy) {
		t.Error("the page does not have the module tidied")
	}
	script := strings.ReplaceAll(strings.ReplaceAll(commands, tidy, ""), "CHECKOUT", "'"+checkout+"'")
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}

	golden, err := os.ReadFile(filepath.Join(dir, "testdata", "sunny.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile("minimal/testdata/sunny.txtar"); err != nil || string(golden) != string(want) {
		t.Errorf("the golden file that the page has written differs from that of sdk/examples/minimal: %v\n%s", err, golden)
	}
	r := sdktest.PackBinary(t, filepath.Join(dir, "plugins", "mood", "mood"))
	if _, err := r.Lower(t.Context(), skill.Input{Type: "acme.mood", Payload: r.Info().Types[0].Example}); err != nil {
		t.Error(err)
	}
}

// blocks are the fenced blocks of a language.
func blocks(page, language string) []string {
	var out []string
	for _, block := range strings.Split(page, "\n```"+language+"\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		out = append(out, block)
	}
	return out
}
