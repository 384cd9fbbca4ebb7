package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/ledger"
)

func (a *app) ledgerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Read what was said, and check that nobody changed it",
		Long: `Read what was said, and check that nobody changed it. A session's ledger is a
file of records to which one is only ever added; each names the hash of the one
before. What is delivered outside of every turn is in the session "notices".`,
		Example: `  vak ledger list
  vak ledger show deploys
  vak ledger verify
  vak ledger export deploys --format markdown`,
		RunE: group("ledger"),
	}
	a.hasHome(cmd)
	cmd.AddCommand(a.ledgerListCommand(), a.ledgerShowCommand(), a.ledgerVerifyCommand(), a.ledgerExportCommand())
	return cmd
}

func (a *app) ledgerListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions",
		Example: `  vak ledger list
  vak ledger list --json | jq -r '.[].id'`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				all, err := who.Sessions(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.writeJSON(all)
				}
				var b strings.Builder
				t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
				if len(all) == 0 {
					fmt.Fprintln(t, "No sessions.")
				} else {
					fmt.Fprintln(t, "SESSION\tRECORDS\tLAST")
				}
				for _, s := range all {
					last := "cannot be read; see \"vak ledger verify " + s.ID + "\""
					if !s.Last.IsZero() {
						last = stamp(s.Last)
					}
					fmt.Fprintf(t, "%s\t%d\t%s\n", visible(s.ID), s.Records, last)
				}
				t.Flush()
				_, err = a.out.WriteString(b.String())
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	return cmd
}

func (a *app) ledgerShowCommand() *cobra.Command {
	var from, to uint64
	var asJSON, full bool
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Show the records of a session, a line for each",
		Long: `Show the records of a session, a line for each: its number, time, what it is, and
the beginning of its text. --full shows all of the text, --json the lines as they
are on disk.`,
		Example: `  vak ledger show deploys
  vak ledger show deploys --from 40 --to 60 --full
  vak ledger show deploys --json | jq -r 'select(.kind == "message") | .markdown'`,
		ValidArgsFunction: a.sessionNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return usagef("name one session; \"vak ledger list\" shows them")
			case cmd.Flags().Changed("from") && from == 0 || cmd.Flags().Changed("to") && to < max(from, 1):
				return usagef("records are numbered from 1, and --to cannot be less than --from")
			case full && asJSON:
				return usagef("--full and --json exclude each other; --json holds everything")
			}
			if to == 0 {
				to = 1 << 62
			}
			look, err := a.look("never", 0)
			if err != nil {
				return err
			}
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				return a.showRecords(cmd.Context(), who, args[0], ledger.Seq(max(from, 1)), ledger.Seq(to), func(line []byte) []byte {
					if asJSON {
						return append(line, '\n')
					}
					return recordText(line, full, look.width)
				})
			})
		},
	}
	cmd.Flags().Uint64Var(&from, "from", 0, "begin with record `N`")
	cmd.Flags().Uint64Var(&to, "to", 0, "end with record `N`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the lines as they are on disk")
	cmd.Flags().BoolVar(&full, "full", false, "show all of the text")
	return cmd
}

// showRecords writes what text makes of each record.
func (a *app) showRecords(ctx context.Context, who *answerer, session string, from, to ledger.Seq, text func([]byte) []byte) error {
	w := bufio.NewWriter(a.out)
	n := from
	for line, err := range who.Records(ctx, session, from) {
		if err == nil && n > to {
			break
		}
		if err == nil {
			_, err = w.Write(text(line))
		}
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		n++
	}
	return w.Flush()
}

func (a *app) ledgerVerifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify [SESSION…]",
		Short: "Hold every session, or some, to their hash chains",
		Long: `Hold every session, or those that are named, to their hash chains. The exit code
is 1 if one of them does not fit: a record was changed, left out or put in after
it was written.`,
		Example: `  vak ledger verify
  vak ledger verify deploys notices
  vak ledger verify --json | jq '.[] | select(.ok | not)'`,
		ValidArgsFunction: a.sessionNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				return a.verify(cmd.Context(), who, args, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON array")
	return cmd
}

// verify asks for one session after the other, so that each has its own time.
func (a *app) verify(ctx context.Context, who *answerer, ids []string, asJSON bool) error {
	if len(ids) == 0 {
		all, err := who.Sessions(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			ids = append(ids, s.ID)
		}
	}
	found := []control.Verified{}
	bad := 0
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, id := range ids {
		v, err := who.Verify(ctx, id)
		if err != nil {
			return err
		}
		for _, v := range v {
			verdict, what := "ok", count(v.Records, "record")
			if v.Open > 0 {
				what += ", " + count(v.Open, "open turn")
			}
			if v.Unknown > 0 {
				what += fmt.Sprintf(", %d of a later version", v.Unknown)
			}
			if !v.OK {
				bad++
				verdict, what = "fail", oneLine(v.What)+"; "+count(v.Records, "record")+" before it "+map[bool]string{true: "is", false: "are"}[v.Records == 1]+" right"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", verdict, visible(v.Session), what)
			found = append(found, v)
		}
	}
	t.Flush()
	var err error
	if asJSON {
		err = a.writeJSON(found)
	} else if len(found) == 0 {
		_, err = a.out.WriteString("No sessions.\n")
	} else {
		_, err = a.out.WriteString(b.String())
	}
	if err == nil && bad > 0 {
		err = &problem{exitInternal, fmt.Sprintf("%d of %s do not verify; restore them from a backup", bad, count(len(found), "session"))}
	}
	return err
}

func (a *app) ledgerExportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session, as it is on disk or as what was said",
		Long: `Write a session: as jsonl, the exact lines, or as markdown, what was said, without
drafts and what the runtime put in. The records are held to their chain as they
are read for markdown.`,
		Example: `  vak ledger export deploys > deploys.jsonl
  vak ledger export deploys --format markdown > deploys.md`,
		ValidArgsFunction: a.sessionNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one session; \"vak ledger list\" shows them")
			}
			if format != "jsonl" && format != "markdown" {
				return usagef("--format cannot be %s; use jsonl or markdown", quoted(format))
			}
			return a.withKeeper(cmd.Context(), looks, func(who *answerer) error {
				if format == "jsonl" {
					return a.showRecords(cmd.Context(), who, args[0], 1, 1<<62, func(line []byte) []byte { return append(line, '\n') })
				}
				w := bufio.NewWriter(a.out)
				err := ledger.Transcript(w, ledger.Records(who.Records(cmd.Context(), args[0], 1)))
				if flushed := w.Flush(); err == nil {
					err = flushed
				}
				if broken := (*ledger.ChainError)(nil); errors.As(err, &broken) {
					return &problem{exitInternal, fmt.Sprintf("what was written ends before a record that does not fit: %v; \"vak ledger export %s\" writes the lines as they are", err, args[0])}
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "jsonl", "`FORMAT` is jsonl or markdown")
	cmd.RegisterFlagCompletionFunc("format", fixed("jsonl", "markdown"))
	return cmd
}

// recordText is one record for a person.
func recordText(line []byte, full bool, width int) []byte {
	r, err := ledger.Parse(line)
	if err != nil {
		return []byte("  ?  cannot be read: " + oneLine(err.Error()) + "\n")
	}
	head := fmt.Sprintf("%4d  %s  %s", r.Seq, stamp(r.Time), strings.Join(facts(r), " "))
	text := textOf(r)
	if full {
		out := head + "\n"
		for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if text != "" {
				out += strings.TrimRight("      "+visible(expandTabs(l)), " ") + "\n"
			}
		}
		return []byte(out)
	}
	if text = oneLine(text); text != "" {
		head += ": " + text
	}
	return []byte(truncate(head, max(width, 60)) + "\n")
}

// facts are what a record is, without its text.
func facts(r ledger.Record) []string {
	switch b := r.Body.(type) {
	case *ledger.Turn:
		out := []string{"turn", string(b.Phase)}
		if b.Phase == ledger.End {
			out = append(out, string(b.Status))
		}
		if b.Key != "" {
			out = append(out, "key="+visible(b.Key))
		}
		return out
	case *ledger.Message:
		out := []string{string(b.Role)}
		if b.MessageKind != "" && string(b.MessageKind) != string(b.Role) {
			out = append(out, string(b.MessageKind))
		}
		if b.Control != "" {
			out = append(out, "control="+string(b.Control))
		}
		return out
	case *ledger.ToolCall:
		return []string{"tool call", visible(b.Name)}
	case *ledger.ToolResult:
		return []string{"tool result", visible(b.Name), map[bool]string{true: "ok", false: "failed"}[b.OK]}
	case *ledger.Activity:
		return []string{"activity", visible(string(b.What))}
	case *ledger.Presentation:
		return []string{"presentation of", b.Entry.String(), b.Target}
	case *ledger.Unknown:
		return []string{visible(string(b.Name)), "(of a later version)"}
	}
	return nil
}

// textOf is the text of a record.
func textOf(r ledger.Record) string {
	switch b := r.Body.(type) {
	case *ledger.Turn:
		return b.Reason
	case *ledger.Message:
		if len(b.Payload) > 0 {
			return strings.TrimSpace(b.Markdown + "\n" + string(b.Payload))
		}
		return b.Markdown
	case *ledger.ToolCall:
		return string(b.Arguments)
	case *ledger.ToolResult:
		return strings.TrimSpace(b.Content + "\n" + string(b.JSON))
	case *ledger.Activity:
		return b.Detail
	}
	return ""
}
