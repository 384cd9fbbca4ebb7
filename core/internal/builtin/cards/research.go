package cards

import (
	"encoding/json"
	"strconv"

	"github.com/seed-1ae66336/vak/sdk/card"
)

type researchPayload struct {
	Title     string
	Summary   string
	Takeaways []struct {
		Text    string
		Indices []json.Number `json:"citation_indices"`
	}
	Sources []card.Citation
}

func research(_ string, p researchPayload) card.Tree {
	if len(p.Takeaways) == 0 && len(p.Sources) == 0 {
		return stack(p.Title, p.Summary, nothing("findings"))
	}
	out := card.Research{Title: p.Title, Summary: p.Summary, Sources: p.Sources}
	for i := range p.Sources {
		if s := &p.Sources[i]; s.Title == "" {
			s.Title = s.URL
		}
	}
	for _, t := range p.Takeaways {
		one := card.Takeaway{Text: t.Text}
		for _, n := range t.Indices {
			if at, err := strconv.Atoi(n.String()); err == nil {
				one.Sources = append(one.Sources, at)
			}
		}
		out.Takeaways = append(out.Takeaways, one)
	}
	return card.Of(out)
}

// checkResearch holds the numbers of sources to the sources that there are.
func checkResearch(p researchPayload, found *problems) {
	want := "expected the number of a source, 1 to " + strconv.Itoa(len(p.Sources))
	if len(p.Sources) == 0 {
		want = "expected no number, because there are no sources"
	}
	for i, t := range p.Takeaways {
		for j, n := range t.Indices {
			if at, err := strconv.Atoi(n.String()); err != nil || at < 1 || at > len(p.Sources) {
				found.add("/takeaways/"+strconv.Itoa(i)+"/citation_indices/"+strconv.Itoa(j), want)
			}
		}
	}
}
