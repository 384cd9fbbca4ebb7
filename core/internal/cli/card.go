package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
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
  {"semantic_type": "metric", "payload": {"label": "Build", "value": 41}}
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
			if tools := cardTools(c); tool != "" && !slices.Contains(tools, tool) {
				return &problem{exitSurface, fmt.Sprintf("no tool %s hands over cards; known are %s", quoted(tool), strings.Join(tools, ", "))}
			}
			card := []byte(unfenced(text))
			typ, problems := c.CheckCard(tool, card)
			if p, ok := noJSON(card); ok {
				problems = []core.CardProblem{p}
			}
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
		return cardTools(c), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// noJSON says where a text stops to be JSON. ok is false where it does not.
func noJSON(text []byte) (p core.CardProblem, ok bool) {
	var v json.RawMessage
	err := json.Unmarshal(text, &v)
	if err == nil {
		return p, false
	}
	if e, is := errors.AsType[*json.SyntaxError](err); is {
		p.Want = fmt.Sprintf("expected JSON; line %d: %v", lineAt(text, int(e.Offset)), err)
	} else {
		p.Want = "expected JSON"
	}
	return p, true
}

// lineAt is the number of the line, from 1, in which so many bytes end.
func lineAt(text []byte, n int) int {
	return 1 + bytes.Count(bytes.TrimRight(text[:min(n, len(text))], "\n"), []byte("\n"))
}

// typeNames are the types of cards, in order.
func typeNames(c *core.Core) (names []string) {
	for _, t := range c.CardTypes() {
		names = append(names, t.Name)
	}
	return names
}

// cardTools are the tools that hand over cards, in order.
func cardTools(c *core.Core) (tools []string) {
	for _, t := range c.CardTypes() {
		tools = append(tools, t.Tool)
	}
	slices.Sort(tools)
	return slices.Compact(tools)
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
	byTool := map[string][]string{}
	purpose := map[string]string{}
	for _, t := range types {
		byTool[t.Tool] = append(byTool[t.Tool], t.Name)
		purpose[t.Tool] = t.Purpose
	}
	var b []byte
	for _, tool := range slices.Sorted(maps.Keys(byTool)) {
		b = append(b, visible(tool)+"\n"...)
		b = wrapped(b, "  ", purpose[tool])
		b = wrapped(b, "    ", strings.Join(byTool[tool], ", "))
	}
	b = append(b, "\n"+count(len(types), "type")+". \"vak card schema TYPE\" shows what a payload has to be.\n"...)
	_, err := a.out.Write(b)
	return err
}

// wrapped appends text in lines with an indent, each as wide as lines are by default
// at most.
func wrapped(dst []byte, indent, text string) []byte {
	line := ""
	for word := range strings.FieldsSeq(visible(text)) {
		if line != "" && displaywidth.String(indent+line+" "+word) > defaultWidth {
			dst = append(dst, indent+line+"\n"...)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(dst, indent+line+"\n"...)
}

func (a *app) cardSchemaCommand() *cobra.Command {
	var example bool
	cmd := &cobra.Command{
		Use:   "schema TYPE",
		Short: "Show the JSON Schema of a type's payload",
		Example: `  vak card schema recipe.card
  vak card schema chart --example > chart.json && vak preview chart.json`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, err := a.open(cmd.Context())
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			defer c.Close()
			return typeNames(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer c.Close()
			if len(args) == 0 {
				return usagef("name a type, one of %s; \"vak card types\" tells what they are for", strings.Join(typeNames(c), ", "))
			}
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
