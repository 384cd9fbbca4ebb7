package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Problem is one thing that is wrong with a configuration.
type Problem struct {
	File    string // or FromEnvironment, or FromSet
	Line    int    // 0: not known, as for a value from the environment
	Pointer string // to the value, as /surfaces/telegram/max; empty: the whole of it
	What    string
	Mend    string // may be empty

	order int // of its layer
}

func (p *Problem) Error() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	if p.Pointer != "" {
		s += ": " + p.Pointer
	}
	s += ": " + p.What
	if p.Mend != "" {
		s += "; " + p.Mend
	}
	return s
}

// Problems are all that is wrong with a configuration. None of them holds a value.
type Problems []*Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Sorted is p in the order of the layers and of their lines, each problem once.
func (p Problems) Sorted() Problems {
	p = slices.Clone(p)
	slices.SortStableFunc(p, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Line, b.Line))
	})
	known := map[Problem]bool{}
	return slices.DeleteFunc(p, func(one *Problem) bool {
		was := known[*one]
		known[*one] = true
		return was
	})
}

// Pointer is a path as RFC 6901 writes it.
func Pointer(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteByte('/')
		pointerEscapes.WriteString(&b, p)
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
