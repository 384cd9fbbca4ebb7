//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTemplatesServed has the commands ask a vak that serves, which keeps proposals
// over a restart.
func TestTemplatesServed(t *testing.T) {
	t.Parallel()
	s := place(t)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	toml := file("vak.toml", "[policy]\ntemplate = \"idea\"\n[templates.own]\nformat = \"{body} {oops}\"\n")
	idea, answer := file("idea.md", "# {title}\n\n{body}\n"), file("answer.md", "Text.\n")
	s.start("--config", toml)
	s.want(0, `^idea 1 is proposed`, "template", "propose", "idea", idea)
	s.want(3, `proposed with revision 1 already`, "template", "propose", "idea", idea, "--revision", "1")
	s.want(0, `^idea +1 +proposal +proposed +-$`, "template", "list")
	s.want(0, `^own +1 +user +refused`, "template", "list")
	s.want(0, `^delivered`, "send", answer, "--to", "log:a", "--title", "T", "--id", "one")
	s.want(0, `^idea 1 is active$`, "template", "activate", "idea", "--revision", "1")
	s.want(0, `^idea +1 +proposal +active +policy$`, "template", "list")
	s.stop(os.Interrupt)

	s.start("--config", toml)
	s.want(0, `^idea +1 +proposal +active +policy$`, "template", "list")
	s.want(0, `^delivered`, "send", answer, "--to", "log:a", "--title", "T", "--id", "two")
	if b, err := os.ReadFile(filepath.Join(s.home, "log", "a.log")); string(b) != "Text.\nT\n=\n\nText.\n" {
		t.Errorf("the log holds %q, %v", b, err)
	}
	s.want(3, `templates/own.*there is no slot|line 1, column 8: there is no slot \{oops\}`, "config", "check", "--config", toml)
	s.want(0, `^idea 1 is not active any more$`, "template", "deactivate", "idea")
	s.want(3, `template "idea" is a proposal that is not active; "vak template activate idea"`, "config", "check", "--config", toml)
	s.want(0, `^idea 1 is rejected$`, "template", "reject", "idea")
}
