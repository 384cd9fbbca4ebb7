package doc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A mirror is a document as encoding/json would have it: one struct a node.
type mirror struct {
	SchemaVersion  int    `json:"schema_version"`
	SourceMarkdown string `json:"source_markdown,omitempty"`
	Blocks         []node `json:"blocks"`
}

type node struct {
	Type     string     `json:"type"`
	ID       string     `json:"id,omitempty"`
	Level    int        `json:"level,omitempty"`
	Ordered  bool       `json:"ordered,omitempty"`
	Start    int        `json:"start,omitempty"`
	Items    []item     `json:"items,omitempty"`
	Inlines  []node     `json:"inlines,omitempty"`
	Blocks   []node     `json:"blocks,omitempty"`
	Children []node     `json:"children,omitempty"`
	Header   [][]node   `json:"header,omitempty"`
	Rows     [][][]node `json:"rows,omitempty"`
	Language string     `json:"language,omitempty"`
	Text     string     `json:"text,omitempty"`
	Href     string     `json:"href,omitempty"`
	Safe     bool       `json:"safe,omitempty"`
}

type item struct {
	Blocks []node `json:"blocks,omitempty"`
}

// answer is a long answer of all that is common.
func answer() *doc.Document {
	d := &doc.Document{Version: doc.SchemaVersion}
	text := func(s string) doc.Inline { return &doc.Text{Text: s} }
	for i := range 20 {
		id := func(n int) doc.ID { return doc.ID(fmt.Sprint(i*5 + n)) }
		para := func(id doc.ID) *doc.Paragraph {
			return &doc.Paragraph{ID: id, Inlines: []doc.Inline{
				text("Some words of ordinary length that go on for a while, "), &doc.Strong{Children: []doc.Inline{text("then strong")}},
				text(" and \"quoted\" ones, see "), &doc.Link{Href: "https://example.com/a?b=c", Safe: true, Children: []doc.Inline{text("the link")}},
				text(" or "), &doc.CodeSpan{Text: "code()"}, &doc.Break{}, text("on two lines."),
			}}
		}
		list := &doc.List{ID: id(3)}
		for j := range 5 {
			list.Items = append(list.Items, doc.Item{Blocks: []doc.Block{para(id(3).Child(j + 1).Child(1))}})
		}
		table := &doc.Table{ID: id(5), Align: make([]doc.Align, 3)}
		for range 6 {
			table.Rows = append(table.Rows, []doc.Cell{{text("name")}, {text("1,024")}, {text("some note")}})
		}
		table.Header = table.Rows[0]
		d.Blocks = append(d.Blocks,
			&doc.Heading{ID: id(1), Level: 2, Inlines: []doc.Inline{text("A heading")}}, para(id(2)), list,
			&doc.Code{ID: id(4), Language: "go", Text: strings.Repeat("\tfmt.Println(\"hello\")\n", 8)}, table)
	}
	d.Source = strings.Repeat("Some **words** of the source, with \"quotes\" and\nlines.\n", 400)
	return d
}

func BenchmarkParse(b *testing.B) {
	in := doc.Append(nil, answer(), doc.WithSource)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := doc.Parse(in, doc.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseEncodingJSON(b *testing.B) {
	in := doc.Append(nil, answer(), doc.WithSource)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		var m mirror
		if err := json.Unmarshal(in, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	d := answer()
	var buf []byte
	buf = doc.Append(buf[:0], d, doc.WithSource)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = doc.Append(buf[:0], d, doc.WithSource)
	}
}

func BenchmarkAppendEncodingJSON(b *testing.B) {
	in := doc.Append(nil, answer(), doc.WithSource)
	var m mirror
	if err := json.Unmarshal(in, &m); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(&m); err != nil {
			b.Fatal(err)
		}
	}
}
