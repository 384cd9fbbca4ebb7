package recipes

import (
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/sdk/skill"
)

// Signals are the built-in signals that words, tools and cards give; what structure
// and commands give comes on top, see package plan. The caller owns them.
//
// Keywords are English, and whole phrases where a single word is often said of
// something else: an answer is not tabular because something is on the table.
// Skills add to these signals by defining one of the same name.
func Signals() []skill.Signal {
	return []skill.Signal{
		{
			Name:     "research",
			Keywords: []string{"research", "researched", "study", "studies", "literature", "sources", "meta-analysis"},
			Tools:    []string{"web_search", "websearch", "search_web", "*deep_research*", "*scholar*"},
			Types:    []string{"research.synthesis", "research_brief", "news"},
		},
		{
			Name:     "synthesis",
			Keywords: []string{"synthesis", "taken together", "across the studies", "across sources", "on balance", "the evidence suggests", "overall, the evidence"},
			Types:    plan.Kin("research.synthesis"),
		},
		{
			Name:     "takeaways",
			Keywords: []string{"takeaway", "takeaways", "key findings", "main findings", "key points"},
			Types:    []string{"research.synthesis", "research_brief", "news"},
		},
		{
			Name:     "diff",
			Keywords: []string{"diff", "diffs", "patch"},
			Tools:    edits,
			Types:    []string{"coding.diff"},
		},
		{
			Name:     "files_changed",
			Keywords: []string{"files changed", "file changed", "changed files", "files modified", "modified files"},
			Tools:    edits,
			Types:    []string{"coding.diff"},
		},
		{
			Name:     "tests",
			Keywords: []string{"tests", "test suite", "test run", "test results", "test report"},
			Tools:    runsTests,
			Types:    []string{"test.report"},
		},
		{
			Name:     "pass_fail",
			Keywords: []string{"passed", "failed", "tests pass", "tests fail", "failing", "passing"},
			Tools:    runsTests,
			Types:    []string{"test.report"},
		},
		{
			Name:     "terminal",
			Keywords: []string{"terminal", "command line", "stdout", "stderr", "console output"},
			Tools:    shells,
			Types:    []string{"terminal.view"},
		},
		{
			Name:     "command_exec",
			Keywords: []string{"exit code", "exit status", "exited with", "command output", "ran the command"},
			Tools:    shells,
			Types:    []string{"terminal.view"},
		},
		{
			Name:     "chart",
			Keywords: []string{"chart", "charts", "line graph", "bar graph", "plotted", "time series"},
			Types:    plan.Kin("chart"),
		},
		{
			Name: "telemetry",
			Keywords: []string{
				"telemetry", "latency", "throughput", "error rate", "requests per second", "cpu usage", "memory usage",
				"p50", "p95", "p99", "uptime",
			},
			Tools: []string{"*telemetry*", "*metrics*", "*prometheus*", "*grafana*"},
			Types: []string{"telemetry.chart", "telemetry.metric", "timeseries", "metric_chart"},
		},
		{
			Name:     "table_data",
			Keywords: []string{"spreadsheet", "data table", "rows and columns", "csv"},
			Tools:    []string{"*spreadsheet*", "*csv*"},
			Types:    plan.Kin("table"),
		},
		{
			Name:     "tabular",
			Keywords: []string{"spreadsheet", "tabular", "csv", "tsv", "rows and columns"},
			Tools:    []string{"*spreadsheet*", "*csv*"},
			Types:    plan.Kin("table"),
		},
		{
			Name:     "recipe",
			Keywords: []string{"recipe", "recipes"},
			Tools:    []string{"*recipe*"},
			Types:    plan.Kin("recipe.card"),
		},
		{
			Name:     "ingredients",
			Keywords: []string{"ingredient", "ingredients", "tablespoon", "tablespoons", "teaspoon", "teaspoons", "tbsp", "tsp"},
			Types:    plan.Kin("recipe.card"),
		},
		{
			Name:     "temperature",
			Keywords: []string{"temperature", "temperatures", "°c", "°f", "celsius", "fahrenheit"},
			Tools:    []string{"*weather*", "*forecast*"},
			Types:    plan.Kin("weather.forecast"),
		},
		{
			Name:     "forecast",
			Keywords: []string{"forecast", "forecasts", "chance of rain", "chance of snow"},
			Tools:    []string{"*forecast*"},
			Types:    []string{"weather.forecast"},
		},
		{
			Name:     "approval",
			Keywords: []string{"your approval", "awaiting approval", "approval required", "needs approval", "please approve"},
			Tools:    []string{"*approval*", "ask_permission", "request_permission"},
		},
		{
			Name:     "action",
			Keywords: []string{"action required", "action needed", "next action"},
			Tools:    []string{"*approval*", "ask_permission", "request_permission"},
			Types:    []string{"action"},
		},
		{
			Name:  "artifact",
			Tools: []string{"document_save", "document_link", "present_svg"},
			Types: []string{"ui.preview"},
		},
	}
}

// edits are tools that change files, as agents call them.
var edits = []string{
	"edit", "edit_*", "*_edit", "multiedit", "notebookedit", "write", "write_file", "write_to_file", "create_file",
	"apply_patch", "apply_diff", "patch", "str_replace*", "replace_in_file", "search_replace",
}

// shells are tools that run commands.
var shells = []string{
	"bash", "sh", "shell", "shell_*", "*_shell", "powershell", "terminal", "exec", "exec_*", "execute_command",
	"run_command", "run_shell_command", "run_in_terminal", "run_terminal_*",
}

// runsTests are tools that run tests and say what came of them.
var runsTests = []string{"run_tests", "run_test", "runtests", "test_runner"}
