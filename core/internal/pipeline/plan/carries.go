package plan

import (
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// carries is the type of card that a block of markdown stands for where a recipe
// asks for it among its primary types, or "". A structured block stands for the
// type of its card, and for that of standsFor.
//
//	block                                                  type
//	table; a diagram of the kinds table and records        table
//	diff; code with the header of a hunk in it             coding.diff
//	code of a terminal: console, shell-session, …          terminal.view
//	a list with tasks in it                                checklist
//	media, by its media type                               media.image, media.video, media.audio
//
// Everything else stands for none: prose about tests is no report of them.
func carries(b doc.Block) string {
	switch b := b.(type) {
	case *doc.Table:
		return "table"
	case *doc.Diagram:
		if tableDiagram(b) {
			return "table"
		}
	case *doc.Diff:
		return "coding.diff"
	case *doc.Code:
		switch {
		case slices.Contains(consoles, strings.ToLower(b.Language)):
			return "terminal.view"
		case hasHunk(b.Text):
			return "coding.diff"
		}
	case *doc.List:
		if slices.ContainsFunc(b.Items, func(i doc.Item) bool { return i.Task != doc.NoTask }) {
			return "checklist"
		}
	case *doc.Media:
		kind, _, _ := strings.Cut(b.MediaType, "/")
		switch kind {
		case "image", "video", "audio":
			return "media." + kind
		case "":
			return "media.image" // a picture of markdown says no type
		}
	}
	return ""
}

// consoles are the languages of code that is a command with what it wrote.
var consoles = []string{"console", "shell-session", "shellsession", "sh-session", "bash-session", "terminal", "ansi"}

// standsFor says of types of card which other one they count as, too, where a
// recipe asks for that: they are the same thing under another name.
var standsFor = func() map[string]string {
	out := map[string]string{}
	for of, names := range kin {
		for _, name := range names {
			out[name] = of
		}
	}
	return out
}()

var kin = map[string][]string{
	"research.synthesis": {"research_brief"},
	"table": {
		"data.grid", "dataframe", "comparison", "comparison_table", "pros_cons", "inventory", "scorecard", "budget",
		"finance_summary", "invoice_summary", "travel_options", "decision_matrix", "criteria_matrix", "tradeoff_analysis",
		"coding.benchmark", "coding.dependencies",
	},
	"chart":            {"trend", "timeseries", "bar_chart", "metric_chart", "comparison_chart", "telemetry.chart"},
	"recipe.card":      {"recipe", "recipe_summary", "lifestyle.recipe", "lifestyle.culinary_recipe"},
	"weather.forecast": {"weather"},
}

// Kin are the types of card that count as a type where a recipe asks for it, that
// type included. The caller owns them.
func Kin(of string) []string { return append([]string{of}, kin[of]...) }
