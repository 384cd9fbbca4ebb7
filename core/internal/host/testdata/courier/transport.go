package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A courier posts.
type courier struct{ settings settings }

// post is what is posted.
type post struct {
	Do      string         `json:"do"` // send, edit or delete
	Key     string         `json:"key,omitempty"`
	Job     string         `json:"job,omitempty"`
	Part    int            `json:"part"`
	Of      int            `json:"of"`
	Attempt int            `json:"attempt"`
	Form    surface.Form   `json:"form,omitempty"`
	Target  surface.Target `json:"target"`
	Text    string         `json:"text"`
	Ref     string         `json:"ref,omitempty"` // of what is edited or deleted
	PID     int            `json:"pid"`
}

func (c *courier) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	misbehave(c.settings.Mode)
	return c.post(ctx, of("send", r))
}

func (c *courier) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	p := of("edit", r)
	p.Ref = ref.ID
	return c.post(ctx, p)
}

func (c *courier) Delete(ctx context.Context, t surface.Target, ref surface.Ref) error {
	_, err := c.post(ctx, post{Do: "delete", Target: t, Ref: ref.ID})
	return err
}

func of(do string, r surface.SendRequest) post {
	text := r.Chunk.Text
	if r.Form == surface.FormPlain {
		text = r.Chunk.Plain
	}
	return post{Do: do, Key: r.Key, Job: r.Job, Part: r.Part, Of: r.Of, Attempt: r.Attempt, Form: r.Form, Target: r.Target, Text: text}
}

// post posts, and says by the answer's status what came of it. The answer to a
// message may be {"id": "its id"}.
func (c *courier) post(ctx context.Context, p post) (surface.Receipt, error) {
	p.PID = os.Getpid()
	b, err := json.Marshal(p)
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Payload, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.settings.URL, bytes.NewReader(b))
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Permanent, Code: "url", Err: err}
	}
	req.GetBody = nil // what may have been written is not written again
	req.Header.Set("Authorization", "Bearer "+c.settings.Token)
	req.Close = true // each message has a connection of its own: what fails fails for it alone
	client := http.DefaultClient
	if c.settings.Mode == "exit_mid_send" {
		client = &http.Client{Transport: exits{}}
	}
	answer, err := client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
			return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: "dial", Err: err}
		}
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Unknown, Code: "broken", Err: err}
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode == http.StatusOK {
		var id struct {
			ID string `json:"id"`
		}
		json.Unmarshal(said, &id)
		if id.ID == "" {
			id.ID = p.Key
		}
		if id.ID == "" || err != nil { // it was taken all the same
			return surface.Receipt{}, nil
		}
		return surface.Receipt{Refs: []surface.Ref{{ID: id.ID}}}, nil
	}
	d := &surface.DeliveryError{Code: strconv.Itoa(answer.StatusCode), Class: surface.Permanent}
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests:
		d.Class = surface.RateLimited
		if n, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
			d.RetryAfter = time.Duration(n) * time.Second
		}
	case code >= 500:
		d.Class = surface.Transient
	case code == http.StatusBadRequest:
		d.Class = surface.Payload
	case code == http.StatusRequestEntityTooLarge:
		d.Class = surface.TooLong
	case code == http.StatusForbidden:
		d.Class = surface.TargetGone
	}
	return surface.Receipt{}, d
}

// exits ends the process once a request was written and answered.
type exits struct{}

func (exits) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := net.Dial("tcp", r.URL.Host)
	if err != nil {
		return nil, err
	}
	if err := r.Write(c); err != nil {
		return nil, err
	}
	io.Copy(io.Discard, c) // until the listener hangs up, which the request asks it to
	os.Exit(3)
	return nil, nil
}
