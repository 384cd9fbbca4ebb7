package recipes

import (
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// version is that of all recipes here. It goes up when what one of them asks for
// changes.
const version = "1.0.0"

// Recipes are the built-in recipes. The caller owns them.
//
// A recipe has a primary type where it is about one thing that can be shown in a
// form of its own; an answer that only speaks of it does not count. Those without
// tell how an answer is to be read: what changed, what was made, what is asked.
// None is bound to surfaces, since every card can be read on each.
//
// The priority only decides between recipes that match as many signals and types:
// what asks for an answer comes first, then what a reader acts on (changes, then
// whether they work), then what shows something, and last how it was done.
func Recipes() []skill.Recipe {
	return []skill.Recipe{
		{ID: "workflow.approval", Version: version, Signals: []string{"approval", "action"}, Priority: 90},
		{ID: "coding.diff_inspector", Version: version, Signals: []string{"diff", "files_changed"}, Types: []string{"coding.diff"}, Priority: 80},
		{ID: "coding.test_report", Version: version, Signals: []string{"tests", "pass_fail"}, Types: []string{"test.report"}, Priority: 70},
		{ID: "research.synthesis", Version: version, Signals: []string{"research", "synthesis", "takeaways"}, Types: []string{"research.synthesis"}, Priority: 60},
		{ID: "data.multi_chart", Version: version, Signals: []string{"chart", "telemetry"}, Types: []string{"chart"}, Priority: 50},
		{ID: "lifestyle.culinary_recipe", Version: version, Signals: []string{"recipe", "ingredients"}, Types: []string{"recipe.card"}, Priority: 50},
		{ID: "weather.forecast", Version: version, Signals: []string{"temperature", "forecast"}, Types: []string{"weather.forecast"}, Priority: 50},
		{ID: "data.spreadsheet_grid", Version: version, Signals: []string{"table_data", "tabular"}, Types: []string{"table"}, Priority: 40},
		{ID: "coding.change_summary", Version: version, Signals: []string{"files_changed"}, Priority: 30},
		{ID: "terminal.session", Version: version, Signals: []string{"terminal", "command_exec"}, Types: []string{"terminal.view"}, Priority: 20},
		{ID: "artifact.collection", Version: version, Signals: []string{"artifact"}, Priority: 10},
		{ID: plan.Basic, Version: version},
	}
}
