package cli

import (
	"os"
	"strings"

	"golang.org/x/term"
)

var colorModes = []string{"auto", "always", "never"}

// A look is how results are written for a person.
type look struct {
	color bool
	width int // columns of a whole box
}

// Bounds of the width. Beyond the upper one lines get hard to read.
const (
	minWidth     = 40
	maxWidth     = 110
	defaultWidth = 80
)

func (a *app) look(color string, width int) (look, error) {
	tty := term.IsTerminal(int(a.out.Fd()))
	l := look{width: width}
	switch color {
	case "always":
		l.color = true
	case "never":
	case "auto":
		l.color = tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	default:
		return l, usagef("--color cannot be %q; use %s", color, strings.Join(colorModes, ", "))
	}
	if width < 0 || width > 0 && width < minWidth {
		return l, usagef("--width cannot be %d; use 0 or at least %d", width, minWidth)
	}
	if width == 0 {
		l.width = defaultWidth
		if tty {
			if w, _, err := term.GetSize(int(a.out.Fd())); err == nil && w > 0 {
				l.width = min(max(w, minWidth), maxWidth)
			}
		}
	}
	return l, nil
}

// A style is what an ANSI terminal sets for a piece of text.
type style string

// The styles. The sixteen colours of the terminal's own theme are enough.
const (
	bold   style = "1"
	dim    style = "2"
	title  style = "1;36"
	good   style = "32"
	notice style = "33"
	bad    style = "1;31"
)

// paint appends s in a style.
func (l look) paint(dst []byte, st style, s string) []byte {
	if !l.color || s == "" {
		return append(dst, s...)
	}
	dst = append(dst, "\x1b["...)
	dst = append(dst, st...)
	dst = append(dst, 'm')
	dst = append(dst, s...)
	return append(dst, "\x1b[0m"...)
}
