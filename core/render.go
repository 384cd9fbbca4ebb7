package core

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Render renders the answer for one target. Its errors are of kind ErrTarget,
// or the context's own.
func (a *Answer) Render(ctx context.Context, t surface.Target) (packet.Packet, error) {
	if t.Surface == "" {
		return packet.Packet{}, &Error{Kind: ErrTarget, What: "a target names no surface", Mend: "set its Surface"}
	}
	out, err := a.show(ctx, t)
	runtime.KeepAlive(a) // its plugins are callable until it is collected
	if err != nil {
		return packet.Packet{}, err
	}
	p := a.packet(t)
	p.Chunks, p.Coverage, p.Diagnostics, p.Renderer, p.Template = out.chunks, out.coverage, out.diagnostics, out.by, out.template
	p.Recipe = out.plan.Recipe.ID
	return p, nil
}

// packet is what a packet for t holds before anything is rendered.
func (a *Answer) packet(t surface.Target) packet.Packet {
	return packet.Packet{
		SchemaVersion:    packet.SchemaVersion,
		Target:           t.String(),
		Surface:          t.Surface,
		Kind:             a.kind,
		Payload:          a.payload,
		FallbackMarkdown: a.source,
		FallbackB64:      a.exact,
		Actions:          a.actions,
		Epoch:            a.at.Number,
		Recipe:           plan.Basic,
	}
}

// shown is an answer on one surface.
type shown struct {
	chunks      []packet.Chunk
	coverage    packet.Coverage
	diagnostics []doc.Diagnostic
	by          packet.Renderer
	template    *packet.Template
	plan        plan.Plan
}

// show has the surface's renderer render the answer, checks what comes back,
// and renders plain where the check fails. It fails only with ctx.
func (a *Answer) show(ctx context.Context, t surface.Target) (shown, error) {
	id := t.Surface
	s, known := a.at.surface(id)
	look := a.at.lookOf(t)
	s.ID, s.Profile = id, look.Profile
	v := a.viewFor(t)
	how := a.plan(v, s)
	a.deck.spread(ctx, &v, look, a.entry)
	said := append(append(append([]doc.Diagnostic{}, a.doc.Diagnostics...), a.failed...), v.said...)
	out, err := a.rendered(ctx, s, known, v, said)
	out.plan = how
	return out, err
}

// rendered is the view as the surface's renderer shows it, else plain.
func (a *Answer) rendered(ctx context.Context, s Surface, known bool, v view, said []doc.Diagnostic) (shown, error) {
	if !known {
		said = append(said, doc.Diagnostic{Code: "unknown_surface", Severity: doc.Warning, Message: "No plugin provides this surface; it gets plain text."})
		return a.plain(ctx, s.Profile, v, said)
	}
	out, err := contain("rendering", func() (shown, error) { return a.native(ctx, s, v) })
	if err == nil {
		out.diagnostics = append(said, out.diagnostics...)
		return out, nil
	}
	if ctx.Err() != nil {
		return shown{}, ctx.Err()
	}
	a.core.log.Warn("rendered plain instead of by the plugin", "surface", s.ID, "cause", cause(err), "stack", stack(err))
	return a.plain(ctx, s.Profile, v, append(said, explain(s.ID, err)...))
}

// native renders by the surface's own renderer and checks the result.
func (a *Answer) native(ctx context.Context, s Surface, v view) (shown, error) {
	if s.Err != nil {
		return shown{}, s.Err
	}
	d := doc.Lower(a.frame.around(v.doc, s.Profile.Can.Actions), doc.Support{Version: s.info.DocVersion, Blocks: s.info.Blocks})
	k, _ := dialect.ByName(s.Profile.Dialect)
	if !visible(d) {
		out, err := check(d, s.Profile, surface.Rendering{}, k)
		out.by = packet.Renderer{ID: s.ID, Version: s.Version}
		return out, err
	}
	actions := a.buttons(s.Profile)
	r, by, err := a.core.host.Render(ctx, s.key, surface.RenderRequest{Doc: d, Profile: s.Profile, Kind: a.kind, Actions: actions})
	if err != nil {
		return shown{}, err
	}
	r.Notes = append(r.Notes, v.notes...)
	out, err := check(d, s.Profile, r, k, actions...)
	out.by, out.template = packet.Renderer{ID: by.ID, Version: by.Version}, v.template
	return out, err
}

// A loss is a rendering that does not show all that it must, or breaks a limit.
type loss []cover.Loss

func (l loss) Error() string {
	return fmt.Sprintf("the rendering does not pass the check, %d times", len(l))
}

// check holds a rendering of d against every rule, whoever made it, and measures
// its chunks. k is nil for a dialect that core has no reader for; actions are
// those that its renderer was given.
func check(d *doc.Document, p surface.Profile, r surface.Rendering, k dialect.Dialect, actions ...surface.Action) (shown, error) {
	report := cover.Check(d, p, r, k, actions...)
	if len(report.Losses) > 0 {
		return shown{}, loss(report.Losses)
	}
	out := shown{chunks: make([]packet.Chunk, len(r.Chunks)), coverage: report.Coverage, diagnostics: r.Diagnostics}
	for i, c := range r.Chunks {
		out.chunks[i] = packet.Chunk{
			Index: i, Text: c.Text, Plain: c.Plain, Native: c.Native,
			Units: cover.Units(report.Sizes[i], p.Limit), Bytes: len(c.Text), Blocks: c.Blocks,
		}
	}
	if len(r.Chunks) == 0 {
		out.diagnostics = append(out.diagnostics, doc.Diagnostic{Code: "empty", Severity: doc.Info, Message: "The answer shows nothing, so nothing is sent."})
	}
	return out, nil
}

// visible reports whether d has anything that a reader must see.
func visible(d *doc.Document) bool {
	for _, b := range d.Blocks {
		if doc.Shows(b) {
			return true
		}
	}
	return false
}

// explain says why a surface's renderer was not used, as diagnostics.
func explain(id string, err error) []doc.Diagnostic {
	lost, ok := errors.AsType[loss](err)
	if !ok {
		return []doc.Diagnostic{{Code: "renderer_failed", Severity: doc.Error, Message: "Rendered plain, not by " + id + ": " + cause(err) + "."}}
	}
	const most = 20
	out := make([]doc.Diagnostic, 0, min(len(lost), most)+1)
	for _, l := range lost[:min(len(lost), most)] {
		d := doc.Diagnostic{Code: "renderer_" + string(l.What), Severity: doc.Error, Block: l.Block}
		where := ""
		if l.Chunk >= 0 {
			where = fmt.Sprintf("chunk %d: ", l.Chunk+1)
		}
		what := lossWords[l.What]
		if what == "" {
			what = string(l.What)
		}
		d.Message = "Rendered plain, not by " + id + ": " + where + what + "."
		out = append(out, d)
	}
	if n := len(lost) - most; n > 0 {
		out = append(out, doc.Diagnostic{Code: "renderer_more", Severity: doc.Error, Message: fmt.Sprintf("And %d more of the kind.", n)})
	}
	return out
}

// lossWords says what is wrong with a rendering.
var lossWords = map[cover.What]string{
	cover.MissingText:   "text was lost or moved",
	cover.MissingTarget: "an address was lost",
	cover.MissingNumber: "the number of an item was lost",
	cover.MissingTask:   "the state of a task was lost",
	cover.MissingCell:   "a table cell was lost",
	cover.WrongChunk:    "a chunk shows a block that it does not name",
	cover.UnknownBlock:  "it names a block that there is not",
	cover.PlainLost:     "the plain form lost something",
	cover.TooLong:       "it exceeds the limit",
	cover.PlainTooLong:  "its plain form exceeds the limit",
	cover.EmptyChunk:    "it shows nothing",
	cover.InvalidUTF8:   "it is not valid UTF-8",
	cover.Control:       "it holds a control character",
	cover.Excess:        "it shows much that is not in the answer",
	cover.TooCostly:     "the text repeats itself too much to be checked",
}

// cause is err in words that hold no text of the message and no path of this
// machine. What a plugin says may hold the former, what the host says the
// latter, so of both only the kind is told; the host logs the rest.
func cause(err error) string {
	if e, ok := errors.AsType[*host.Error](err); ok {
		if words := hostWords[e.Kind]; words != "" {
			return words
		}
		return string(e.Kind)
	}
	if e, ok := errors.AsType[*panicError](err); ok {
		return e.Error()
	}
	if lost, ok := errors.AsType[loss](err); ok {
		return lost.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "it took too long"
	}
	return fmt.Sprintf("error of type %T", err)
}

// hostWords says what became of a call to a renderer.
var hostWords = map[host.Kind]string{
	host.Invalid:      "it could not read the request",
	host.Failed:       "its renderer failed",
	host.Panic:        "its renderer panicked",
	host.Contract:     "its answer breaks the protocol",
	host.TooLarge:     "request or answer is over 16 MiB",
	host.Deadline:     "it took too long",
	host.Unavailable:  "its process ended",
	host.NotFound:     "the plugin of its epoch is no longer installed",
	host.Revoked:      "the plugin is revoked",
	host.BadManifest:  "the plugin is broken, see \"vak plugin list\"",
	host.Untrusted:    "the binary is not the one that its manifest names",
	host.StartFailed:  "its process did not start",
	host.Incompatible: "it is not what its manifest says, or speaks another protocol",
	host.Duplicate:    "an earlier plugin has the same id",
	host.Unsandboxed:  "it may only run in a sandbox, and there is none",
	host.BackingOff:   "it failed a moment ago and is not tried again yet",
	host.Quarantined:  "it failed too often and is quarantined",
}
