package cards

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
)

type diffPayload struct {
	Title   string
	Summary string
	Files   []struct {
		Filename  string
		OldName   string `json:"old_name"`
		Hunks     hunks
		Additions card.Scalar
		Deletions card.Scalar
	}
}

// hunks are those of a file in any of the forms that models write them in: the
// texts of each, which are its lines where it came in lines.
type hunks [][]string

// UnmarshalJSON reads one text, texts, or objects with header and lines.
func (h *hunks) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*h = hunks{{one}}
		return nil
	}
	var many []json.RawMessage
	if err := json.Unmarshal(b, &many); err != nil {
		return err
	}
	for _, m := range many {
		if json.Unmarshal(m, &one) == nil {
			*h = append(*h, []string{one})
			continue
		}
		var hunk struct {
			Header string
			Lines  []string
		}
		if err := json.Unmarshal(m, &hunk); err != nil {
			return err
		}
		if hunk.Header != "" {
			hunk.Lines = append([]string{hunk.Header}, hunk.Lines...)
		}
		*h = append(*h, hunk.Lines)
	}
	return nil
}

// maxJoin bounds how many values are made into longer texts, times the bytes of
// these: each value has to be found again in them, see [card.Unshown].
const maxJoin = 16 << 20

func diff(_ string, p diffPayload) card.Tree {
	lines, size := 0, 0
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			for _, l := range h {
				lines, size = lines+1, size+len(l)
			}
		}
	}
	apart := lines*size > maxJoin
	var out card.Diff
	for _, f := range p.Files {
		file := card.DiffFile{Filename: f.Filename, OldName: f.OldName, Additions: f.Additions, Deletions: f.Deletions}
		for _, h := range f.Hunks {
			if !apart {
				file.Hunks = append(file.Hunks, strings.Join(h, "\n"))
				continue
			}
			file.Hunks = append(file.Hunks, h...) // it reads the same: hunks stand below each other
		}
		for len(file.Hunks) > card.MaxArray { // more lines than an array may have
			part := file
			part.Hunks = file.Hunks[:card.MaxArray]
			out.Files = append(out.Files, part)
			file = card.DiffFile{Filename: f.Filename, Hunks: file.Hunks[card.MaxArray:]}
		}
		out.Files = append(out.Files, file)
	}
	return stack(p.Title, p.Summary, card.New(out))
}

type testsPayload struct {
	Summary string
	card.TestMatrix
}

func testReport(_ string, p testsPayload) card.Tree {
	if p.Summary == "" {
		return card.Of(p.TestMatrix)
	}
	title := p.Title
	p.Title = ""
	return stack(title, p.Summary, card.New(p.TestMatrix))
}

// checkTests holds counts, where they are given, to the tests.
func checkTests(p testsPayload, found *problems) {
	counts := map[card.Status]int{}
	for _, t := range p.Tests {
		counts[t.Status]++
	}
	for _, c := range []struct {
		name  string
		given card.Scalar
		is    int
	}{
		{"passed", p.Passed, counts[card.Passed]},
		{"failed", p.Failed, counts[card.Failed]},
		{"skipped", p.Skipped, counts[card.Skipped]},
		{"total", p.Total, len(p.Tests)},
	} {
		if n, ok := c.given.Float(); ok && n != float64(c.is) {
			found.add("/"+c.name, "expected "+strconv.Itoa(c.is)+", as the tests come to, or nothing")
		}
	}
}

type terminalPayload struct {
	Title string
	card.Terminal
}

func terminal(_ string, p terminalPayload) card.Tree {
	return stack(p.Title, "", card.New(p.Terminal))
}

func uiPreview(_ string, p card.UIPreview) card.Tree { return card.Of(p) }
