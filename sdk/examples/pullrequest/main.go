// Command pullrequest is a skill pack that shows what a reviewer wants to know of a
// pull request before opening it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

var pack = skill.Pack{
	ID: "pullrequest", Version: "1.0.0",
	Types: []skill.Type{{
		Name:    "pullrequest.digest",
		Schema:  json.RawMessage(schema),
		Example: json.RawMessage(example),
		Check:   check,
		Lower:   lower,
	}},
	// An answer about a pull request that has a digest is arranged around it.
	Signals: []skill.Signal{{Name: "pullrequest.mentioned", Keywords: []string{"pull request", "merge request"}, Types: []string{"pullrequest.digest"}}},
	Recipes: []skill.Recipe{{ID: "pullrequest.review", Version: "1.0.0", Signals: []string{"pullrequest.mentioned"}, Types: []string{"pullrequest.digest"}}},
}

func main() { skill.Serve(pack) }

const schema = `{
  "type": "object", "additionalProperties": false, "required": ["number", "title", "url"],
  "properties": {
    "number": {"type": "integer", "minimum": 1},
    "title": {"type": "string", "minLength": 1, "maxLength": 500},
    "url": {"type": "string", "maxLength": 2000},
    "author": {"type": "string", "maxLength": 200},
    "summary": {"type": "string", "maxLength": 20000},
    "additions": {"type": "integer", "minimum": 0},
    "deletions": {"type": "integer", "minimum": 0},
    "files": {"type": "array", "maxItems": 500, "items": {"type": "string", "maxLength": 500}},
    "checks": {"type": "array", "maxItems": 200, "items": {
      "type": "object", "additionalProperties": false, "required": ["name", "passed"],
      "properties": {"name": {"type": "string", "maxLength": 200}, "passed": {"type": "boolean"}, "detail": {"type": "string", "maxLength": 1000}}
    }}
  }
}`

const example = `{
  "number": 4711, "title": "Retry once when the journal is busy", "url": "https://git.example/acme/shop/pulls/4711",
  "author": "ada", "summary": "A busy journal is tried once more.\n\nNothing else changes.",
  "additions": 42, "deletions": 7, "files": ["journal/open.go", "journal/open_test.go"],
  "checks": [{"name": "build", "passed": true}, {"name": "race", "passed": false, "detail": "TestClose, twice of 50"}]
}`

// A digest is a payload. Figures are kept as they were written.
type digest struct {
	Number    json.Number
	Title     string
	URL       string
	Author    string
	Summary   string
	Additions *json.Number
	Deletions *json.Number
	Files     []string
	Checks    []struct {
		Name   string
		Passed bool
		Detail string
	}
}

// check wants an address that a reader can open without harm.
func check(_ context.Context, in skill.Input) error {
	var d digest
	if err := json.Unmarshal(in.Payload, &d); err != nil {
		return err
	}
	if u, err := url.Parse(d.URL); err != nil || u.Scheme != "https" || u.Host == "" {
		return &card.ProblemError{Kind: card.ErrInvalid, Path: "/url", Want: "expected an https address"}
	}
	return nil
}

func lower(_ context.Context, in skill.Input) (card.Tree, error) {
	var d digest
	if err := json.Unmarshal(in.Payload, &d); err != nil {
		return card.Tree{}, err
	}
	facts := card.KeyValue{Items: []card.Pair{{Key: "Pull request", Value: card.String("#" + d.Number.String()), URL: d.URL}}}
	add := func(key, value string) {
		if strings.TrimSpace(value) != "" {
			facts.Items = append(facts.Items, card.Pair{Key: key, Value: card.String(value)})
		}
	}
	add("Author", d.Author)
	add("Changes", changes(d))
	nodes := []card.Node{card.New(facts)}
	if strings.TrimSpace(d.Summary) != "" {
		nodes = append(nodes, card.New(card.Text{Text: d.Summary}))
	}
	if len(d.Checks) > 0 {
		nodes = append(nodes, card.New(card.Section{Title: "Checks that passed"}, card.New(checks(d))))
	}
	if len(d.Files) > 0 {
		var files card.List
		for _, f := range d.Files {
			files.Items = append(files.Items, card.ListItem{Text: f})
		}
		nodes = append(nodes, card.New(card.Section{Title: "Files"}, card.New(files)))
	}
	return card.Of(card.Section{Title: d.Title}, nodes...), nil
}

// changes are the lines that were changed, as far as they are known.
func changes(d digest) string {
	var parts []string
	if d.Additions != nil {
		parts = append(parts, fmt.Sprintf("%s lines added", *d.Additions))
	}
	if d.Deletions != nil {
		parts = append(parts, fmt.Sprintf("%s removed", *d.Deletions))
	}
	return strings.Join(parts, ", ")
}

// checks are ticked where they passed. What a card says in properties of its own
// form, as here a yes or no, a host can tell to be shown.
func checks(d digest) card.Checklist {
	var out card.Checklist
	for _, c := range d.Checks {
		out.Items = append(out.Items, card.CheckItem{Text: c.Name, Done: c.Passed, Detail: c.Detail})
	}
	return out
}
