package cards

import "encoding/json"

// Shapes is the table of all shapes, in the order of the contract. The caller owns
// the slice, not what is in it.
func Shapes() []Shape {
	return []Shape{
		{
			Tool: "emit_universal_card", Title: "Universal card",
			Purpose: "Anything that has named values and no shape of its own: an entity, an alert, search results, a form.",
			Types: words(`map route_map calendar availability board entity search_results coding.search evidence document graph
				form action transaction alert conversation progress_dashboard simulation`),
			Schema: schema("universal"), Lower: lowerUniversal, Example: example("entity", "universal"),
		},
		{
			Tool: "emit_research_card", Title: "Research",
			Purpose: "What was found out, each finding with the numbers of the sources that it rests on.",
			Types:   words("research.synthesis research_brief news"),
			Schema:  schema("research"), Lower: lowerAs(research), Check: checkAs(checkResearch), Example: example("research.synthesis", "research"),
		},
		{
			Tool: "emit_diff_card", Title: "Diff",
			Purpose: "What changed in files, as a unified diff.",
			Types:   words("coding.diff"),
			Schema:  schema("diff"), Lower: lowerAs(diff), Example: example("coding.diff", "diff"),
		},
		{
			Tool: "emit_test_report_card", Title: "Test report",
			Purpose: "What came of tests, each with its status. Counts are made from the tests.",
			Types:   words("test.report"),
			Schema:  schema("test_report"), Lower: lowerAs(testReport), Check: checkAs(checkTests), Example: example("test.report", "test_report"),
		},
		{
			Tool: "emit_terminal_card", Title: "Terminal",
			Purpose: "A command, what it wrote, and its exit code.",
			Types:   words("terminal.view"),
			Schema:  schema("terminal"), Lower: lowerAs(terminal), Example: example("terminal.view", "terminal"),
		},
		{
			Tool: "emit_table_card", Title: "Table",
			Purpose: "Rows with the same columns: data, a budget, a comparison, pros and cons.",
			Types: words(`table data.grid dataframe comparison comparison_table pros_cons inventory scorecard budget finance_summary
				invoice_summary travel_options decision_matrix criteria_matrix tradeoff_analysis coding.benchmark coding.dependencies`),
			Schema: schema("table"), Lower: lowerAs(table), Check: checkAs(checkTable), Example: example("travel_options", "table"),
		},
		{
			Tool: "emit_timeline_card", Title: "Timeline",
			Purpose: "Entries in order, with a status where they have one: plans, lists, steps, notes, questions and answers.",
			Types: words(`plan.timeline timeline itinerary checklist schedule agenda milestones progress status steps overview summary
				detail notes follow_up reminder shopping_list lesson reading_list habit_plan project_plan meeting_notes contact_log
				home_project care_plan event_plan media_list collection faq decision decision_analysis meal_plan coding.deployment
				coding.incident coding.architecture coding.release`),
			Schema: schema("timeline"), Lower: lowerAs(timeline), Example: example("project_plan", "timeline"),
		},
		{
			Tool: "emit_recipe_card", Title: "Recipe",
			Purpose: "How to cook something: ingredients with amounts, and steps with timers.",
			Types:   words("recipe.card recipe recipe_summary lifestyle.recipe lifestyle.culinary_recipe"),
			Schema:  schema("recipe"), Lower: lowerAs(recipe), Example: example("recipe.card", "recipe"),
		},
		{
			Tool: "emit_ui_preview_card", Title: "Preview of a user interface",
			Purpose: "A user interface that was made: how it stands, where it is, its source.",
			Types:   words("ui.preview"),
			Schema:  schema("ui_preview"), Lower: lowerAs(uiPreview), Example: example("ui.preview", "ui_preview"),
		},
		{
			Tool: "emit_chart_card", Title: "Chart",
			Purpose: "Numbers over time or by name, with a sentence that says what they show.",
			Types:   words("chart trend timeseries bar_chart metric_chart comparison_chart telemetry.chart"),
			Schema:  schema("chart"), Lower: lowerAs(chart), Example: example("timeseries", "chart"),
		},
		{
			Tool: "emit_media_card", Title: "Media",
			Purpose: "A link with its title; or a picture, a video or a sound with its address and what there is to see or hear.",
			Types:   words("link.preview media.image media.video media.audio"),
			Schema:  schema("media"), Lower: lowerAs(media), Example: example("link.preview", "media"),
			narrow: map[string]json.RawMessage{
				"link.preview": schema("link_preview"),
				"media.image":  schema("media_image"),
				"media.video":  schema("media_video"),
				"media.audio":  schema("media_audio"),
			},
		},
		{
			Tool: "emit_metric_card", Title: "Metric",
			Purpose: "One figure with its label, or several that belong together, such as the weather.",
			Types:   words("metric telemetry.metric weather weather.forecast"),
			Schema:  schema("metric"), Lower: lowerMetric, Check: checkMetric, Example: example("weather", "metric"),
		},
	}
}
