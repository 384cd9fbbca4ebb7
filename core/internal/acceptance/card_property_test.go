package acceptance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/core/internal/builtin/cards"
)

// A drawer makes payloads whose values can be told apart, and remembers what a
// reader must find of them.
type drawer struct {
	t    *rapid.T
	n    int
	want []string
}

// text is a text of its own.
func (d *drawer) text() string {
	d.n++
	s := fmt.Sprintf("w%dx", d.n)
	if rapid.IntRange(0, 3).Draw(d.t, "more") == 0 {
		s += rapid.SampledFrom([]string{" and more", "\nnext line", " *x*", " <b>", " 日本語", "\n\nnext"}).Draw(d.t, "end")
	}
	d.want = append(d.want, strings.Fields(s)...)
	return s
}

// number is a number of its own.
func (d *drawer) number() json.Number {
	d.n++
	s := fmt.Sprintf("%d%s", 7000+d.n, rapid.SampledFrom([]string{"", ".5", ".250"}).Draw(d.t, "fraction"))
	d.want = append(d.want, s)
	return json.Number(s)
}

// said are values that are read as words, and the words.
var (
	times    = map[json.Number]string{"0": "0 ms", "12": "12 ms", "999.5": "999.5 ms", "1500": "1.5 s", "60000": "1 min", "754200": "12 min 34 s", "3600000": "1 h"}
	timers   = map[json.Number]string{"1": "1 second", "45": "45 seconds", "90": "1 minute 30 seconds", "3300": "55 minutes", "86400": "24 hours"}
	statuses = map[string]string{"done": "done", "in_progress": "in progress", "blocked": "blocked", "waiting for Kim": "waiting for Kim"}
)

func said[K ~string](d *drawer, of map[K]string) K {
	keys := make([]K, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	k := rapid.SampledFrom(keys).Draw(d.t, "word")
	d.want = append(d.want, of[k])
	return k
}

// some draws up to n of something.
func (d *drawer) some(n int, one func() any) []any {
	out := []any{}
	for range rapid.IntRange(1, n).Draw(d.t, "elements") {
		out = append(out, one())
	}
	return out
}

type object = map[string]any

// maybe adds a member or not.
func (d *drawer) maybe(o object, name string, value func() any) {
	if rapid.Bool().Draw(d.t, name) {
		o[name] = value()
	}
}

func (d *drawer) aText() any   { return d.text() }
func (d *drawer) aNumber() any { return d.number() }

func (d *drawer) scalar() any {
	switch rapid.IntRange(0, 3).Draw(d.t, "kind") {
	case 0:
		return d.number()
	case 1:
		return rapid.Bool().Draw(d.t, "truth")
	}
	return d.text()
}

// free is any value that a card without a form of its own may hold.
func (d *drawer) free(depth int) any {
	switch n := rapid.IntRange(0, 5).Draw(d.t, "free"); {
	case n == 0 && depth > 0:
		return d.some(4, func() any { return d.free(depth - 1) })
	case n == 1 && depth > 0:
		o := object{}
		for i := range rapid.IntRange(1, 4).Draw(d.t, "members") {
			o[fmt.Sprintf("member_%d", i)] = d.free(depth - 1)
		}
		return o
	}
	return d.scalar()
}

// payload draws one for a shape. What the blocks say by their form is not in what
// is wanted: the status of a test (its mark), the kind of a chart, the key of a
// column that has a label, the type of a picture.
func (d *drawer) payload(shape string) object {
	o := object{}
	switch shape {
	case "universal":
		for i := range rapid.IntRange(1, 6).Draw(d.t, "members") {
			o[fmt.Sprintf("free_%d", i)] = d.free(4)
		}
		d.maybe(o, "summary", d.aText)
	case "metric":
		o["label"], o["value"] = d.text(), d.number()
		d.maybe(o, "unit", d.aText)
		d.maybe(o, "detail", d.aText)
		for i := range rapid.IntRange(0, 6).Draw(d.t, "members") {
			o[fmt.Sprintf("free_%d", i)] = d.free(2)
		}
	case "research":
		o["sources"] = d.some(5, func() any {
			d.n++
			u := fmt.Sprintf("https://a.example/%d_(x)?a=b&c=d", d.n)
			d.want = append(d.want, u)
			s := object{"url": u, "title": d.text()}
			d.maybe(s, "snippet", d.aText)
			d.maybe(s, "source_name", d.aText)
			d.maybe(s, "published_at", d.aText)
			return s
		})
		d.want = append(d.want, "[1]")
		o["takeaways"] = d.some(5, func() any { return object{"text": d.text(), "citation_indices": []int{1}} })
	case "diff":
		o["files"] = d.some(3, func() any {
			f := object{"filename": d.text()}
			f["hunks"] = d.some(3, func() any { return "@@ -1 +1 @@\n-" + d.text() + "\n+" + d.text() })
			d.maybe(f, "additions", func() any { d.n++; d.want = append(d.want, fmt.Sprintf("+%d", 8000+d.n)); return 8000 + d.n })
			return f
		})
	case "test_report":
		o["tests"] = d.some(12, func() any {
			x := object{"name": d.text(), "status": rapid.SampledFrom([]string{"passed", "failed", "skipped"}).Draw(d.t, "status")}
			d.maybe(x, "message", d.aText)
			d.maybe(x, "duration_ms", func() any { return said(d, times) })
			return x
		})
	case "terminal":
		o["output"], o["exit_code"] = d.text(), d.number()
		o["exit_code"] = json.Number(strings.Split(string(o["exit_code"].(json.Number)), ".")[0])
		d.want[len(d.want)-1] = string(o["exit_code"].(json.Number))
		d.maybe(o, "command", d.aText)
		d.maybe(o, "duration_ms", func() any { return said(d, times) })
	case "table":
		columns := rapid.IntRange(1, 7).Draw(d.t, "columns")
		var all []any
		for i := range columns {
			all = append(all, object{"key": fmt.Sprintf("k%d", i), "label": d.text()})
		}
		o["columns"] = all
		o["rows"] = d.some(8, func() any {
			r := object{}
			for i := range columns {
				d.maybe(r, fmt.Sprintf("k%d", i), d.scalar)
			}
			return r
		})
	case "timeline":
		o["items"] = d.some(10, func() any {
			e := object{"label": d.text()}
			d.maybe(e, "detail", d.aText)
			d.maybe(e, "time", d.aText)
			d.maybe(e, "status", func() any { return said(d, statuses) })
			return e
		})
	case "recipe":
		o["title"] = d.text()
		o["ingredients"] = d.some(6, func() any {
			x := object{"name": d.text()}
			d.maybe(x, "amount", d.aNumber)
			d.maybe(x, "unit", d.aText)
			return x
		})
		o["steps"] = d.some(6, func() any {
			x := object{"text": d.text()}
			d.maybe(x, "timer_seconds", func() any { return said(d, timers) })
			return x
		})
	case "ui_preview":
		o["title"] = d.text()
		d.maybe(o, "status", func() any { return said(d, statuses) })
		d.maybe(o, "artifact_path", d.aText)
		d.maybe(o, "html", d.aText)
	case "chart":
		o["chart_type"], o["accessible_summary"] = "line", d.text()
		d.maybe(o, "title", d.aText)
		d.maybe(o, "x_label", d.aText)
		o["series"] = d.some(3, func() any {
			return object{"name": d.text(), "points": d.some(20, func() any { return object{"x": d.text(), "y": d.number()} })}
		})
	case "media":
		d.n++
		o["url"], o["title"] = fmt.Sprintf("https://a.example/%d", d.n), d.text()
		d.want = append(d.want, o["url"].(string))
		d.maybe(o, "description", d.aText)
		d.maybe(o, "site_name", d.aText)
	default:
		d.t.Fatalf("nothing is known of %s", shape)
	}
	return o
}

// TestCardsSayAll draws payloads of every shape. On every surface each scalar can
// be read, in the form that the blocks give it; or the payload follows as JSON; or
// the coverage says that the card is not all there. What is read first is no JSON.
func TestCardsSayAll(t *testing.T) {
	for _, sh := range cards.Shapes() {
		t.Run(short(sh), func(t *testing.T) {
			c := vak(t)
			rapid.Check(t, func(t *rapid.T) {
				d := &drawer{t: t}
				payload, err := json.Marshal(d.payload(short(sh)))
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range render(t, c, fence(envelope(sh.Example.Type, payload)), surfaces...) {
					rules(t, s)
					for _, g := range s.said {
						if strings.HasPrefix(g.Code, "vak_") {
							t.Fatalf("%s takes it for none: %s in %s", s.on, g.Message, payload)
						}
					}
					text := seen(s.joined.reach())
					if strings.HasPrefix(text, "{") || strings.HasPrefix(s.sent(), "```json") {
						t.Fatalf("%s shows JSON first: %s", s.on, s.sent())
					}
					if slices.ContainsFunc(s.blocks, inLedger) {
						continue
					}
					for _, w := range d.want {
						if !strings.Contains(text, seen(w)) {
							t.Fatalf("%s does not show %q of %s:\n%s", s.on, w, payload, s.sent())
						}
					}
				}
			})
		})
	}
}
