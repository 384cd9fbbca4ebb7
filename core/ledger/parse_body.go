package ledger

import (
	"bytes"

	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// kindOf is w as a kind; kinds that are known need no memory.
func kindOf(w []byte) Kind {
	for _, k := range [...]Kind{KindTurn, KindMessage, KindToolCall, KindToolResult, KindActivity, KindPresentation} {
		if string(w) == string(k) {
			return k
		}
	}
	return Kind(w)
}

// newBody makes what a record of a kind is read into, nil if it is not known.
func newBody(k Kind) body {
	switch k {
	case KindTurn:
		return &Turn{}
	case KindMessage:
		return &Message{}
	case KindToolCall:
		return &ToolCall{}
	case KindToolResult:
		return &ToolResult{}
	case KindActivity:
		return &Activity{}
	case KindPresentation:
		return &Presentation{}
	}
	return nil
}

func (t *Turn) text(name []byte) *string {
	switch string(name) {
	case "digest":
		return &t.Digest
	case "key":
		return &t.Key
	case "reason":
		return &t.Reason
	}
	return nil
}

func (t *Turn) member(p *parser, name []byte) bool {
	switch string(name) {
	case "phase":
		closedWord(p, &t.Phase, Begin, End)
	case "epoch":
		p.number(&t.Epoch)
	case "status":
		closedWord(p, &t.Status, Complete, Partial, Failed, Cancelled)
	default:
		return false
	}
	return true
}

func (t *Turn) check(p *parser) {
	switch {
	case t.Phase == "":
		p.fail(ErrInvalid, "no phase")
	case (t.Phase == End) != (t.Status != ""):
		p.fail(ErrInvalid, "the end of a turn has a status, its begin has none")
	case p.r.Turn.IsZero():
		p.fail(ErrInvalid, "the end of no turn")
	}
}

func (m *Message) text(name []byte) *string {
	if string(name) == "markdown" {
		return &m.Markdown
	}
	return nil
}

func (m *Message) member(p *parser, name []byte) bool {
	switch string(name) {
	case "role":
		closedWord(p, &m.Role, System, User, Assistant, Tool, Worker)
	case "message_kind":
		openWord(p, &m.MessageKind, surface.Assistant, surface.TaskSummary, surface.Alert, surface.Approval, surface.Progress, surface.ToolResult, surface.User)
	case "payload":
		p.raw(&m.Payload)
	case "control":
		openWord(p, &m.Control, RepairNudge, PresentationCheck, StopGuard)
	case "metadata":
		p.metadata(&m.Metadata)
	default:
		return false
	}
	return true
}

func (m *Message) check(p *parser) {
	if m.Role == "" {
		p.fail(ErrInvalid, "no role")
	}
}

func (p *parser) metadata(dst *map[string]string) {
	from := len(p.seen)
	p.open('{')
	for n := 0; p.more(n, '}'); n++ {
		k := p.name(from)
		v := p.str()
		if p.err != nil {
			return
		}
		if *dst == nil {
			*dst = make(map[string]string)
		}
		(*dst)[string(k)] = string(v)
	}
	p.seen = p.seen[:from]
}

func (c *ToolCall) text(name []byte) *string {
	switch string(name) {
	case "call_id":
		return &c.CallID
	case "name":
		return &c.Name
	}
	return nil
}

func (c *ToolCall) member(p *parser, name []byte) bool {
	if string(name) != "arguments" {
		return false
	}
	p.raw(&c.Arguments)
	return true
}

func (*ToolCall) check(*parser) {}

func (r *ToolResult) text(name []byte) *string {
	switch string(name) {
	case "call_id":
		return &r.CallID
	case "name":
		return &r.Name
	case "content":
		return &r.Content
	}
	return nil
}

func (r *ToolResult) member(p *parser, name []byte) bool {
	switch string(name) {
	case "ok":
		p.flag(&r.OK)
	case "json":
		p.raw(&r.JSON)
	default:
		return false
	}
	return true
}

func (*ToolResult) check(*parser) {}

func (a *Activity) text(name []byte) *string {
	if string(name) == "detail" {
		return &a.Detail
	}
	return nil
}

func (a *Activity) member(p *parser, name []byte) bool {
	switch string(name) {
	case "what":
		openWord(p, &a.What, ApprovalRequested, ApprovalAnswered, Retry, RouteFallback, Diagnostic, Completion, Compaction, Delivery)
	case "data":
		p.raw(&a.Data)
	default:
		return false
	}
	return true
}

func (a *Activity) check(p *parser) {
	if a.What == "" {
		p.fail(ErrInvalid, "no what")
	}
}

func (b *Presentation) text(name []byte) *string {
	switch string(name) {
	case "item":
		return &b.Item
	case "target":
		return &b.Target
	case "job":
		return &b.Job
	case "template_revision":
		return &b.TemplateRevision
	case "profile_digest":
		return &b.ProfileDigest
	}
	return nil
}

func (b *Presentation) member(p *parser, name []byte) bool {
	switch string(name) {
	case "entry":
		p.entry(&b.Entry)
	case "epoch":
		p.number(&b.Epoch)
	case "plan":
		p.raw(&b.Plan)
	case "renderers":
		p.renderers(&b.Renderers)
	case "trees":
		p.trees(&b.Trees)
	default:
		return false
	}
	return true
}

func (b *Presentation) check(p *parser) {
	if b.Entry.IsZero() {
		p.fail(ErrInvalid, "no entry")
	}
}

func (p *parser) renderers(dst *[]BlockRenderer) {
	p.open('[')
	for n := 0; p.more(n, ']'); n++ {
		var r BlockRenderer
		p.object(n, func(name []byte) {
			base, exact := bytes.CutSuffix(name, []byte("_b64"))
			switch {
			case string(name) == "block":
				if r.Block = doc.ID(p.str()); p.err == nil && !r.Block.Valid() {
					p.fail(ErrInvalid, "malformed id")
				}
				p.at("block")
			case string(base) == "renderer":
				p.text(&r.Renderer, exact)
				p.at("renderer")
			default:
				p.extra(&r.Extra, name)
			}
		})
		if r.Block == "" {
			p.fail(ErrInvalid, "no block")
		}
		p.atIndex(n)
		*dst = append(*dst, r)
	}
}

func (p *parser) trees(dst *[]Tree) {
	p.open('[')
	for n := 0; p.more(n, ']'); n++ {
		var t Tree
		p.object(n, func(name []byte) {
			switch string(name) {
			case "card":
				p.hash(&t.Card)
				p.at("card")
			case "sha256":
				p.hash(&t.SHA256)
				p.at("sha256")
			case "tree":
				p.raw(&t.Tree)
				p.at("tree")
			default:
				p.extra(&t.Extra, name)
			}
		})
		if t.SHA256.IsZero() {
			p.fail(ErrInvalid, "no sha256")
		}
		p.atIndex(n)
		*dst = append(*dst, t)
	}
}

// object reads object n of a list, member by member.
func (p *parser) object(n int, member func(name []byte)) {
	if n >= MaxItems {
		p.fail(ErrTooMany, "items of a list")
	}
	from := len(p.seen)
	p.open('{')
	for m := 0; p.more(m, '}'); m++ {
		if name := p.name(from); p.err == nil {
			member(name)
		}
	}
	p.seen = p.seen[:from]
}
