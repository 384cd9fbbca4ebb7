package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// MaxSource is the size in bytes of the largest draft.
const MaxSource = compile.MaxSource

// A Draft is what an agent has to say. One with none of the typed contents is a
// text; the kinds system, developer, steering, tool_call and internal never go
// out.
type Draft struct {
	Markdown string
	Kind     surface.Kind // empty: that of the typed content, else Assistant

	// Metadata is what a template can show beside the text: "title", and whatever
	// else those who write templates know of. At most 32 entries; a key is a small
	// letter, then up to 63 of a-z, 0-9, '_', '.' and '-'; a value is up to 4 KiB of
	// UTF-8. It is part of what makes two drafts the same.
	Metadata map[string]string

	// Tools are the calls that led to it, in their order. They are for [Core.Render]:
	// what is delivered has its calls in the ledger, see [Turn.Append].
	Tools []ToolUse

	Alert      *Alert
	Approval   *Approval
	Progress   *Progress
	ToolResult *ToolResult
}

// An Answer is a compiled [Draft]. It is immutable and safe for concurrent use
// as long as its Core is open.
type Answer struct {
	core     *Core
	at       *snapshot // the epoch that it goes by
	of       *Answer   // that it is a copy of, which keeps the plugins callable
	kind     surface.Kind
	doc      *doc.Document
	deck     *deck
	tools    []ToolUse
	entry    string // of the ledger, that holds it; empty: none does
	signals  func() plan.SignalContext
	escaped  func() *doc.Document // the log's, where it differs
	failed   []doc.Diagnostic     // what core has to say about compiling
	frame    frame                // around the document
	metadata map[string]string
	actions  []surface.Action
	payload  []byte
	choice   *choice // nil: the template that the target wants
	source   string  // valid UTF-8
	exact    string  // base64 of the exact bytes where they are not UTF-8
}

// Render compiles d once and renders it for every target, all at the same
// time. The packets are in the order of the targets, and the same draft,
// targets and plugins give the same packets.
//
// A target may name a surface that no plugin provides: it gets plain text in
// chunks of 2000 code points and a diagnostic. Errors are of kind ErrTooLarge,
// ErrDraft or ErrTarget, or the context's own.
func (c *Core) Render(ctx context.Context, d Draft, targets ...surface.Target) ([]packet.Packet, error) {
	at := c.pinned()
	defer at.unpin()
	return c.render(ctx, at, d, targets)
}

// render is Render in an epoch that the caller has pinned.
func (c *Core) render(ctx context.Context, at *snapshot, d Draft, targets []surface.Target) ([]packet.Packet, error) {
	a, err := c.prepare(d, at, ledger.EntryID{})
	if err != nil {
		return nil, err
	}
	packets := make([]packet.Packet, len(targets))
	errs := make([]error, len(targets))
	var wg sync.WaitGroup
	for i, t := range targets {
		wg.Go(func() { packets[i], errs[i] = a.Render(ctx, t) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return packets, nil
}

// Prepare compiles d. It is the first half of [Core.Render], for callers that
// render one answer at different times. It goes by the epoch of now whenever it is
// rendered, and keeps the plugins of that callable for as long as it is reachable.
// Errors are of kind ErrTooLarge or ErrDraft.
func (c *Core) Prepare(d Draft) (*Answer, error) {
	at := c.pinned()
	a, err := c.prepare(d, at, ledger.EntryID{})
	if err != nil {
		at.unpin()
		return nil, err
	}
	runtime.AddCleanup(a, func(at *snapshot) { at.unpin() }, at)
	return a, nil
}

// prepare is Prepare in some epoch, for what an entry of the ledger holds, or none.
// It pins nothing.
func (c *Core) prepare(d Draft, at *snapshot, entry ledger.EntryID) (*Answer, error) {
	kind, err := c.accept(&d)
	if err != nil {
		return nil, err
	}
	a := &Answer{core: c, at: at, kind: kind, actions: d.actions(), metadata: maps.Clone(d.Metadata)}
	if !entry.IsZero() {
		a.entry = entry.String()
	}
	if templated(kind) {
		a.tools = slices.Clone(d.Tools)
	}
	a.deck = newDeck(at.know, a.tools)
	a.doc, err = contain("compile", func() (*doc.Document, error) { return a.deck.compose(d.Markdown) })
	if err != nil {
		c.log.Error("compile failed", "cause", cause(err), "stack", stack(err))
		a.doc = asSource(d.Markdown, "compile_failed")
		a.failed = append(a.failed, doc.Diagnostic{Code: "compile_failed", Severity: doc.Error, Message: "The answer is shown as its source: " + cause(err) + "."})
	}
	a.signals = sync.OnceValue(func() plan.SignalContext { return a.deck.know.planner().Signals(a.facts()) })
	a.escaped = a.escapedDocument(d.Markdown)
	a.frame = d.frame(len(a.doc.Blocks))
	a.source, a.exact = packet.Exact(d.Markdown)
	a.payload, err = contain("encode", func() ([]byte, error) { return d.payload(a.doc), nil })
	if err != nil {
		c.log.Error("encoding the document failed", "cause", cause(err), "stack", stack(err))
		a.failed = append(a.failed, doc.Diagnostic{Code: "payload_failed", Severity: doc.Error, Message: "The packet holds no document: " + cause(err) + "."})
	}
	return a, nil
}

func tooLarge(n int) error {
	return &Error{
		Kind: ErrTooLarge,
		What: fmt.Sprintf("the source has %d bytes and the limit is %d (4 MiB)", n, MaxSource),
		Mend: "split it, or send it as a file",
	}
}

// textKind checks that k is a kind whose whole content is one text.
func textKind(k surface.Kind) (surface.Kind, error) {
	switch k {
	case "":
		return surface.Assistant, nil
	case surface.Assistant, surface.TaskSummary, surface.User:
		return k, nil
	case surface.Alert, surface.Approval, surface.Progress, surface.ToolResult:
		return "", &Error{Kind: ErrDraft, What: "a draft of markdown alone cannot be of kind " + string(k), Mend: "use assistant, task_summary or user"}
	}
	return "", &Error{Kind: ErrDraft, What: fmt.Sprintf("an answer of kind %q may not go out", string(k)), Mend: "use assistant, task_summary or user"}
}

// asSource is the document that shows source as it is.
func asSource(source, reason string) *doc.Document {
	d := &doc.Document{Version: doc.SchemaVersion, Source: source}
	if text := printable(source); strings.TrimSpace(text) != "" {
		d.Blocks = []doc.Block{&doc.RawMarkdown{ID: "1", Markdown: text, Reason: reason}}
	}
	return d
}

// A panicError is a panic that was turned into an error.
type panicError struct {
	stage string
	what  string
	stack []byte
}

func (e *panicError) Error() string { return e.stage + " stopped: " + e.what }

// contain calls f and turns a panic into an error. A panic's value may hold
// message text, so only what the runtime itself says is kept of it.
func contain[T any](stage string, f func() (T, error)) (v T, err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		e := &panicError{stage: stage, what: fmt.Sprintf("panic of type %T", p), stack: debug.Stack()}
		err = e
	}()
	return f()
}

// stack is where err came from, for the log.
func stack(err error) string {
	if p, ok := errors.AsType[*panicError](err); ok {
		return string(p.stack)
	}
	return ""
}
