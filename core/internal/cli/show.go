package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// packets appends every packet for a person. surfaces are theirs, in order.
func (l look) packets(dst []byte, packets []packet.Packet, surfaces []core.Surface) []byte {
	for i := range packets {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = l.packet(dst, &packets[i], surfaces[i].Profile)
	}
	return dst
}

func (l look) packet(dst []byte, p *packet.Packet, profile surface.Profile) []byte {
	written := profile.Dialect
	if p.Renderer.ID == core.PlainRenderer {
		written = dialect.PlainText.Name()
	}
	dst = l.header(dst, p, written)
	k, ok := dialect.ByName(written)
	if !ok {
		k = dialect.PlainText
	}
	for _, c := range p.Chunks {
		dst = l.box(dst, chunkHead(c, len(p.Chunks), k, profile.Limit), c.Text)
	}
	if len(p.Chunks) == 0 {
		dst = l.paint(dst, dim, "  (nothing to send)")
		dst = append(dst, '\n')
	}
	dst = l.coverage(dst, p.Coverage)
	for _, d := range p.Diagnostics {
		dst = l.diagnostic(dst, d)
	}
	return dst
}

func (l look) header(dst []byte, p *packet.Packet, written string) []byte {
	by := strings.TrimSpace(p.Renderer.ID + " " + p.Renderer.Version)
	if t := p.Template; t != nil {
		written += " · template " + visible(t.ID)
		if t.Revision > 0 {
			written += " " + strconv.Itoa(t.Revision)
		}
	}
	facts := truncate(fmt.Sprintf("%s · %s · %s", by, written, count(len(p.Chunks), "chunk")), l.width-displaywidth.String(p.Surface)-10)
	dst = l.paint(dst, dim, "━━ ")
	dst = l.paint(dst, title, p.Surface)
	dst = l.paint(dst, dim, " ━━ ")
	dst = append(dst, facts...)
	rest := l.width - displaywidth.String(p.Surface) - displaywidth.String(facts) - 8
	dst = l.paint(dst, dim, " "+strings.Repeat("━", max(rest, 0)))
	return append(dst, '\n')
}

// chunkHead is the upper border of a chunk: which of how many, its size against
// the limit in the platform's unit, and the other figures that platforms bound.
func chunkHead(c packet.Chunk, of int, k dialect.Dialect, lim surface.Limit) string {
	size := thousands(c.Units)
	if lim.Max > 0 {
		size += " of " + thousands(lim.Max)
	}
	s := fmt.Sprintf("%d/%d · %s %s", c.Index+1, of, size, unitName[lim.Unit])
	if lim.Of == surface.Visible {
		s += " visible"
	}
	if lim.Unit != surface.Byte || lim.Of == surface.Visible {
		s += " · " + thousands(c.Bytes) + " bytes"
	}
	if lim.MaxEntities > 0 {
		s += " · " + count(k.Measure([]byte(c.Text)).Entities, "entity")
	}
	return s
}

var unitName = map[surface.Unit]string{surface.UTF16: "utf16", surface.Codepoint: "codepoints", surface.Byte: "bytes"}

// coverage sums up how the blocks reached the reader, and names those that did
// not get there with all that they mean.
func (l look) coverage(dst []byte, c packet.Coverage) []byte {
	dst = append(dst, "   coverage "...)
	if len(c.Blocks) == 0 {
		return append(dst, "no blocks\n"...)
	}
	n := map[surface.Disposition]int{}
	var reasons []string
	where := map[string][]string{}
	for _, b := range c.Blocks {
		n[b.Disposition]++
		if b.Disposition == surface.AsNative {
			continue
		}
		reason := string(b.Disposition) + "(" + b.Reason + ")"
		if where[reason] == nil {
			reasons = append(reasons, reason)
		}
		where[reason] = append(where[reason], string(b.Kind)+" "+string(b.ID))
	}
	dst = l.paint(dst, good, fmt.Sprintf("%d native", n[surface.AsNative]))
	if k := n[surface.AsFallback]; k > 0 {
		dst = append(dst, " · "...)
		dst = l.paint(dst, notice, fmt.Sprintf("%d fallback", k))
	}
	if k := n[surface.Omitted]; k > 0 {
		dst = append(dst, " · "...)
		dst = l.paint(dst, notice, fmt.Sprintf("%d omitted", k))
	}
	dst = l.paint(dst, dim, " · "+string(c.Basis))
	dst = append(dst, '\n')
	for _, r := range reasons {
		dst = append(dst, "            "...)
		dst = l.paint(dst, notice, visible(r))
		dst = append(dst, ' ')
		dst = append(dst, visible(listed(where[r], 6))...)
		dst = append(dst, '\n')
	}
	return dst
}

func (l look) diagnostic(dst []byte, d doc.Diagnostic) []byte {
	st, severity := dim, string(d.Severity)
	switch d.Severity {
	case doc.Error:
		st = bad
	case doc.Warning:
		st = notice
	default:
		severity = string(doc.Info)
	}
	text := d.Code
	if d.Block != "" {
		text += " (block " + string(d.Block) + ")"
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	dst = l.paint(dst, st, fmt.Sprintf("%11s ", severity))
	lead := ""
	for piece := range wrap(visible(text), l.width-12) {
		dst = append(dst, lead...)
		dst = append(dst, piece...)
		dst = append(dst, '\n')
		lead = strings.Repeat(" ", 12)
	}
	return dst
}

// listed joins words, naming at most a few.
func listed(words []string, most int) string {
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
}

func count(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return thousands(n) + " " + noun
}
