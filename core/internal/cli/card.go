package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
)

func (a *app) cardCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "card",
		Short: "Check cards, and show what types there are",
		Long: `Check cards, and show what types there are. A card is structured output of a
model: a semantic type and a payload, in a fence whose info string is vak, as the
whole of a message or of a tool's result, or as the arguments of an emit tool.

  ` + "```vak" + `
  {"semantic_type": "metric", "payload": {"label": "Build", "value": 41, "unit": "s"}}
  ` + "```",
		Example: `  vak card types
  vak card schema test.report
  vak card validate card.json`,
		RunE: group("card"),
	}
	cmd.AddCommand(a.cardValidateCommand(), a.cardTypesCommand(), a.cardSchemaCommand())
	return cmd
}

func (a *app) cardValidateCommand() *cobra.Command {
	var tool string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [FILE|-]",
		Short: "Say what is wrong with a card, by place and by what was expected",
		Long: `Say what is wrong with a card, by place and by what was expected there: an
envelope, or with --tool the arguments of that tool. A fence around it is left out.
It fails where the card cannot be shown as one.

` + exitHelp,
		Example: `  vak card validate card.json
  echo '{"label": "Build", "value": 41}' | vak card validate --tool emit_metric_card --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.readSource(cmd.Context(), args, "card validate")
			if err != nil {
				return err
			}
			c, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer c.Close()
			typ, problems := c.CheckCard(tool, []byte(unfenced(text)))
			if asJSON {
				if problems == nil {
					problems = []core.CardProblem{}
				}
				if err := a.writeJSON(struct {
					Type     string             `json:"semantic_type"`
					Problems []core.CardProblem `json:"problems"`
				}{typ, problems}); err != nil {
					return err
				}
			}
			if len(problems) > 0 {
				for _, p := range problems {
					if !asJSON {
						fmt.Fprintf(a.out, "%s: %s\n", visible(orRoot(p.Path)), visible(p.Want))
					}
				}
				return &problem{exitInput, fmt.Sprintf("it is no card that can be shown: %s", count(len(problems), "problem"))}
			}
			if !asJSON {
				_, err = fmt.Fprintf(a.out, "ok  %s\n", typ)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "it is the arguments of the tool `NAME`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RegisterFlagCompletionFunc("tool", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := a.open(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer c.Close()
		var tools []string
		for _, t := range c.CardTypes() {
			tools = append(tools, t.Tool)
		}
		return tools, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// orRoot is a path, by a name where it is that of the whole.
func orRoot(path string) string {
	if path == "" {
		return "the card"
	}
	return path
}

// unfenced is text without the fence around it, if it is one.
func unfenced(text string) string {
	inner := strings.TrimSpace(text)
	if !strings.HasPrefix(inner, "```") && !strings.HasPrefix(inner, "~~~") {
		return text
	}
	first, rest, ok := strings.Cut(inner, "\n")
	fence := first[:len(first)-len(strings.TrimLeft(first, first[:1]))]
	body, closed := strings.CutSuffix(strings.TrimRight(rest, "\n"), fence)
	if !ok || !closed || strings.TrimSpace(strings.TrimPrefix(first, fence)) != "vak" {
		return text
	}
	return body
}

func (a *app) cardTypesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "types",
		Short: "List the types of cards with the tools that hand them over",
		Example: `  vak card types
  vak card types --json | jq '.[] | select(.tool == "emit_table_card") | .name'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer c.Close()
			types := c.CardTypes()
			if asJSON {
				return a.writeJSON(types)
			}
			return a.showTypes(types)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON, with schemas and examples")
	return cmd
}

// showTypes lists types by tool: each is a shape with its types.
func (a *app) showTypes(types []core.CardType) error {
	byTool := map[string][]core.CardType{}
	var order []string
	for _, t := range types {
		if byTool[t.Tool] == nil {
			order = append(order, t.Tool)
		}
		byTool[t.Tool] = append(byTool[t.Tool], t)
	}
	var b bytes.Buffer
	for _, tool := range order {
		of := byTool[tool]
		fmt.Fprintf(&b, "%s: %s\n", visible(tool), visible(of[0].Purpose))
		line := " "
		for i, t := range of {
			word := " " + visible(t.Name)
			if i < len(of)-1 {
				word += ","
			}
			if len(line)+len(word) > 78 {
				fmt.Fprintln(&b, line)
				line = " "
			}
			line += word
		}
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "\n%s. \"vak card schema TYPE\" shows what a payload has to be.\n", count(len(types), "type"))
	_, err := a.out.Write(b.Bytes())
	return err
}

func (a *app) cardSchemaCommand() *cobra.Command {
	var example bool
	cmd := &cobra.Command{
		Use:   "schema TYPE",
		Short: "Show the JSON Schema of a type's payload",
		Example: `  vak card schema recipe.card
  vak card schema chart --example > chart.json && vak preview chart.json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, err := a.open(cmd.Context())
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			defer c.Close()
			var names []string
			for _, t := range c.CardTypes() {
				names = append(names, t.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer c.Close()
			t, err := c.CardType(args[0])
			if err != nil {
				return err
			}
			text := t.Schema
			if example {
				text = t.Example
			}
			var b bytes.Buffer
			if err := json.Indent(&b, text, "", "  "); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, strings.TrimSpace(b.String()))
			return err
		},
	}
	cmd.Flags().BoolVar(&example, "example", false, "show a card of its shape instead")
	return cmd
}

// aligned writes rows with their cells below each other.
func aligned(b *bytes.Buffer, rows [][]string) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, "  "+strings.Join(r, "\t"))
	}
	w.Flush()
}
