package card

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A maker draws trees in which every text and number occurs once, and keeps what a
// reader has to find of each.
type maker struct {
	t       *rapid.T
	n       int
	want    []string
	hostile bool // texts are anything at all, and nothing is wanted
}

func (m *maker) draw(least, most int, what string) int {
	return rapid.IntRange(least, most).Draw(m.t, what)
}

func (m *maker) token() string {
	m.n++
	s := fmt.Sprintf("tok%05dx", m.n)
	m.want = append(m.want, s)
	return s
}

func (m *maker) number() Scalar {
	m.n++
	s := fmt.Sprintf("%d%05d.50", m.draw(-1, 9, "number")*10+1, m.n)
	m.want = append(m.want, s)
	return Scalar{isNumber, s}
}

func (m *maker) scalar() Scalar {
	switch m.draw(0, 5, "scalar") {
	case 0:
		return Bool(m.draw(0, 1, "bool") == 1)
	case 1:
		return Null()
	case 2, 3:
		return m.number()
	}
	return String(m.text())
}

// text is some words, on lines and in paragraphs.
func (m *maker) text() string {
	if m.hostile {
		return m.anything()
	}
	s := m.token()
	for range m.draw(0, 2, "words") {
		s += []string{" ", "\n", "\n\n", "\r\n \n", "\t", " *", "`", " <b>", " | "}[m.draw(0, 8, "between")] + m.token()
	}
	return s
}

// anything is what a text may be that somebody wants to harm with.
func (m *maker) anything() string {
	s := rapid.String().Draw(m.t, "anything")
	for range m.draw(0, 3, "pieces") {
		s += []string{"\n", "\r", "\n\n", "\x00", "\xff", "\u202e", "\x1b[31m", "\u2028", "```", " \n ", "\t", "|", "<b>", "@everyone"}[m.draw(0, 13, "piece")]
	}
	return s
}

func (m *maker) node(depth int) Node {
	all := vocabulary()
	props := reflect.New(reflect.TypeOf(all[m.draw(0, len(all)-1, "primitive")])).Elem()
	m.fill(props, "")
	n := Node{Props: props.Interface().(Props)}
	if n.Props.Primitive().HasChildren() && depth > 0 {
		for range m.draw(0, 4, "children") {
			n.Children = append(n.Children, m.node(depth-1))
		}
	}
	return n
}

// hidden are the properties that no reader reads.
var hidden = map[string]bool{
	"Column.Key": true, "Chart.Form": true, "Image.MediaType": true,
	"Stack.Density": true, "Row.Density": true, "Section.Width": true,
}

// fill gives v a value. Every text is there or not, so that each stands alone too.
func (m *maker) fill(v reflect.Value, name string) {
	if hidden[name] {
		before := len(m.want)
		v.SetString(m.token())
		m.want = m.want[:before]
		return
	}
	switch v.Interface().(type) {
	case Scalar:
		m.fillScalar(v, name)
		return
	case Status:
		all := []Status{"", Done, InProgress, Planned, Blocked, Cancelled, Passed, Failed, Skipped, "some_word"}
		if name == "Test.Status" {
			all = []Status{Passed, Failed, Skipped}
		}
		s := all[m.draw(0, len(all)-1, "status")]
		if name != "Test.Status" && s != "" {
			m.want = append(m.want, s.word())
		}
		v.SetString(string(s))
		return
	case Tone:
		v.SetString(string([]Tone{"", Neutral, Info, Danger}[m.draw(0, 3, "tone")]))
		return
	case Emphasis:
		v.SetString(string([]Emphasis{"", Subtle, Strong}[m.draw(0, 2, "emphasis")]))
		return
	}
	switch v.Kind() {
	case reflect.String:
		field := name[strings.IndexByte(name, '.')+1:]
		switch {
		case name == "Column.Label" || name == "Test.Name" || name == "Series.Name":
			v.SetString(m.text())
		case m.draw(0, 4, "absent") == 0:
		case name == "Media.MediaType" || name == "Audio.MediaType" || name == "Video.MediaType" || name == "File.MediaType":
			s := []string{"image/png", "application/pdf", "audio/x-" + m.token()}[m.draw(0, 2, "type")]
			if s[:3] != "aud" {
				m.want = m.want[:len(m.want)-1]
			}
			v.SetString(s)
		case field == "URL" || field == "Source" && name != "Quote.Source" || name == "LinkPreview.Image":
			v.SetString([]string{"https://example.com/", "javascript:", "//", "a b\n"}[m.draw(0, 3, "scheme")] + m.token())
		default:
			v.SetString(m.text())
		}
	case reflect.Bool:
		v.SetBool(m.draw(0, 1, "bool") == 1)
	case reflect.Int:
		v.SetInt(int64(m.draw(0, 6, "level")))
	case reflect.Struct:
		for i := range v.NumField() {
			m.fill(v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name)
		}
		m.settle(v.Addr().Interface())
	case reflect.Slice:
		n := m.draw(0, 4, "length")
		if name == "Takeaway.Sources" {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			m.fill(v.Index(i), name)
		}
	}
}

func (m *maker) fillScalar(v reflect.Value, name string) {
	var s Scalar
	field := name[strings.IndexByte(name, '.')+1:]
	switch {
	case strings.HasSuffix(name, ".DurationMS") || field == "TimerSeconds" || field == "Bytes":
		if m.draw(0, 2, "absent") == 0 {
			break
		}
		s = Int(int64([]int{0, 1, 850, 3200, 59_999, 61_000, 5_400_000, 123_456_789}[m.draw(0, 7, "size")]))
		switch field {
		case "TimerSeconds":
			m.want = append(m.want, english.timing(s))
		case "Bytes":
			m.want = append(m.want, english.size(s))
		default:
			m.want = append(m.want, english.duration(s))
		}
	case strings.HasPrefix(name, "Progress.") || name == "Recipe.Servings" || name == "Ingredient.Amount" ||
		name == "Terminal.ExitCode" || strings.HasPrefix(name, "DiffFile.") || strings.HasPrefix(name, "TestMatrix."):
		if m.draw(0, 3, "absent") > 0 {
			s = m.number()
		}
	case name == "Point.Y":
		if s = Null(); m.draw(0, 5, "gap") > 0 {
			s = m.number()
		}
	default:
		s = m.scalar()
	}
	v.Set(reflect.ValueOf(s))
}

// settle makes of what was drawn a whole.
func (m *maker) settle(p any) {
	switch p := p.(type) {
	case *Research:
		for i := range p.Takeaways {
			for range min(len(p.Sources), m.draw(0, 2, "refs")) {
				n := m.draw(1, len(p.Sources), "ref")
				p.Takeaways[i].Sources = append(p.Takeaways[i].Sources, n)
				m.want = append(m.want, fmt.Sprintf("[%d]", n))
			}
		}
	case *Table:
		m.cells(&p.Columns, &p.Rows)
	case *Comparison:
		m.cells(&p.Columns, &p.Rows)
	case *Chart:
		p.Form = "line"
		if len(p.Series) > 1 && m.draw(0, 1, "shared") == 1 {
			// What is overwritten is not to be found.
			first := p.Series[0].Points
			for i := range p.Series[1:] {
				for j := range min(len(first), len(p.Series[i+1].Points)) {
					m.forget(p.Series[i+1].Points[j].X)
					p.Series[i+1].Points[j].X = first[j].X
				}
			}
		}
	case *Section:
		p.Width = ""
	case *Stack:
		p.Density = ""
	case *Row:
		p.Density = ""
	case *Media:
		if p.MediaType == "" {
			p.MediaType = "text/plain"
		}
	case *DiffFile:
		for i := range p.Hunks {
			p.Hunks[i] = "@@ -1 +1 @@\n-" + p.Hunks[i]
		}
	}
}

func (m *maker) forget(s Scalar) {
	for i := range m.want {
		for f := range strings.FieldsSeq(s.text) {
			if strings.Contains(f, m.want[i]) {
				m.want[i] = ""
			}
		}
	}
}

func (m *maker) cells(columns *[]Column, rows *[][]Scalar) {
	if len(*columns) == 0 {
		*columns = []Column{{Label: m.token()}}
	}
	for i, r := range *rows {
		for _, s := range r[min(len(r), len(*columns)):] {
			m.forget(s)
		}
		(*rows)[i] = r[:min(len(r), len(*columns))]
	}
}

// read is all that a reader of blocks sees, without what is space.
func read(blocks []doc.Block) string {
	var sb strings.Builder
	for _, b := range blocks {
		for s := range doc.Visible(b) {
			sb.WriteString(s + "\n")
		}
	}
	return sb.String()
}

func TestBlocksSayAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{t: t}
		tree := Tree{m.node(3)}
		if err := tree.Check(); err != nil {
			t.Fatalf("the maker makes what Check refuses: %v", err)
		}
		low := tree.Blocks("3.1", Options{Width: m.draw(0, 80, "width")})
		if low.Partial {
			t.Fatal("a small tree is not shown as a whole")
		}
		text := read(low.Blocks)
		for _, w := range m.want {
			if !strings.Contains(text, w) {
				wire, _ := tree.Append(nil)
				t.Fatalf("%q is missing in\n%s\nof %s", w, text, wire)
			}
		}
		valid(t, low.Blocks, "3.1")
		if again := tree.Blocks("3.1", Options{}); len(again.Blocks) > 0 {
			b, _ := tree.Append(nil)
			back, err := ParseTree(b)
			if err != nil {
				t.Fatalf("%v in %s", err, b)
			}
			if wire(again.Blocks) != wire(back.Blocks("3.1", Options{}).Blocks) {
				t.Fatal("the same tree gives other blocks")
			}
		}
	})
}

// Whatever texts hold, blocks are what a document may hold, and clean.
func TestBlocksOfHostileTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{t: t, hostile: true}
		tree := Tree{m.node(3)}
		low := tree.Blocks("1", Options{Width: m.draw(0, 80, "width")})
		valid(t, low.Blocks, "1")
		for _, b := range low.Blocks {
			for p := range doc.Parts(b) {
				if c, did := doc.Clean(p.Text); c != p.Text || did != 0 {
					t.Fatalf("not clean: %q", p.Text)
				}
				if p.Kind != doc.KindCode && p.Kind != doc.KindDiff && strings.Contains(p.Text, "\n") {
					t.Fatalf("a newline in %q", p.Text)
				}
			}
		}
		Unshown([]byte(wire(low.Blocks)), tree)
	})
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func wire(blocks []doc.Block) string {
	return string(doc.Append(nil, &doc.Document{Version: doc.SchemaVersion, Blocks: blocks}, doc.WithoutSource))
}

// valid holds blocks to what documents promise, and their ids to be below id.
func valid(t fataler, blocks []doc.Block, id doc.ID) {
	t.Helper()
	for i, b := range blocks {
		if b.BlockID() != id.Child(i+1) {
			t.Fatalf("block %d has the id %s", i+1, b.BlockID())
		}
	}
	if _, err := doc.Parse([]byte(wire(blocks)), doc.Limits{}); err != nil {
		t.Fatalf("%v in %.2000s", err, wire(blocks))
	}
}
