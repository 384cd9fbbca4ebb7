package cards

import (
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
)

type timelinePayload struct {
	Title   string
	Summary string
	Items   []card.Event
}

// A face is the primitive that the entries of a timeline are shown as.
type face byte

const (
	asTimeline face = iota
	asList
	asChecklist
	asSteps
	asQuestions
)

// faces are those of the types that are no timeline. Lists, steps and questions
// have no place for a time or a status; entries that have one are a timeline.
var faces = func() map[string]face {
	out := map[string]face{"steps": asSteps, "faq": asQuestions}
	for _, t := range words("checklist shopping_list follow_up reminder habit_plan") {
		out[t] = asChecklist
	}
	for _, t := range words(`overview summary detail notes lesson reading_list meeting_notes contact_log media_list collection
		decision decision_analysis coding.architecture`) {
		out[t] = asList
	}
	return out
}()

// maxQuestions is how many questions get a section each, which takes two nodes.
const maxQuestions = 100

func timeline(typ string, p timelinePayload) card.Tree {
	if len(p.Items) == 0 {
		return stack(p.Title, p.Summary, nothing("entries"))
	}
	bare, joined, size := true, 0, 0
	for _, e := range p.Items {
		bare = bare && e.Time == "" && e.Status == ""
		if v := values(e); len(v) > 1 {
			joined += len(v)
		}
		size += len(e.Detail) + len(e.Label)
	}
	f := faces[typ]
	switch {
	case f == asChecklist && joined*size > maxJoin, f != asChecklist && !bare:
		f = asTimeline
	case f == asQuestions && len(p.Items) > maxQuestions:
		f = asList
	}
	return stack(p.Title, p.Summary, f.nodes(p.Items)...)
}

func (f face) nodes(items []card.Event) []card.Node {
	switch f {
	case asChecklist:
		var out card.Checklist
		for _, e := range items {
			out.Items = append(out.Items, card.CheckItem{Text: e.Label, Done: done(e.Status), Detail: strings.Join(values(e), " · ")})
		}
		return []card.Node{card.New(out)}
	case asList:
		var out card.List
		for _, e := range items {
			out.Items = append(out.Items, card.ListItem{Text: e.Label, Detail: e.Detail})
		}
		return []card.Node{card.New(out)}
	case asSteps:
		var out card.Steps
		for _, e := range items {
			s := card.Step{Title: e.Label, Text: e.Detail}
			if s.Text == "" {
				s = card.Step{Text: e.Label}
			}
			out.Items = append(out.Items, s)
		}
		return []card.Node{card.New(out)}
	case asQuestions:
		var out []card.Node
		for _, e := range items {
			question := card.New(card.Section{Title: e.Label})
			if e.Detail != "" {
				question.Children = []card.Node{card.New(card.Text{Text: e.Detail})}
			}
			out = append(out, question)
		}
		return out
	}
	return []card.Node{card.New(card.Timeline{Items: items})}
}

// values are what an entry of a checklist says beside its label. The status is
// there in words, too: a mark alone tells done from not done and nothing else.
func values(e card.Event) []string {
	var out []string
	status := string(e.Status)
	if e.Status == card.InProgress {
		status = "in progress"
	}
	for _, s := range []string{e.Time, status, e.Detail} {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// done reports whether a status means that nothing is left to do.
func done(s card.Status) bool {
	switch strings.ToLower(strings.TrimSpace(string(s))) {
	case "done", "completed", "complete", "finished", "checked", "bought", "closed", "passed", "yes", "x", "✓", "✔", "☑":
		return true
	}
	return false
}
