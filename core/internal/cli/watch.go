package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/seed-1ae66336/vak/core/internal/control"
)

// watchTime is the time between two looks.
const watchTime = time.Second

// canWatch reports whether there is a terminal that can be drawn on.
func (a *app) canWatch() bool {
	return term.IsTerminal(int(a.out.Fd())) && term.IsTerminal(int(a.in.Fd())) && !dumb()
}

// The terminal's screen for programs like this, and the cursor.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[2J"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
)

// watch shows the list of a filter again and again, until q or Ctrl-C. It holds no
// home between two looks, so that others can.
func (a *app) watch(ctx context.Context, f control.JobFilter) error {
	if _, err := a.list(ctx, f); err != nil { // before anything is drawn
		return err
	}
	fd := int(a.in.Fd())
	was, err := term.MakeRaw(fd)
	if err != nil {
		return err
	}
	defer term.Restore(fd, was)
	if _, err := a.out.WriteString(enterScreen); err != nil {
		return err
	}
	defer a.out.WriteString(leaveScreen)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go a.quits(cancel)
	for {
		l, err := a.list(ctx, f)
		if ctx.Err() != nil {
			return nil
		}
		width, height, failed := term.GetSize(int(a.out.Fd()))
		if failed != nil || width <= 0 || height <= 0 {
			width, height = defaultWidth, 24
		}
		if _, err := a.out.WriteString(screen(l, err, time.Now(), width, height)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchTime):
		}
	}
}

// quits ends the watch at q, Ctrl-C or the end of what the terminal has to say.
func (a *app) quits(cancel func()) {
	b := make([]byte, 16)
	for {
		n, err := a.in.Read(b)
		if err != nil || strings.ContainsAny(string(b[:n]), "qQ\x03\x04") {
			cancel()
			return
		}
	}
}

// mostWatched bounds what is kept of a list that is drawn. No screen has more
// lines.
const mostWatched = 1000

func (a *app) list(ctx context.Context, f control.JobFilter) (l *list, _ error) {
	err := a.withKeeper(ctx, looks, func(who *answerer) (err error) {
		l, err = listing(ctx, who, f, mostWatched)
		return err
	})
	return l, err
}

// screen draws a list within a screen. Where there was an error it stands there
// instead, until the next look.
func screen(l *list, err error, now time.Time, width, height int) string {
	head := "vak outbox · " + now.UTC().Format("15:04:05Z") + " · q ends"
	lines := []string{head, ""}
	switch {
	case err != nil:
		lines = append(lines, oneLine(err.Error()))
	case l.n == 0:
		lines = append(lines, "No jobs.")
	default:
		table := strings.Split(strings.TrimSuffix(l.table(now), "\n"), "\n")
		totals := l.totals()
		room := max(height-len(lines)-len(totals)-1, 2) // a blank line before the totals
		if hidden := l.n + 1 - room; hidden > 0 {
			room--
			shown := min(room, len(table))
			table = append(table[:shown:shown], fmt.Sprintf("… and %s more", thousands(l.n+1-shown)))
		}
		lines = append(append(append(lines, table...), ""), totals...)
	}
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range lines[:min(len(lines), height)] {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(truncate(line, width) + "\x1b[K")
	}
	b.WriteString("\x1b[J")
	return b.String()
}
