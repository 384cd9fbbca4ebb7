// Command interpreter runs a script of one line, the words that the pack it makes
// of it shows. Asked by a payload, it tries what a script might.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

func main() {
	script := os.Args[1]
	b, err := os.ReadFile(script)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	words := strings.TrimSpace(string(b))
	p := skill.Pack{ID: "script", Version: "1.0.0", Types: []skill.Type{{
		Name: "script.thing", Schema: json.RawMessage(`{"type":"object"}`),
		Lower: func(_ context.Context, in skill.Input) (card.Tree, error) {
			var w struct{ Do, With string }
			if err := json.Unmarshal(in.Payload, &w); err != nil {
				return card.Tree{}, err
			}
			return card.Of(card.Text{Text: do(w.Do, w.With, words, script)}), nil
		},
	}}}
	os.Args = append([]string{"script"}, os.Args[2:]...)
	skill.Serve(p)
}

func do(what, with, words, script string) string {
	err := error(nil)
	switch what {
	case "words":
		return words
	case "read":
		_, err = os.ReadFile(with)
	case "write":
		err = os.WriteFile(with, nil, 0o600)
	case "start":
		err = exec.Command(with).Run()
	case "become": // another program, without a new process
		err = syscall.Exec(with, []string{with}, nil)
	case "become the script":
		err = syscall.Exec(script, []string{script}, nil)
	}
	if err != nil {
		return "refused"
	}
	return "done"
}
