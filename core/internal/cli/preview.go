package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// previewFlags are what preview and demo have in common.
type previewFlags struct {
	surfaces []string
	color    string
	width    int
}

func (f *previewFlags) register(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.surfaces, "surface", "s", []string{"all"}, "show these surfaces: a `LIST` with commas, or all")
	flags.StringArrayVar(&a.set, "set", nil, "override profiles: `KEY=VALUE,…`, SURFACE.KEY=VALUE for one surface, or a path of the configuration")
	flags.StringVar(&f.color, "color", "auto", "colour: auto, always or never")
	a.runsPlugins(cmd)
	flags.IntVar(&f.width, "width", 0, "columns to use (0: those of the terminal, else 80)")
	cmd.RegisterFlagCompletionFunc("color", fixed(colorModes...))
	cmd.RegisterFlagCompletionFunc("surface", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := a.open(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer c.Close()
		return append(ids(c.Surfaces()), "all"), cobra.ShellCompDirectiveNoFileComp
	})
}

// open opens core and finds the surfaces that the flags name.
func (f *previewFlags) open(ctx context.Context, a *app) (*core.Core, []core.Surface, error) {
	set, err := parseSet(a.set)
	if err != nil {
		return nil, nil, err
	}
	c, err := a.open(ctx)
	if err != nil {
		return nil, nil, hintPlugins(err, 1)
	}
	if why := c.Ignored(); why != "" {
		fmt.Fprintln(a.err, "vak: "+oneLine(why))
	}
	surfaces, err := choose(c, f.surfaces)
	if err != nil {
		c.Close()
		return nil, nil, hintPlugins(err, len(c.Surfaces()))
	}
	for id := range set.one {
		if !contains(surfaces, id) {
			c.Close()
			return nil, nil, usagef("--set names %s, which is not shown; add it to --surface", id)
		}
	}
	return c, surfaces, nil
}

func (a *app) previewCommand() *cobra.Command {
	var f previewFlags
	var with shownWith
	var asJSON, asJSONL, strict bool
	cmd := &cobra.Command{
		Use:   "preview [FILE|-]",
		Short: "Show what an answer becomes on each surface, chunk by chunk",
		Long: `Show what an answer, written in markdown, becomes on each surface: every chunk
as it would be sent, its size against the platform's limit, how each block
reached the reader, and what had to be done differently. Nothing is sent.

In the boxes, a line that goes on from the one above is marked with ↪ at its
left, and characters that nobody could see are written as \u escapes.

--jsonl reads one answer a line, {"id": …, "markdown": …}, and writes one line
for each surface, {"id", "surface", "packet", "elapsed_ms"}, in order. A line
that cannot be used gets {"id", "error"}, and the next is read. A line may have
"metadata", an object of strings, for templates, and "tools", as below, with or
without a markdown.

` + toolsHelp + `

--set changes profiles, for every surface or for one (telegram.max=500), and any
value of the configuration (surfaces.telegram.max=500). Those of profiles are
` + setHelp() + "\n" + exitHelp,
		Example: `  vak preview answer.md
  git log -1 --format=%B | vak preview --surface slack,discord
  vak preview answer.md --surface telegram --set max=500
  vak preview answer.md --set discord.links=masked,grid=40
  vak preview answer.md --template report.md --title "Nightly run"
  vak preview --tools calls.json --surface log < /dev/null
  vak preview answer.md --json | jq '.[] | {surface, chunks: (.chunks | length)}'
  vak preview --jsonl --surface telegram < answers.jsonl > packets.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asJSONL {
				return usagef("--json and --jsonl exclude each other; --json is for one answer, --jsonl for one a line")
			}
			if asJSONL {
				return a.previewLines(cmd.Context(), &f, &with, args, strict)
			}
			look, err := a.look(f.color, f.width)
			if err != nil {
				return err
			}
			return a.previewOne(cmd.Context(), &f, &with, look, args, asJSON, strict)
		},
	}
	f.register(a, cmd)
	with.register(a, cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the packets as a JSON array")
	cmd.Flags().BoolVar(&asJSONL, "jsonl", false, "read answers and write packets, one a line")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 5 if a surface's plugin failed and core rendered plain")
	return cmd
}

func (a *app) previewOne(ctx context.Context, f *previewFlags, with *shownWith, l look, args []string, asJSON, strict bool) error {
	c, surfaces, err := f.open(ctx, a)
	if err != nil {
		return err
	}
	defer c.Close()
	source, err := with.tools.answer(ctx, a, args, "preview")
	if err != nil {
		return err
	}
	packets, err := with.render(ctx, a, c, source, targets(surfaces))
	if err != nil {
		return err
	}
	var b []byte
	if asJSON {
		b, err = packetArray(packets)
	} else {
		b = l.packets(nil, packets, surfaces)
	}
	if err != nil {
		return err
	}
	if _, err := a.out.Write(b); err != nil {
		return err
	}
	if strict {
		return degraded(packets)
	}
	return nil
}

// packetArray is the packets as a JSON array with one packet a line.
func packetArray(packets []packet.Packet) ([]byte, error) {
	b := []byte("[")
	var err error
	for i := range packets {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '\n')
		if b, err = packet.Append(b, &packets[i]); err != nil {
			return nil, err
		}
	}
	return append(b, "\n]\n"...), nil
}

// degraded is an error if core rendered a packet in a plugin's stead.
func degraded(packets []packet.Packet) error {
	var names []string
	for _, p := range packets {
		if p.Renderer.ID == core.PlainRenderer {
			names = append(names, p.Surface)
		}
	}
	if names == nil {
		return nil
	}
	return &problem{exitDegraded, fmt.Sprintf("rendered plain because the plugin failed: %s; the diagnostics say why", strings.Join(names, ", "))}
}

func targets(surfaces []core.Surface) []surface.Target {
	out := make([]surface.Target, len(surfaces))
	for i, s := range surfaces {
		out[i] = surface.Target{Surface: s.ID}
	}
	return out
}

func contains(surfaces []core.Surface, id string) bool {
	for _, s := range surfaces {
		if s.ID == id {
			return true
		}
	}
	return false
}
