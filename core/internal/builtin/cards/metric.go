package cards

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/outline"
	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// about are members of a metric that say something of its figures and are none.
var about = []string{"title", "summary", "label", "value", "unit", "change", "detail", "as_of"}

// The places that come before a figure of the weather, and what it is of.
var (
	weatherFirst  = []string{"temperature", "condition"}
	weatherPlaces = []string{"location", "city", "place"}
)

func lowerMetric(_ context.Context, in skill.Input) (card.Tree, error) {
	v, err := outline.Parse(in.Payload)
	if err != nil || v.Kind != outline.Object {
		return card.Tree{}, errPayload
	}
	title, rest, _ := outline.Take(v.Members, "title")
	summary, rest, _ := outline.Take(rest, "summary")
	weather := in.Type == "weather" || strings.HasPrefix(in.Type, "weather.")
	var body []card.Node
	if has(rest, "label") && has(rest, "value") {
		var m card.Metric
		m, rest = one(rest)
		body = append(body, card.New(m))
	} else if title == "" {
		title, rest, _ = outline.Take(rest, "label")
	}
	if weather && title == "" {
		for _, name := range weatherPlaces {
			if title == "" {
				title, rest, _ = outline.Take(rest, name)
			}
		}
	}
	grid, rest := figures(rest)
	if weather {
		slices.SortStableFunc(grid.Metrics, func(a, b card.Metric) int { return rank(a.Label) - rank(b.Label) })
	}
	switch len(grid.Metrics) {
	case 0:
	case 1:
		body = append(body, card.New(grid.Metrics[0]))
	default:
		body = append(body, card.New(grid))
	}
	if when, others, ok := outline.Take(rest, "as_of"); ok {
		body, rest = append(body, card.New(card.Text{Text: "As of " + when, Emphasis: card.Subtle})), others
	}
	if len(rest) > 0 {
		used := len(body) + 3 // with the root, the heading and the summary
		body = append(body, outline.Nodes(rest, card.MaxNodes-used, card.MaxDepth-1)...)
	}
	return stack(title, summary, body...), nil
}

// one takes the figure that has a label.
func one(members []outline.Member) (card.Metric, []outline.Member) {
	var m card.Metric
	m.Label, members, _ = outline.Take(members, "label")
	m.Unit, members, _ = outline.Take(members, "unit")
	m.Change, members, _ = outline.Take(members, "change")
	m.Detail, members, _ = outline.Take(members, "detail")
	for i, v := range members {
		if v.Name == "value" {
			m.Value = v.Value.Scalar
			return m, slices.Delete(slices.Clone(members), i, i+1)
		}
	}
	return m, members
}

// figures takes the members that are one short value, with their units.
func figures(members []outline.Member) (card.MetricGrid, []outline.Member) {
	units := map[string]string{}
	short := func(m outline.Member) bool {
		text, _ := m.Value.Text()
		return m.Value.Kind == outline.Scalar && !slices.Contains(about, m.Name) && len(text) <= 80 && !strings.ContainsAny(text, "\r\n")
	}
	figure := map[string]bool{}
	for _, m := range members {
		if short(m) {
			figure[m.Name] = true
		}
	}
	for _, m := range members {
		of, ok := strings.CutSuffix(m.Name, "_unit")
		if text, is := m.Value.Text(); ok && is && text != "" && short(m) && figure[of] && !strings.HasSuffix(of, "_unit") {
			units[of] = text
		}
	}
	var grid card.MetricGrid
	var rest []outline.Member
	for _, m := range members {
		of, isUnit := strings.CutSuffix(m.Name, "_unit")
		switch {
		case isUnit && units[of] != "":
		case short(m):
			grid.Metrics = append(grid.Metrics, card.Metric{Label: outline.Label(m.Name), Value: m.Value.Scalar, Unit: units[m.Name]})
		default:
			rest = append(rest, m)
		}
	}
	return grid, rest
}

// rank puts the temperature first, then what the sky looks like.
func rank(label string) int {
	label = strings.ToLower(label)
	for i, name := range weatherFirst {
		if strings.HasPrefix(label, name) || name == "temperature" && label == "temp" {
			return i
		}
	}
	return len(weatherFirst)
}

func has(members []outline.Member, name string) bool {
	return slices.ContainsFunc(members, func(m outline.Member) bool {
		text, isText := m.Value.Text()
		return m.Name == name && m.Value.Kind == outline.Scalar && (!isText || text != "")
	})
}

// checkMetric asks for a label with a value, or for two figures with names of
// their own.
func checkMetric(_ context.Context, in skill.Input) error {
	v, err := outline.Parse(in.Payload)
	if err != nil || v.Kind != outline.Object {
		return errPayload
	}
	if has(v.Members, "label") && has(v.Members, "value") {
		return nil
	}
	n := 0
	for _, m := range v.Members {
		if m.Value.Kind == outline.Scalar && !slices.Contains(about, m.Name) {
			n++
		}
	}
	if n >= 2 {
		return nil
	}
	return &card.ProblemError{Kind: card.ErrInvalid, Want: `expected "label" and "value", or two or more members of your own with a text, a number or a truth value`}
}
