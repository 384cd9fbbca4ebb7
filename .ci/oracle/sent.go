package oracle

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A Sent is a request that a transport made.
type Sent struct {
	Surface, Name string // Name says where it comes from, and what it is
	Method, Path  string
	Header        http.Header
	Body          string // empty: none
}

// sentTo is what a platform was asked.
func sentTo(surface, name string, all []fake.Request) []Sent {
	var out []Sent
	for i, q := range all {
		out = append(out, Sent{surface, fmt.Sprintf("%s, request %d", name, i+1), q.Method, q.Path, q.Header, q.Body})
	}
	return out
}

// Goldens are the requests in the file that a person has read for a surface.
func Goldens(surface string) ([]Sent, error) {
	file := filepath.Join("..", "..", "plugins", surface, "testdata", "transport", "requests.txtar")
	a, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	var out []Sent
	for _, step := range a.Files {
		some, err := parseSent(string(step.Data))
		if err != nil || len(some) == 0 {
			return nil, fmt.Errorf("%s: %s: %d requests, %v", file, step.Name, len(some), err)
		}
		for i := range some {
			some[i].Surface, some[i].Name = surface, "golden "+step.Name
		}
		out = append(out, some...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no request", file)
	}
	return out, nil
}

var requestLine = regexp.MustCompile(`^([A-Z]+) (/\S*)\n`)

// parseSent reads requests as golden files have them: a line, headers and, behind
// an empty line, a body in JSON.
func parseSent(text string) ([]Sent, error) {
	var out []Sent
	for text = strings.TrimLeft(text, "\n"); text != ""; text = strings.TrimLeft(text, "\n") {
		m := requestLine.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("no request begins at %q", clip(text, 60))
		}
		s := Sent{Method: m[1], Path: m[2], Header: http.Header{}}
		text = text[len(m[0]):]
		for text != "" && text[0] != '\n' {
			var line string
			line, text, _ = strings.Cut(text, "\n")
			k, v, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("no header: %q", clip(line, 60))
			}
			s.Header.Add(k, v)
		}
		text = strings.TrimLeft(text, "\n")
		if text != "" && !requestLine.MatchString(text) {
			dec := json.NewDecoder(strings.NewReader(text))
			var body json.RawMessage
			if err := dec.Decode(&body); err != nil {
				return nil, fmt.Errorf("body: %w", err)
			}
			s.Body, text = string(body), text[dec.InputOffset():]
		}
		out = append(out, s)
	}
	return out, nil
}

// kind is what the body of s has to be, as payload.mjs names it.
func (s Sent) kind() string {
	path, _, _ := strings.Cut(s.Path, "?")
	if s.Surface == "discord" {
		return "discord " + s.Method
	}
	return s.Surface + " " + path[strings.LastIndexByte(path, '/')+1:]
}

// Payloads type-checks the bodies of all by the types that the platforms publish,
// and returns the faults of each. One run takes a few seconds, however many there
// are.
func Payloads(node, modules string, all []Sent) ([][]string, error) {
	type body struct {
		Kind string          `json:"kind"`
		Body json.RawMessage `json:"body"`
	}
	bodies := make([]body, len(all))
	for i, s := range all {
		if !json.Valid([]byte(s.Body)) {
			return nil, fmt.Errorf("%s %s: the body is no JSON", s.Surface, s.Name)
		}
		bodies[i] = body{s.kind(), json.RawMessage(s.Body)}
	}
	in, err := json.Marshal(bodies)
	if err != nil {
		return nil, err
	}
	out, err := run(node, in, "payload.mjs", modules)
	if err != nil {
		return nil, err
	}
	var faults [][]string
	if err := json.Unmarshal(out, &faults); err != nil {
		return nil, fmt.Errorf("payload.mjs: %w", err)
	}
	if len(faults) != len(all) {
		return nil, fmt.Errorf("payload.mjs judges %d of %d bodies", len(faults), len(all))
	}
	return faults, nil
}

// A Receiver is what receivers of webhooks use: standardwebhooks and cloudevents.
type Receiver struct{ *process }

// StartReceiver starts one, with the packages found below modules.
func StartReceiver(node, modules string) (*Receiver, error) {
	l, err := startProcess(node, "webhook.mjs", modules)
	return &Receiver{l}, err
}

// order is what webhook.mjs is asked.
type order struct {
	Do      string            `json:"do"`
	Secret  string            `json:"secret,omitempty"`
	ID      string            `json:"id,omitempty"`
	Seconds int64             `json:"seconds,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body"`
}

// An Event is a CloudEvent as a receiver reads it.
type Event struct {
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	SpecVersion     string          `json:"specversion"`
	DataContentType string          `json:"datacontenttype"`
	Data            json.RawMessage `json:"data"`
}

func (r *Receiver) ask(o order) (signature string, event Event, err error) {
	var answer struct {
		Signature string
		Event     Event
		Fault     string
	}
	if err := r.process.ask(o, &answer); err != nil {
		return "", Event{}, err
	}
	if answer.Fault != "" {
		err = fmt.Errorf("refused: %s", answer.Fault)
	}
	return answer.Signature, answer.Event, err
}

// Verify reports why a receiver that knows secret does not trust s.
func (r *Receiver) Verify(secret string, s Sent) error {
	_, _, err := r.ask(order{Do: "verify", Secret: secret, Headers: flat(s.Header), Body: s.Body})
	return err
}

// Sign is the signature that the library makes.
func (r *Receiver) Sign(secret, id string, seconds int64, body string) (string, error) {
	signature, _, err := r.ask(order{Do: "sign", Secret: secret, ID: id, Seconds: seconds, Body: body})
	return signature, err
}

// Event reads s as a CloudEvent of either mode, and validates it.
func (r *Receiver) Event(s Sent) (Event, error) {
	_, event, err := r.ask(order{Do: "event", Headers: flat(s.Header), Body: s.Body})
	return event, err
}

// flat is a header as JavaScript has it.
func flat(h http.Header) map[string]string {
	out := map[string]string{}
	for k, v := range h {
		out[strings.ToLower(k)] = strings.Join(v, ", ")
	}
	return out
}
