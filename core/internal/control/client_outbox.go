package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
)

// Deliver has an answer delivered, and returns once it is accepted. A text that
// is not UTF-8 goes as it is.
func (c *Client) Deliver(ctx context.Context, d Delivery) (a Accepted, err error) {
	if !utf8.ValidString(d.Markdown) {
		d.Markdown, d.MarkdownB64 = "", []byte(d.Markdown)
	}
	return a, c.ask(ctx, answerTime, "POST", "/v1/deliveries", d, &a)
}

// JobPage returns one page of jobs: at most limit, from behind after, which is the
// Next of the page before. Limit 0 is 100.
func (c *Client) JobPage(ctx context.Context, f JobFilter, limit int, after string) (p JobPage, err error) {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("state", strings.Join(words(f.States), ","))
	set("target", f.Target)
	set("reason", f.Reason)
	set("after", after)
	if limit > 0 {
		q.Set("limit", fmt.Sprint(limit))
	}
	return p, c.ask(ctx, slowTime, "GET", "/v1/jobs?"+q.Encode(), nil, &p)
}

// Jobs lists all jobs of a filter, each once: live ones by target in their order,
// then finished ones, the latest first. An error ends them.
func (c *Client) Jobs(ctx context.Context, f JobFilter) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		seen := map[string]bool{}
		for after := ""; ; {
			p, err := c.JobPage(ctx, f, MaxPage, after)
			if err != nil {
				yield(Job{}, err)
				return
			}
			for _, j := range p.Jobs {
				if seen[j.ID] {
					continue
				}
				seen[j.ID] = true
				if !yield(j, nil) {
					return
				}
			}
			if p.Next == "" || p.Next == after {
				return
			}
			after = p.Next
		}
	}
}

// Job returns one job.
func (c *Client) Job(ctx context.Context, id string) (j Job, err error) {
	return j, c.get(ctx, "/v1/jobs/"+escape(id), &j)
}

// History tells what happened to a job, oldest first. It holds the text of the
// answer.
func (c *Client) History(ctx context.Context, id string) (h []JobEvent, err error) {
	return h, c.get(ctx, "/v1/jobs/"+escape(id)+"/history", &h)
}

// Packet returns the packet of a job.
func (c *Client) Packet(ctx context.Context, id string) (p packet.Packet, err error) {
	return p, c.get(ctx, "/v1/jobs/"+escape(id)+"/packet", &p)
}

// Act does an action to a job, and returns what it is then.
func (c *Client) Act(ctx context.Context, a Action, id string) (j Job, err error) {
	return j, c.ask(ctx, answerTime, "POST", "/v1/jobs/"+escape(id)+"/"+string(a), nil, &j)
}

// ActOn does an action to all jobs that a request names.
func (c *Client) ActOn(ctx context.Context, q ActRequest) (a Acted, err error) {
	return a, c.ask(ctx, slowTime, "POST", "/v1/jobs/act", q, &a)
}

// Targets lists the targets that something waits for, or that are in no ordinary
// state.
func (c *Client) Targets(ctx context.Context) (t []Target, err error) {
	return t, c.get(ctx, "/v1/targets", &t)
}

// Sessions lists the sessions.
func (c *Client) Sessions(ctx context.Context) (s []Session, err error) {
	return s, c.ask(ctx, slowTime, "GET", "/v1/sessions", nil, &s)
}

// Records yields the lines of a session's ledger from a record on, as they are on
// disk. An error ends them; one of kind NotFound says that there is no such
// session.
func (c *Client) Records(ctx context.Context, session string, from ledger.Seq) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for from = max(from, 1); ; {
			var b []byte
			path := fmt.Sprintf("/v1/sessions/%s/records?limit=%d&from=%d", escape(session), MaxRecords, from)
			if err := c.ask(ctx, slowTime, "GET", path, nil, &b); err != nil {
				yield(nil, err)
				return
			}
			if len(b) == 0 {
				return
			}
			for line := range bytes.SplitSeq(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
				if !yield(line, nil) {
					return
				}
				from++
			}
		}
	}
}

// Verify holds a session, or with "" all of them, to their chains.
func (c *Client) Verify(ctx context.Context, session string) (v []Verified, err error) {
	return v, c.ask(ctx, slowTime, "GET", "/v1/ledger/verify?session="+url.QueryEscape(session), nil, &v)
}

// Raw is a typed content of a [Delivery].
func Raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil // of structs of strings and numbers
	}
	return b
}
