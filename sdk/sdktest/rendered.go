package sdktest

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Rendered sends what p renders: the inputs of the golden files that match pattern,
// with their profiles, and more markdown. Every chunk takes the place of r's, as text
// and as plain text, under a key of its own. It fails the test where one is refused,
// and where there is nothing to send. What arrived is for the test to look at.
func (s *Sender) Rendered(t testing.TB, p surface.Plugin, pattern string, compile func(source string) (*doc.Document, error), r surface.SendRequest, more ...string) {
	t.Helper()
	var all []*txtar.Archive
	for _, file := range goldens(t, pattern) {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	for _, source := range more {
		all = append(all, &txtar.Archive{Files: []txtar.File{{Name: inputMember, Data: []byte(source)}}})
	}
	runner, sent := Run(t, p), 0
	for _, a := range all {
		out, _, err := runner.archive(a, compile)
		if err != nil {
			t.Fatalf("%.40q: %v", member(a, inputMember), err)
		}
		for _, c := range out.Chunks {
			for _, form := range []surface.Form{surface.FormText, surface.FormPlain} {
				sent++
				r.Key, r.Form, r.Chunk = fmt.Sprint("k", sent), form, c
				if _, err := s.Send(context.Background(), r); err != nil {
					t.Errorf("%s %q: %v", form, c.Text, err)
				}
			}
		}
	}
	if sent == 0 {
		t.Error("nothing was rendered, and nothing sent")
	}
}
