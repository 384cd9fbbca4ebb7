package card

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// What is made of pictures, sounds, files and pages.

func (l *lowerer) picture(p *place, source, alt, mediaType, caption string) {
	source, alt, caption = oneLine(source), oneLine(alt), oneLine(caption)
	if source+alt+caption == "" {
		return
	}
	l.parts++
	p.add(&doc.Media{ID: p.next(), Source: source, Alt: alt, MediaType: oneLine(mediaType), Caption: caption})
}

func (l *lowerer) media(p *place, b Media) {
	kind, _, _ := strings.Cut(strings.ToLower(b.MediaType), "/")
	switch kind {
	case "image":
		l.picture(p, b.Source, b.Alt, b.MediaType, b.Caption)
	case "audio":
		l.linked(p, l.w.audio, b.Source, b.Alt, b.MediaType, b.Caption)
	case "video":
		l.linked(p, l.w.video, b.Source, b.Alt, b.MediaType, b.Caption)
	default:
		l.linked(p, "", b.Source, b.Alt, b.MediaType, b.Caption)
	}
}

// linked adds what a text surface cannot play as a link, and what it is.
func (l *lowerer) linked(p *place, kind, source, alt, mediaType, caption string) {
	ins := l.link(source, alt)
	if kind != "" && len(ins) > 0 {
		ins = join(l.line(kind+": "), ins)
	}
	l.phrase(p, phrase{before: ins, behind: l.kinds(mediaType, Scalar{}), detail: caption, below: true})
}

// kinds is " (PDF, 1.2 MB)", as far as it is known.
func (l *lowerer) kinds(media string, bytes Scalar) []doc.Inline {
	says := mediaType(oneLine(media))
	if !bytes.IsZero() && !bytes.IsNull() {
		if says != "" {
			says += ", "
		}
		says += l.w.size(bytes)
	}
	if says == "" {
		return nil
	}
	return l.line(" (" + says + ")")
}

func (l *lowerer) file(p *place, b File) {
	ins := l.link(b.Source, b.Name)
	if len(ins) > 0 {
		ins = join(l.line("📎 "), ins)
	}
	l.phrase(p, phrase{before: ins, behind: l.kinds(b.MediaType, b.Bytes), detail: b.Alt, below: true})
}

func (l *lowerer) linkPreview(p *place, b LinkPreview) {
	ins := l.link(b.URL, b.Title)
	if site := l.line(b.Site); len(site) > 0 {
		ins = join(ins, l.some(l.plain(" — ")), site)
	}
	l.phrase(p, phrase{before: ins, detail: b.Description, below: true})
	if b.Image != "" {
		l.picture(p, b.Image, l.w.picture, "", "")
	}
}

// citations adds sources, numbered from 1.
func (l *lowerer) citations(p *place, items []Citation) {
	c := &doc.Citations{ID: p.next()}
	shown := l.each(len(items), func(i int) {
		it := items[i]
		inner := &place{id: c.ID.Child(i + 1)}
		from := it.SourceName
		if from != "" && it.PublishedAt != "" {
			from += ", "
		}
		l.phrase(inner, phrase{before: l.italic(l.line(from + it.PublishedAt)), detail: it.Snippet, below: true})
		url, title := oneLine(it.URL), oneLine(it.Title)
		if title == url {
			title = "" // an address without a title stands for itself
		}
		l.parts++
		c.Items = append(c.Items, doc.Citation{Label: strconv.Itoa(i + 1), URL: url, Title: title, Blocks: inner.blocks})
	})
	if len(c.Items) > 0 {
		p.add(c)
	}
	l.left(p, shown, len(items), l.w.itemsOf)
}
