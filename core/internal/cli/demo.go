package cli

import (
	_ "embed"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core"
)

// demoAnswer is an answer as an agent at work might give it, with one of
// everything that surfaces differ in.
//
//go:embed demo.md
var demoAnswer string

// DemoAnswer is the markdown that "vak demo" shows.
func DemoAnswer() string { return demoAnswer }

func (a *app) demoCommand() *cobra.Command {
	var f previewFlags
	var source, deliver bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a built-in answer on every surface",
		Long: `Show a realistic agent answer on every surface: prose, nested lists, code, a
table, CJK, emoji, links, a callout, an image and a footnote.

With --deliver it is sent, too: through the outbox and the transports, to
platforms on this machine that behave as the real ones do. A transport is killed
on the way.`,
		Example: `  vak demo
  vak demo --surface telegram --set max=400
  vak demo --deliver
  vak demo --source > answer.md`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if source {
				_, err := a.out.WriteString(demoAnswer)
				return err
			}
			if deliver {
				return a.deliverDemo(cmd.Context())
			}
			l, err := a.look(f.color, f.width)
			if err != nil {
				return err
			}
			c, surfaces, err := f.open(cmd.Context(), a)
			if err != nil {
				return err
			}
			defer c.Close()
			packets, err := c.Render(cmd.Context(), core.Draft{Markdown: demoAnswer}, targets(surfaces)...)
			if err != nil {
				return err
			}
			b := l.packets(nil, packets, surfaces)
			b = l.next(b, len(c.Surfaces()) > 1)
			_, err = a.out.Write(b)
			return err
		},
	}
	f.register(a, cmd)
	cmd.Flags().BoolVar(&deliver, "deliver", false, "send it, to platforms on this machine")
	cmd.Flags().BoolVar(&source, "source", false, "print the answer's markdown instead")
	return cmd
}

// next says what to try after the demo.
func (l look) next(dst []byte, plugins bool) []byte {
	dst = append(dst, '\n')
	dst = l.paint(dst, bold, "Try next")
	dst = append(dst, '\n')
	if !plugins {
		return append(dst, "  "+noPlugins+"\n"...)
	}
	vak := "vak"
	if filepath.Base(os.Args[0]) != os.Args[0] {
		vak = os.Args[0] // it is not found by name, so it has to be called as it was
	}
	for _, c := range [][2]string{
		{"demo --surface telegram --set max=400", "the same answer, cut small"},
		{"demo --deliver", "the same answer sent, while a transport is killed"},
		{"demo --source > answer.md", "its markdown, to change and preview"},
		{"preview answer.md --set discord.links=masked", "another form of links, on one surface"},
		{"preview answer.md --json", "the packets, for programs"},
		{"plugin list", "which processes rendered this"},
	} {
		dst = append(dst, "  "...)
		dst = l.paint(dst, title, vak+" "+c[0])
		dst = append(dst, "\n      "...)
		dst = append(dst, c[1]...)
		dst = append(dst, '\n')
	}
	return dst
}
