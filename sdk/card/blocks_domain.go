package card

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What is made of recipes, research and previews.

func (l *lowerer) recipe(p *place, b Recipe, level int) {
	if b.Title != "" {
		l.heading(p, level, b.Title)
		level++
	}
	l.paragraphs(p, b.Summary)
	if !b.Servings.IsZero() && !b.Servings.IsNull() {
		l.paragraph(p, join(l.key(l.w.servings), l.line(b.Servings.String())))
	}
	if len(b.Ingredients) > 0 {
		l.heading(p, level, l.w.ingredients)
		l.entries(p, false, len(b.Ingredients), func(i int, p *place) doc.Task {
			it := b.Ingredients[i]
			says := it.Unit
			if !it.Amount.IsZero() && !it.Amount.IsNull() {
				says = amount(it.Amount, it.Unit)
			}
			l.paragraphs(p, strings.TrimSpace(says+" "+it.Name))
			return doc.NoTask
		})
	}
	if len(b.Steps) > 0 {
		l.heading(p, level, l.w.steps)
		l.steps(p, b.Steps)
	}
}

// research adds findings that refer to their sources by number, and the sources.
func (l *lowerer) research(p *place, b Research, level int) {
	if b.Title != "" {
		l.heading(p, level, b.Title)
		level++
	}
	l.paragraphs(p, b.Summary)
	l.entries(p, false, len(b.Takeaways), func(i int, p *place) doc.Task {
		it := b.Takeaways[i]
		refs := ""
		for _, n := range it.Sources {
			refs += " [" + strconv.Itoa(n) + "]"
		}
		l.phrase(p, phrase{text: it.Text, behind: l.line(refs)})
		return doc.NoTask
	})
	if len(b.Sources) > 0 {
		l.heading(p, level, l.w.sources)
		l.citations(p, b.Sources)
	}
}

func (l *lowerer) uiPreview(p *place, b UIPreview, level int) {
	l.heading(p, level, b.Title)
	var ins []doc.Inline
	if b.Status != "" {
		says := b.Status.word()
		if mark := b.Status.mark(); mark != "" {
			says = mark + " " + says
		}
		ins = join(l.key(l.w.status), l.line(says))
	}
	if path := l.code(b.ArtifactPath); len(path) > 0 {
		if len(ins) > 0 {
			ins = append(ins, l.hard())
		}
		ins = join(ins, l.key(l.w.path), path)
	}
	l.paragraph(p, ins)
	l.codeBlock(p, "html", b.HTML)
}
