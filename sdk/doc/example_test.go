package doc_test

import (
	"errors"
	"fmt"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

func ExampleAppend() {
	d := &doc.Document{Source: "Hello **you**", Blocks: []doc.Block{
		&doc.Paragraph{ID: "1", Inlines: []doc.Inline{
			&doc.Text{Text: "Hello "},
			&doc.Strong{Children: []doc.Inline{&doc.Text{Text: "you"}}},
		}},
	}}
	fmt.Printf("%s\n", doc.Append(nil, d, doc.WithoutSource))
	// Output:
	// {"schema_version":1,"blocks":[{"type":"paragraph","id":"1","inlines":[{"type":"text","text":"Hello "},{"type":"strong","children":[{"type":"text","text":"you"}]}]}]}
}

func ExampleParse() {
	_, err := doc.Parse([]byte(`{"schema_version":1,"blocks":[{"type":"quote","id":"1","blocks":[{"type":"heading","id":"1.1","level":9}]}]}`), doc.Limits{})
	var pe *doc.ParseError
	if errors.As(err, &pe) {
		fmt.Println(pe.Path, errors.Is(err, doc.ErrInvalid))
	}
	fmt.Println(err)
	// Output:
	// blocks[0].blocks[0] true
	// doc: invalid document: level is not 1 to 6 at blocks[0].blocks[0] (offset 104)
}

func ExampleLower() {
	d := &doc.Document{Blocks: []doc.Block{&doc.Diagram{ID: "1", DiagramKind: "records", Source: "name: Ada\nage: 36\n\nname: Bob\nage: 7"}}}
	low := doc.Lower(d, doc.Support{})
	fmt.Println(low.Blocks[0].Kind())
	for s := range doc.Visible(low.Blocks[0]) {
		fmt.Println(s)
	}
	// Output:
	// table
	// name
	// age
	// Ada
	// 36
	// Bob
	// 7
}

func ExampleVisible() {
	list := &doc.List{ID: "1", Ordered: true, Start: 1, Items: []doc.Item{{Blocks: []doc.Block{
		&doc.Paragraph{ID: "1.1.1", Inlines: []doc.Inline{
			&doc.Link{Href: "https://example.com", Safe: true, Children: []doc.Inline{&doc.Text{Text: "the page"}}},
		}},
	}}}}
	for s := range doc.Visible(list) {
		fmt.Println(s)
	}
	// Output:
	// 1
	// the page
	// https://example.com
}
