package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// TestSurfaceQuickstart does in an empty directory what docs/surface-authors.md says,
// from its first line to a message that arrives, without a network.
func TestSurfaceQuickstart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the page's commands need --allow-unsandboxed, or a shell")
	}
	page, err := os.ReadFile("../../docs/surface-authors.md")
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	g := guide{t: t, page: string(page), dir: t.TempDir(), checkout: checkout, bin: t.TempDir()}
	code, cards, answers, settings := g.blocks("go"), g.blocks("text"), g.blocks("markdown"), g.blocks("toml")
	build, ask := g.blocks("sh"), g.blocks("console")
	if len(code) != 5 || len(cards) != 1 || len(answers) != 1 || len(settings) != 1 || len(build) != 3 || len(ask) != 2 {
		t.Fatalf("the page has %d blocks of Go, %d of text, %d of markdown, %d of toml, %d of sh and %d of console", len(code), len(cards), len(answers), len(settings), len(build), len(ask))
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	g.write("go.sum", string(sums))
	g.run(fmt.Sprintf("cd %s && CGO_ENABLED=0 go build -o %s ./core/cmd/vak", quote(checkout), quote(filepath.Join(g.bin, "vak"))))

	// A surface that renders.
	g.write("main.go", code[0])
	g.write("main_test.go", code[1])
	g.write("testdata/alarm.txtar", cards[0])
	g.run(build[0])
	if golden := g.read("testdata/alarm.txtar"); !strings.Contains(golden, "-- output --") || !strings.Contains(golden, "The pump is off.") {
		t.Errorf("what is rendered is not in the golden file:\n%s", golden)
	}
	g.run(build[1])
	g.write("answer.md", answers[0])
	out := g.run(ask[0])
	if strings.Contains(out, "unsandboxed") {
		t.Skip("this machine has no sandbox")
	}
	for _, want := range []string{"pager", "0.1.0", "The pump is off. Look at the log"} {
		if !strings.Contains(out, want) {
			t.Errorf("the page's commands do not print %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "renderer_") || strings.Contains(out, "unknown_surface") {
		t.Errorf("the answer is not shown by the pager:\n%s", out)
	}

	// The same, which sends.
	g.write("transport.go", code[2])
	main := g.read("main.go")
	last := main[strings.LastIndex(strings.TrimSpace(main), "\n")+1:]
	g.write("main.go", strings.Replace(main, last, code[3], 1))
	g.write("transport_test.go", code[4])
	g.run(build[2] + build[1])
	platform := fake.Serve(func(fake.Request) fake.Answer { return fake.Answer{Body: "41"} })
	defer platform.Close()
	token := `token = "env:PAGER_TOKEN"` + "\n"
	if !strings.Contains(settings[0], token) {
		t.Fatal("the page's vak.toml has no token")
	}
	g.write("vak.toml", strings.Replace(settings[0], token, token+"api = \""+platform.URL+"\"\n", 1))
	g.run(ask[1])
	asked := platform.Requests()
	if len(asked) != 1 || asked[0].Method != "POST" || asked[0].Path != "/pages/7" || asked[0].Header.Get("Authorization") != "Bearer ..." || asked[0].Body == "" {
		t.Errorf("the pager's platform was asked %+v", asked)
	}
}

// A guide is followed in a directory.
type guide struct {
	t                   *testing.T
	page, dir, checkout string
	bin                 string // where vak is
}

// blocks are the fenced blocks of a language.
func (g *guide) blocks(language string) []string { return blocks(g.page, language) }

func (g *guide) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guide) read(name string) string {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.dir, filepath.FromSlash(name)))
	if err != nil {
		g.t.Fatal(err)
	}
	return string(b)
}

// run runs commands of the page, in its directory and with a home of its own, and
// returns what they print. Tidying asks for modules that nothing here is built of;
// -mod=mod takes its place.
func (g *guide) run(commands string) string {
	g.t.Helper()
	script := strings.ReplaceAll(strings.ReplaceAll(commands, "go mod tidy\n", ""), "CHECKOUT", quote(g.checkout))
	cmd := exec.CommandContext(g.t.Context(), "sh", "-ec", script)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local",
		"PATH="+g.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "VAK_HOME="+filepath.Join(g.bin, "home"), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
