package card

import "strings"

// ContextNode is what a context says to a reader, as one subtle line that closes a
// card: as of when, compared with what, for which period, resting on what. It
// reports false where there is nothing of that. A domain is for programs.
func ContextNode(c *Context) (Node, bool) {
	if c == nil {
		return Node{}, false
	}
	var parts []string
	say := func(word, what string) {
		if what = strings.TrimSpace(oneLine(what)); what != "" {
			parts = append(parts, word+" "+what)
		}
	}
	w := wordsFor("")
	say(w.asOf, c.AsOf)
	say(w.against, c.ComparisonBasis)
	if p := c.Period; p != nil {
		span := p.Start
		if p.End != "" {
			span = strings.TrimSpace(span + " – " + p.End)
		}
		if p.Timezone != "" {
			span = strings.TrimSpace(span + " (" + p.Timezone + ")")
		}
		say(w.period, span)
	}
	var from []string
	for _, e := range c.Evidence {
		one := e.ID
		if e.Kind != "" {
			one = strings.TrimSpace(one + " (" + e.Kind + ")")
		}
		if one != "" {
			from = append(from, one)
		}
	}
	say(w.evidence, strings.Join(from, ", "))
	if len(parts) == 0 {
		return Node{}, false
	}
	line := []rune(strings.Join(parts, " · "))
	return New(Text{Text: strings.ToUpper(string(line[:1])) + string(line[1:]), Emphasis: Subtle}), true
}
