package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Problem is one thing that is wrong with a file.
type Problem struct {
	File string
	Line int    // 0: not known, as for a value from the environment
	Path string // of the value, as surfaces.telegram.max; empty: the file itself
	What string
	Mend string // may be empty
}

func (p *Problem) Error() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	if p.Path != "" {
		s += ": " + p.Path
	}
	s += ": " + p.What
	if p.Mend != "" {
		s += "; " + p.Mend
	}
	return s
}

// Problems are all that is wrong with a file, in the order of its lines. None of
// them holds a value.
type Problems []*Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted is p by line.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b *Problem) int { return a.Line - b.Line })
	return p
}
