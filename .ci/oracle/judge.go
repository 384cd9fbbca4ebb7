package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Verdict is what an oracle says of one document on one surface.
type Verdict struct {
	ID, Surface string
	Faults      []string       // anything here fails
	Chunks      int            //
	Nodes       map[string]int // constructs that have to show, by kind
	Bad         map[string]int // those that do not and that no note owns up to
	Excused     map[string]int // those that do not and that a note owns up to, by reason
	Letters     string         // letters and digits of the document as shown, addresses left out
}

// Judge compares what the foreign parser sees in the chunks of p with what d
// demands. d is the document as the renderer got it; nil: what a card becomes is
// judged by the goldens of core/internal/acceptance, and the parser says here whether
// its markup is sound and nothing in it is live.
func Judge(id string, d *doc.Document, p *packet.Packet, parser Parser) Verdict {
	v := Verdict{ID: id, Surface: p.Surface, Chunks: len(p.Chunks),
		Nodes: map[string]int{}, Bad: map[string]int{}, Excused: map[string]int{}}
	fault := func(format string, args ...any) { v.Faults = append(v.Faults, fmt.Sprintf(format, args...)) }

	if p.Renderer.ID == "core/plain" {
		// What core renders itself is sent without markup; no parser reads it.
		fault("rendered by core/plain%s", why(p))
		return v
	}
	var glyphs []glyph
	for i, c := range p.Chunks {
		if !utf8.ValidString(c.Text) {
			fault("chunk %d is not UTF-8", i)
		}
		r, err := parser.Read(c.Text)
		if err != nil {
			fault("chunk %d refused: %v in %q", i, err, clip(c.Text, 400))
			continue
		}
		for _, f := range r.Faults {
			fault("chunk %d: %s", i, f)
		}
		for _, l := range r.Live {
			fault("chunk %d: live token %s", i, l)
		}
		glyphs = appendGlyphs(glyphs, i, r.Runs)
	}

	if d == nil {
		return v
	}
	e := expect(d)
	a := align(e, glyphs)
	for _, m := range a.missing {
		fault("lost: %s", m)
	}
	for _, x := range a.extra {
		fault("shown without being in the document: %q", clip(x, 80))
	}
	v.nodes(e, a, p, parser)
	v.links(e, a)
	v.Letters = letters(e, a)
	return v
}

// HoldsCard reports whether p has a card in it, which no markdown stands for.
func HoldsCard(p *packet.Packet) bool {
	return bytes.Contains(p.Payload, []byte(`"type":"structured"`))
}

// OK reports whether nothing is wrong.
func (v *Verdict) OK() bool { return len(v.Faults) == 0 }

func why(p *packet.Packet) string {
	var codes []string
	for _, d := range p.Diagnostics {
		codes = append(codes, d.Code+": "+d.Message)
	}
	if codes == nil {
		return ""
	}
	return " (" + strings.Join(codes, "; ") + ")"
}

// nodes checks that the text of every node looks the way the node says.
func (v *Verdict) nodes(e *expectation, a *alignment, p *packet.Packet, parser Parser) {
	notes := notes(p)
	type seen struct {
		text      []rune
		bad       []rune
		lang      string
		linked    bool // some text of it leads to its address
		unlinked  bool // some does not
		code      bool // some of it is code
		addressed bool // its address was printed and leads there
	}
	all := make([]seen, len(e.nodes))
	for i, pc := range e.pieces {
		if pc.cell > 0 {
			continue // tables become grids, where nothing is marked up
		}
		code := slices.ContainsFunc(pc.nodes, func(n int) bool { return e.nodes[n].style&(Code|Pre) != 0 })
		for _, n := range pc.nodes {
			nd, s := &e.nodes[n], &all[n]
			if nd.style == Link {
				for _, g := range a.at[i] {
					// Telegram has no code in a label; what is beside it leads on.
					if code && p.Surface == "telegram" && pc.role == doc.RoleText {
						s.code = true
						continue
					}
					led := a.glyphs[g].style&Link != 0 && sameAddress(a.glyphs[g].href, nd.href)
					if pc.role == doc.RoleTarget {
						s.addressed = s.addressed || led
					} else {
						s.linked, s.unlinked = s.linked || led, s.unlinked || !led
					}
				}
				if pc.role == doc.RoleText && !(code && p.Surface == "telegram") {
					s.text = append(s.text, visible(pc.text)...)
				}
				continue
			}
			// A printed address is not what the author set in bold.
			if pc.role == doc.RoleTarget {
				if nd.style != Quote {
					continue
				}
			}
			// Telegram has no bold code: code excludes every other style.
			if code && nd.style&(Strong|Emphasis|Strike|Spoiler) != 0 && p.Surface == "telegram" {
				continue
			}
			// Slack has no fence in a quote: a fence ends it.
			if nd.style == Quote && p.Surface == "slack" && slices.ContainsFunc(pc.nodes, func(n int) bool { return e.nodes[n].style == Pre }) {
				continue
			}
			// In Slack and Discord a code span in a heading is code enough.
			if code && nd.kind == "heading" {
				continue
			}
			for _, g := range a.at[i] {
				gl := &a.glyphs[g]
				s.text = append(s.text, gl.r)
				ok := gl.style&nd.style != 0 || nd.style == Strong && gl.style&Heading != 0
				if nd.style == Pre && ok && s.lang == "" {
					s.lang = gl.lang
				}
				if !ok {
					s.bad = append(s.bad, gl.r)
				}
			}
		}
	}
	for n := range e.nodes {
		nd, s := &e.nodes[n], &all[n]
		wrong := ""
		switch {
		case nd.style == Link:
			if len(s.text) == 0 && !s.addressed {
				continue // nothing of it can be seen; align has complained if it had to be
			}
			if (!s.linked || s.unlinked) && !s.addressed {
				wrong = "leads nowhere"
			} else if p.Surface == "telegram" && nd.label && nd.kind == "link" && !s.linked && !s.code && len(s.text) > 0 {
				wrong = "is not behind its label"
			}
			if wrong != "" && !links(parser, nd.href) {
				wrong = "" // printed: align has seen to that
			}
		case len(s.text) == 0:
			continue
		case len(s.bad) > 0:
			wrong = fmt.Sprintf("is not %v in %q", nd.style, clip(string(s.bad), 60))
		case nd.style == Pre && speaks(p.Surface, nd.lang) && !strings.EqualFold(s.lang, nd.lang):
			wrong = fmt.Sprintf("has language %q, want %q", s.lang, nd.lang)
		}
		v.Nodes[nd.kind]++
		if wrong == "" {
			continue
		}
		if reason, ok := notes.excuse(nd); ok {
			v.Excused[reason]++
			continue
		}
		v.Bad[nd.kind]++
		v.Faults = append(v.Faults, fmt.Sprintf("%s %q of block %s %s", nd.kind, clip(string(s.text), 60)+arrow(nd.href), nd.block, wrong))
	}
}

func arrow(href string) string {
	if href == "" {
		return ""
	}
	return " → " + clip(href, 80)
}

// Names of languages that a fence can have. Discord's own name for c++ is cpp,
// and so on for names with signs in them.
var languageName = map[string]*regexp.Regexp{
	"telegram": regexp.MustCompile(`^[A-Za-z0-9_+.#-]+$`),
	"discord":  regexp.MustCompile(`^[A-Za-z0-9-]+$`),
}

// speaks reports whether a fence on the surface can say that it is lang.
func speaks(on, lang string) bool {
	re := languageName[on]
	return re != nil && re.MatchString(lang)
}

// links checks that nothing leads to where the document does not point.
func (v *Verdict) links(e *expectation, a *alignment) {
	known := map[string]bool{}
	for h := range e.hrefs {
		known[canonical(h)] = true
	}
	bad := map[string]bool{}
	for i, g := range a.glyphs {
		if g.style&Link == 0 || known[canonical(g.href)] || bad[g.href] {
			continue
		}
		// Clients make a link of any address in the text; one that shows where
		// it leads deceives nobody.
		from := i
		for from > 0 && a.glyphs[from-1].href == g.href {
			from--
		}
		if a.matches(visible(g.href), from) {
			continue
		}
		bad[g.href] = true
	}
	for _, h := range slices.Sorted(maps.Keys(bad)) {
		v.Faults = append(v.Faults, fmt.Sprintf("leads to %q, which is not in the document", clip(h, 120)))
	}
}

// noted is what the packet owns up to, by block.
type noted map[doc.ID]string

func notes(p *packet.Packet) noted {
	n := noted{}
	for _, b := range p.Coverage.Blocks {
		if b.Disposition == surface.AsFallback {
			n[b.ID] = b.Reason
		}
	}
	return n
}

// excuse returns the reason that the packet gives for a node that does not look
// as it should. A note on a block speaks for what is inside of it.
func (n noted) excuse(nd *node) (string, bool) {
	for id := string(nd.block); id != ""; {
		if reason, ok := n[doc.ID(id)]; ok {
			return reason, true
		}
		i := strings.LastIndexByte(id, '.')
		if i < 0 {
			break
		}
		id = id[:i]
	}
	return "", false
}

// letters is the text of the document the way that the surface shows it, so that
// surfaces can be compared: what is left when markup, decoration and addresses
// are taken away.
func letters(e *expectation, a *alignment) string {
	var b strings.Builder
	skip := map[int]bool{}
	for i := range e.pieces {
		if e.pieces[i].role == doc.RoleTarget {
			for _, g := range a.at[i] {
				skip[g] = true
			}
		}
	}
	for i := range a.glyphs {
		if !skip[i] && !a.glyphs[i].added && wordRune(a.glyphs[i].r) {
			b.WriteRune(a.glyphs[i].r)
		}
	}
	return b.String()
}

func clip(s string, n int) string {
	rs := []rune(s)
	if len(rs) <= n {
		return s
	}
	return string(rs[:n]) + "…"
}
