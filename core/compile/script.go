package compile

import "strings"

// setScript rewrites the text of a <sup> or <sub> that is being closed.
func (p *inliner) setScript(o *opener) {
	if o.cont != contSuper && o.cont != contSub {
		return
	}
	if int(o.token) == len(p.tokens)-2 {
		if t := &p.tokens[o.token+1]; t.kind == tokenText {
			if s := scriptText(p.s[t.start:t.end], o.cont == contSuper); s != "" {
				*t = token{kind: tokenStr, a: p.str(s)}
			}
		}
	}
	o.cont = contNone
}

const (
	scriptFrom = "0123456789+-=()n"
	superTo    = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ"
	subTo      = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ"
)

// scriptText sets a short super- or subscript in the characters made for it, so
// that ten to the sixth does not read as a hundred and six. It returns "" if
// there are none.
func scriptText(s string, super bool) string {
	to := []rune(subTo)
	if super {
		to = []rune(superTo)
	}
	var out strings.Builder
	for i := range len(s) {
		n := strings.IndexByte(scriptFrom, s[i])
		if n < 0 {
			return ""
		}
		out.WriteRune(to[n])
	}
	return out.String()
}
