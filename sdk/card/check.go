package card

import (
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Check says what is wrong with a tree that was made by hand: its bounds, and
// values that are none of those that there are. Its error is a *ProblemError. A
// tree out of [ParseTree] has been checked.
func (t Tree) Check() error {
	c := checker{}
	c.node(t.Root, "", 1)
	return c.err
}

type checker struct {
	nodes int
	err   error
}

func (c *checker) fail(k ErrorKind, path, want string) {
	if c.err == nil {
		c.err = &ProblemError{k, path, want}
	}
}

func (c *checker) node(n Node, path string, depth int) {
	if c.err != nil {
		return
	}
	c.nodes++
	switch {
	case c.nodes > MaxNodes:
		c.fail(ErrTooLarge, path, "a tree may have 256 nodes")
	case depth > MaxDepth:
		c.fail(ErrTooLarge, path, "nodes may nest 16 deep")
	case n.Props == nil:
		c.fail(ErrInvalid, path, "expected a primitive")
	case !byTypes[reflect.TypeOf(n.Props)]:
		c.fail(ErrInvalid, path, "expected properties by value")
	case len(n.Children) > 0 && !n.Props.Primitive().HasChildren():
		c.fail(ErrInvalid, path+"/children", "expected none: "+string(n.Props.Primitive())+" has no children")
	}
	if c.err != nil {
		return
	}
	if !utf8.ValidString(n.Fallback) {
		c.fail(ErrInvalid, path+"/fallback", "expected UTF-8")
	}
	for i, r := range n.Requires {
		c.word(path+"/requires/"+strconv.Itoa(i), string(r), string(Interactive), string(Color), string(ShowsMedia), string(FollowsLink))
	}
	c.props(n.Props, path+"/props")
	for i, child := range n.Children {
		c.node(child, path+"/children/"+strconv.Itoa(i), depth+1)
	}
}

// word holds a token to its list; an empty one is always there.
func (c *checker) word(path, got string, of ...string) {
	if got == "" || slices.Contains(of, got) {
		return
	}
	want := "expected one of"
	for i, w := range of {
		if i > 0 {
			want += ","
		}
		want += " " + w
	}
	c.fail(ErrInvalid, path, want)
}

func (c *checker) tone(path string, t Tone) {
	c.word(path+"/tone", string(t), string(Neutral), string(Accent), string(Info), string(Success), string(Warning), string(Danger))
}

// number holds a scalar that has to be a number, or absent.
func (c *checker) number(path string, s Scalar) {
	if !s.IsZero() && !s.IsNumber() && !s.IsNull() {
		c.fail(ErrInvalid, path, "expected a number")
	}
}

func (c *checker) columns(path string, columns []Column, rows [][]Scalar) {
	if len(columns) == 0 {
		c.fail(ErrInvalid, path+"/columns", "expected a column at least")
	}
	for i, r := range rows {
		if len(r) > len(columns) {
			c.fail(ErrInvalid, path+"/rows/"+strconv.Itoa(i), "expected no more cells than there are columns")
		}
	}
}

// props holds properties to what their types do not say.
func (c *checker) props(p Props, path string) {
	switch p := p.(type) {
	case Stack:
		c.word(path+"/density", p.Density, "compact", "comfortable")
	case Row:
		c.word(path+"/density", p.Density, "compact", "comfortable")
	case Section:
		c.word(path+"/width", p.Width, "narrow", "wide")
	case Title:
		if p.Level < 0 || p.Level > 6 {
			c.fail(ErrInvalid, path+"/level", "expected 1 to 6")
		}
	case Text:
		c.tone(path, p.Tone)
		c.word(path+"/emphasis", string(p.Emphasis), string(Subtle), string(Strong))
	case Badge:
		c.tone(path, p.Tone)
	case Callout:
		c.tone(path, p.Tone)
	case Steps:
		c.steps(path+"/items", p.Items)
	case Table:
		c.columns(path, p.Columns, p.Rows)
	case Comparison:
		c.columns(path, p.Columns, p.Rows)
	case Metric:
		c.tone(path, p.Tone)
	case MetricGrid:
		for i, m := range p.Metrics {
			c.tone(path+"/metrics/"+strconv.Itoa(i), m.Tone)
		}
	case Progress:
		c.number(path+"/value", p.Value)
		c.number(path+"/max", p.Max)
	case Chart:
		if p.Form == "" {
			c.fail(ErrInvalid, path+"/form", "expected line, bar or area")
		}
		c.word(path+"/form", p.Form, "line", "bar", "area")
		for i, s := range p.Series {
			for j, at := range s.Points {
				c.number(path+"/series/"+strconv.Itoa(i)+"/points/"+strconv.Itoa(j)+"/y", at.Y)
			}
		}
	case File:
		c.number(path+"/bytes", p.Bytes)
	case Diff:
		for i, f := range p.Files {
			at := path + "/files/" + strconv.Itoa(i)
			c.number(at+"/additions", f.Additions)
			c.number(at+"/deletions", f.Deletions)
		}
	case TestMatrix:
		for i, t := range p.Tests {
			at := path + "/tests/" + strconv.Itoa(i)
			c.word(at+"/status", string(t.Status), string(Passed), string(Failed), string(Skipped))
			c.number(at+"/duration_ms", t.DurationMS)
		}
		for _, n := range []struct {
			name string
			of   Scalar
		}{{"passed", p.Passed}, {"failed", p.Failed}, {"skipped", p.Skipped}, {"total", p.Total}, {"duration_ms", p.DurationMS}} {
			c.number(path+"/"+n.name, n.of)
		}
	case Terminal:
		c.number(path+"/exit_code", p.ExitCode)
		c.number(path+"/duration_ms", p.DurationMS)
	case Recipe:
		c.number(path+"/servings", p.Servings)
		c.steps(path+"/steps", p.Steps)
	case Research:
		for i, t := range p.Takeaways {
			for j, n := range t.Sources {
				if n < 1 || n > len(p.Sources) {
					c.fail(ErrInvalid, path+"/takeaways/"+strconv.Itoa(i)+"/sources/"+strconv.Itoa(j), "expected the number of a source, from 1")
				}
			}
		}
	}
}

func (c *checker) steps(path string, steps []Step) {
	for i, s := range steps {
		c.number(path+"/"+strconv.Itoa(i)+"/timer_seconds", s.TimerSeconds)
	}
}
