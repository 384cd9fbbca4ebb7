package outbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A platform takes messages, and sees to it that what must never happen does not.
type platform struct {
	how answer
	// receipt answers in place of how, where it is not nil.
	receipt func(ctx context.Context, r surface.SendRequest, n int) (surface.Receipt, error)
	start   time.Time

	mu     sync.Mutex
	away   bool // no transport
	sent   []request
	took   []request
	taken  map[string][]string // texts by address
	keys   map[string]string   // what goes with a key, and the other way around
	flying map[string]bool
	broken []string
}

// A request is what the platform was asked.
type request struct {
	surface.SendRequest
	text string
	at   time.Duration
}

func (r request) String() string { return fmt.Sprintf("%s %s:%s", r.Target.Address, r.Form, r.text) }

func (p *platform) Ready(surface.Target) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.away
}

func (p *platform) goAway(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

func (p *platform) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	text := r.Chunk.Text
	switch r.Form {
	case surface.FormPlain:
		text = r.Chunk.Plain
	case surface.FormNative:
		text = string(r.Chunk.Native.JSON)
	}
	fast := r.Kind == surface.Alert || r.Kind == surface.Approval || strings.Contains(text, "!")
	lane := fmt.Sprint(r.Target, fast)
	p.mu.Lock()
	if p.flying[lane] {
		p.broken = append(p.broken, "two at once to "+lane)
	}
	if len(r.Key) > 25 {
		p.broken = append(p.broken, "a key of more than 25 characters")
	}
	id := fmt.Sprint(r.Job, " ", r.Form, " ", bare(text))
	if r.Packet != nil { // the packet is what is sent, whatever the form
		id = r.Job + " packet"
	}
	for _, pair := range [][2]string{{r.Key, id}, {id, r.Key}} {
		if r.Form == surface.FormPlain && pair[0] == id {
			continue // the halves of two parts may be the same
		}
		if was, ok := p.keys[pair[0]]; ok && was != pair[1] {
			p.broken = append(p.broken, fmt.Sprintf("%q goes with %q and %q", pair[0], was, pair[1]))
		}
		p.keys[pair[0]] = pair[1]
	}
	p.flying[lane] = true
	asked := request{r, text, time.Since(p.start).Round(time.Millisecond)}
	p.sent = append(p.sent, asked)
	n := len(p.sent)
	how, special := p.how, p.receipt
	p.mu.Unlock()
	var err error
	receipt := surface.Receipt{Refs: []surface.Ref{{ID: fmt.Sprint(n)}}}
	switch {
	case special != nil:
		receipt, err = special(ctx, r, n)
	case how != nil:
		err = how(ctx, r, n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying[lane] = false
	if err == nil || err == errTaken {
		p.taken[r.Target.Address] = append(p.taken[r.Target.Address], text)
	}
	if err == errTaken {
		err = &surface.DeliveryError{Class: surface.Unknown, Code: "reset"}
	}
	if err != nil {
		return surface.Receipt{}, err
	}
	p.took = append(p.took, asked)
	return receipt, nil
}

// bare is a text without its note.
func bare(text string) string {
	return strings.TrimSpace(text[strings.LastIndex(text, ") ")+1:])
}

// errTaken is what an answer returns to take a message and not to say so.
var errTaken = fmt.Errorf("taken, and the connection lost")

func (p *platform) all() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

func (p *platform) check(t testing.TB) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.broken {
		t.Error(v)
	}
}

func (p *platform) accepted() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.took)
}

// A renderer has the parts of a job in its digest. A part with a # has a native
// form too, and one with a % no room for words.
type renderer struct {
	mu    sync.Mutex
	hang  chan struct{} // not nil: it ignores its context until this is closed
	slow  bool          // it ends with its context
	calls int
}

func (r *renderer) set(slow bool, hang chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slow, r.hang = slow, hang
}

func (r *renderer) Render(ctx context.Context, s *Submission) (Rendering, error) {
	r.mu.Lock()
	r.calls++
	hang, slow := r.hang, r.slow
	r.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if slow {
		<-ctx.Done()
		return Rendering{}, ctx.Err()
	}
	if s.Digest == "lost" {
		return Rendering{}, fmt.Errorf("there is no such record")
	}
	all := strings.Split(s.Digest, "|")
	var many int
	if _, err := fmt.Sscanf(s.Digest, "*%d", &many); err == nil {
		all = all[:0]
		for i := range many {
			all = append(all, fmt.Sprintf("%03d", i))
		}
	}
	out := Rendering{}
	if s.Target.Surface == "hook" {
		out.Body = []byte(`{"job":"` + s.Job + `"}`)
	}
	for _, text := range all {
		if text == "" {
			continue
		}
		c := surface.Chunk{Text: "<" + text + ">", Plain: text}
		if strings.Contains(text, "#") {
			c.Native = &surface.Native{Kind: "x.v1", JSON: []byte(`"` + text + `"`)}
		}
		out.Parts = append(out.Parts, Part{Chunk: c})
	}
	return out, nil
}

func (r *renderer) Annotate(_ *Submission, c surface.Chunk, words string) []surface.Chunk {
	if strings.Contains(c.Plain, "%") {
		return []surface.Chunk{{Text: "<" + words + ">", Plain: words}, c}
	}
	c.Text, c.Plain = "("+words+") "+c.Text, "("+words+") "+c.Plain
	return []surface.Chunk{c}
}

func (r *renderer) Halve(_ *Submission, c surface.Chunk) []surface.Chunk {
	n := len(c.Plain) / 2
	if n == 0 {
		return nil
	}
	return []surface.Chunk{{Plain: c.Plain[:n]}, {Plain: c.Plain[n:]}}
}

// numbered stands for a text of n parts.
func numbered(n int) string { return fmt.Sprintf("*%d", n) }
