package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A desk renders for the outbox what the ledger holds.
type desk struct{ core *Core }

var _ outbox.Renderer = desk{}

// Render implements [outbox.Renderer].
func (k desk) Render(ctx context.Context, s *outbox.Submission) (outbox.Rendering, error) {
	at := k.at(s)
	defer k.core.use(at)()
	a, err := k.answer(ctx, s)
	if err != nil {
		return outbox.Rendering{}, err
	}
	out, err := a.show(ctx, s.Target)
	if err != nil {
		return outbox.Rendering{}, err
	}
	r := outbox.Rendering{Plan: kept(out.plan), Renderer: out.by, Template: out.template, Coverage: out.coverage, Diagnostics: out.diagnostics}
	for _, c := range out.chunks {
		r.Parts = append(r.Parts, outbox.Part{Chunk: surface.Chunk{Text: c.Text, Plain: c.Plain, Native: c.Native, Blocks: c.Blocks}})
	}
	if at.lookOf(s.Target).Delivers == "packet" {
		p := a.packet(s.Target)
		p.JobID, p.Chunks, p.Coverage, p.Diagnostics = s.Job, out.chunks, out.coverage, out.diagnostics
		p.Renderer, p.Template, p.Recipe = out.by, out.template, out.plan.Recipe.ID
		if r.Body, err = packet.AppendDelivery(nil, &p, joined(out.chunks), k.core.now()); err != nil {
			return outbox.Rendering{}, err
		}
	}
	k.core.beside(func() { k.core.present(context.WithoutCancel(ctx), s, a, out) })
	k.core.leases.done(s.Job)
	return r, nil
}

// at is the epoch that a job goes by.
func (k desk) at(s *outbox.Submission) *snapshot {
	if at := k.core.leases.job(s.Job); at != nil {
		return at
	}
	return k.core.epochOf(s.Epoch)
}

// profile is that of what a job sends.
func (k desk) profile(s *outbox.Submission) surface.Profile { return k.at(s).lookOf(s.Target).Profile }

// joined is the text of all chunks.
func joined(chunks []packet.Chunk) string {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	return strings.Join(texts, "\n\n")
}

// answer is what a submission's record holds.
func (k desk) answer(ctx context.Context, s *outbox.Submission) (*Answer, error) {
	session, err := k.core.Session(ctx, s.Source.Session)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // it is read for whoever else needs it, too
	return k.prepare(ctx, session, k.at(s), s.Source, s.Turn, s.Kind, func() (*ledger.Message, error) {
		r, err := session.Entry(ctx, s.Source.Seq)
		if err != nil {
			return nil, err
		}
		m, ok := r.Body.(*ledger.Message)
		if !ok {
			return nil, fmt.Errorf("entry %s is no message", s.Source)
		}
		return m, nil
	})
}

// prepare compiles the message of an entry, with the cards that the tools of its
// turn handed over, once for all targets.
func (k desk) prepare(ctx context.Context, session *Session, at *snapshot, entry ledger.EntryID, turn ledger.TurnID, kind surface.Kind, read func() (*ledger.Message, error)) (*Answer, error) {
	return k.core.answers.of(entry, at, func() (*Answer, error) {
		m, err := read()
		if err != nil {
			return nil, err
		}
		d, err := restore(kind, m)
		if err != nil {
			return nil, fmt.Errorf("entry %s does not hold what a %s needs", entry, kind)
		}
		if templated(kind) && !turn.IsZero() {
			if d.Tools, err = session.tools(context.WithoutCancel(ctx), turn, entry.Seq); err != nil {
				return nil, err
			}
		}
		return k.core.prepare(d, at, entry)
	})
}

// Annotate implements [outbox.Renderer]. The words stand on a line of their own
// before everything else, in brackets, which no dialect takes for markup. Where
// there is no room the plain text is parted, and every piece says them.
func (k desk) Annotate(s *outbox.Submission, c surface.Chunk, words string) []surface.Chunk {
	p := k.profile(s)
	line := "(" + words + ")\n"
	noted := surface.Chunk{Text: line + c.Text, Plain: line + c.Plain, Blocks: c.Blocks}
	if fits(noted, p) {
		return []surface.Chunk{noted}
	}
	l := p.Limit
	if l.Max > 0 {
		l.Max -= len(line)
	}
	if l.MaxBytes > 0 {
		l.MaxBytes -= len(line)
	}
	out := pieces(c.Plain, c, l)
	for i := range out {
		out[i].Text, out[i].Plain = line+out[i].Text, line+out[i].Plain
	}
	return out
}

// Halve implements [outbox.Renderer].
func (k desk) Halve(s *outbox.Submission, c surface.Chunk) []surface.Chunk {
	l := k.profile(s).Limit
	half := cover.Units(sizeOf(c.Plain), l)/2 + 1
	l.Max, l.MaxBytes = half, 0
	return pieces(c.Plain, c, l)
}

// pieces parts plain text, each piece within a limit: at the end of a line or a
// word, where there is one in its second half.
func pieces(text string, of surface.Chunk, l surface.Limit) []surface.Chunk {
	var out []surface.Chunk
	for strings.TrimSpace(text) != "" {
		piece := text
		for first := range cuts(text, l) {
			piece = first
			break
		}
		next := strings.Index(text, piece) + len(piece) // cuts leaves out what is blank
		for _, at := range []string{"\n", " "} {
			if i := strings.LastIndex(piece, at); i > len(piece)/2 && next < len(text) {
				next -= len(piece) - i - 1
				piece = piece[:i]
				break
			}
		}
		out = append(out, surface.Chunk{Text: piece, Plain: piece, Blocks: of.Blocks})
		text = text[next:]
	}
	return out
}

// fits reports whether both forms of a chunk are within a profile's limit.
func fits(c surface.Chunk, p surface.Profile) bool {
	d, ok := dialect.ByName(p.Dialect)
	return ok && cover.Within(d.Measure([]byte(c.Text)), p.Limit) && cover.Within(sizeOf(c.Plain), p.Limit)
}

// packet assembles the packet of a job from what was submitted and what was
// rendered.
func (k desk) packet(ctx context.Context, s *outbox.Submission, r *outbox.Rendering) (packet.Packet, error) {
	a, err := k.answer(ctx, s)
	if err != nil {
		return packet.Packet{}, err
	}
	p := a.packet(s.Target)
	p.JobID, p.Actions = s.Job, s.Actions
	if r == nil {
		p.Chunks = []packet.Chunk{}
		return p, nil
	}
	if how, ok := planned(r.Plan); ok {
		p.Recipe = how.Recipe.ID
	}
	p.Coverage, p.Diagnostics, p.Renderer, p.Template = r.Coverage, r.Diagnostics, r.Renderer, r.Template
	profile := k.profile(s)
	for i, part := range r.Parts {
		p.Chunks = append(p.Chunks, measured(i, part.Chunk, profile))
	}
	return p, nil
}

// measured is a chunk with its size by the surface's dialect, or by its plain
// form where core does not know that.
func measured(i int, c surface.Chunk, p surface.Profile) packet.Chunk {
	size := sizeOf(c.Plain)
	if d, ok := dialect.ByName(p.Dialect); ok {
		size = d.Measure([]byte(c.Text))
	}
	return packet.Chunk{
		Index: i, Text: c.Text, Plain: c.Plain, Native: c.Native, Blocks: c.Blocks,
		Units: cover.Units(size, p.Limit), Bytes: len(c.Text),
	}
}
