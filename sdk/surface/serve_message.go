package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

func parseAccount(m *vakv1.ConfigureRequest) (Account, error) {
	if len(m.Account) > MaxAddress {
		return Account{}, fmt.Errorf("account: %d bytes, want at most %d", len(m.Account), MaxAddress)
	}
	if len(m.Settings) > MaxSettings {
		return Account{}, fmt.Errorf("settings: %d bytes, want at most %d", len(m.Settings), MaxSettings)
	}
	if len(m.Settings) > 0 {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(m.Settings, &object); err != nil || object == nil { // its text would quote a setting
			return Account{}, errors.New("settings: want a JSON object")
		}
	}
	return Account{Name: m.Account, Settings: m.Settings}, nil
}

func (s *server) parseSend(m *vakv1.SendRequest) (SendRequest, error) {
	target, err := s.parseTarget(m.Target)
	if err != nil {
		return SendRequest{}, err
	}
	r := SendRequest{
		Key: m.Key, Job: m.Job, Part: int(m.Part), Of: int(m.Of), Attempt: int(m.Attempt),
		Target: target, Kind: Kind(m.Kind), Form: Form(m.Form), Silent: m.Silent,
	}
	if m.Mentions == LiveMentions { // another word gives no leave
		r.Mentions = LiveMentions
	}
	if m.Part < 0 || m.Of < 0 || m.Attempt < 0 {
		return SendRequest{}, errors.New("part, of and attempt: want 0 or more")
	}
	if err := json.Unmarshal(m.Chunk, &r.Chunk); err != nil {
		return SendRequest{}, errors.New("chunk: not the JSON of a chunk")
	}
	if len(m.Packet) > 0 {
		if !json.Valid(m.Packet) {
			return SendRequest{}, errors.New("packet: not valid JSON")
		}
		r.Packet = m.Packet
	}
	if r.Actions, err = parseActions(m.Actions); err != nil {
		return SendRequest{}, err
	}
	if m.ReplyTo != nil {
		ref, err := parseRef(m.ReplyTo)
		if err != nil {
			return SendRequest{}, fmt.Errorf("reply_to: %w", err)
		}
		r.ReplyTo = &ref
	}
	return r, nil
}

func parseActions(b []byte) (out []Action, _ error) {
	if len(b) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, errors.New("actions: not the JSON of actions")
	}
	if len(out) > maxActions {
		return nil, fmt.Errorf("actions: %d entries, want at most %d", len(out), maxActions)
	}
	return out, nil
}

func (s *server) parseTarget(m *vakv1.Target) (Target, error) {
	t := Target{Surface: s.plugin.Info.ID, Account: m.GetAccount(), Address: m.GetAddress(), Thread: m.GetThread()}
	return t, t.valid()
}

// valid reports what keeps t from crossing.
func (t Target) valid() error {
	for _, part := range []string{t.Account, t.Address, t.Thread} {
		if len(part) > MaxAddress || !utf8.ValidString(part) {
			return fmt.Errorf("target: want at most %d bytes of UTF-8 in each part", MaxAddress)
		}
	}
	if t.Address == "" {
		return errors.New("target: want an address")
	}
	return nil
}

func parseRef(m *vakv1.Ref) (Ref, error) {
	r := Ref{ID: m.GetId()}
	if len(m.GetOpaque()) > 0 {
		r.Opaque = m.Opaque
	}
	return r, r.valid()
}

// valid reports what keeps r from crossing.
func (r Ref) valid() error {
	switch {
	case r.ID == "" || len(r.ID) > MaxRefID || !utf8.ValidString(r.ID):
		return fmt.Errorf("ref: want an id of up to %d bytes of UTF-8", MaxRefID)
	case len(r.Opaque) > MaxOpaque:
		return fmt.Errorf("ref: opaque has %d bytes, want at most %d", len(r.Opaque), MaxOpaque)
	case len(r.Opaque) > 0 && !(utf8.Valid(r.Opaque) && json.Valid(r.Opaque)):
		return errors.New("ref: opaque is not valid JSON")
	}
	return nil
}

func encodeReceipt(r Receipt) (*vakv1.Receipt, error) {
	if len(r.Refs) > MaxRefs {
		return nil, fmt.Errorf("the receipt names %d messages, want at most %d", len(r.Refs), MaxRefs)
	}
	out := &vakv1.Receipt{WaitMs: milliseconds(r.Wait)}
	for _, ref := range r.Refs {
		if err := ref.valid(); err != nil {
			return nil, fmt.Errorf("the receipt is not valid: %w", err)
		}
		m := &vakv1.Ref{Id: ref.ID}
		if len(ref.Opaque) > 0 {
			var b bytes.Buffer
			json.Compact(&b, ref.Opaque) // it is valid
			m.Opaque = b.Bytes()
		}
		out.Refs = append(out.Refs, m)
	}
	return out, nil
}

// outcome is how an author's error crosses: never by its text.
func (s *server) outcome(err error) *vakv1.Outcome {
	d := (*DeliveryError)(nil)
	switch ok := errors.As(err, &d); {
	case !ok:
		return &vakv1.Outcome{Class: string(Unknown), Message: typeOf(err), Hint: "tell the plugin's author to return a *surface.DeliveryError"}
	case d == nil:
		return &vakv1.Outcome{Class: string(Unknown), Message: "a nil *surface.DeliveryError", Hint: "tell the plugin's author to return a *surface.DeliveryError"}
	}
	o := &vakv1.Outcome{
		Class: string(class(d.Class)), Code: wire.Line(d.Code, maxSaid), Hint: wire.Line(d.Hint, maxSaid),
		RetryAfterMs: milliseconds(d.RetryAfter), Account: d.Account,
	}
	if d.Err != nil {
		o.Message = typeOf(d.Err)
	}
	if d.Class != Moved {
		return o
	}
	if d.Moved == nil || d.Moved.valid() != nil {
		o.Class, o.Hint = string(Unknown), "tell the plugin's author to say where the target moved to"
		return o
	}
	o.Moved = &vakv1.Target{Account: d.Moved.Account, Address: d.Moved.Address, Thread: d.Moved.Thread}
	return o
}

// milliseconds is a time to wait, rounded up: less would be too early.
func milliseconds(d time.Duration) int64 {
	ms := int64(max(d, 0) / time.Millisecond)
	if d > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ms
}

// maxSaid bounds a code, a hint and a message, in bytes.
const maxSaid = 500

// class is c, or Unknown for what is none.
func class(c Class) Class {
	switch c {
	case Transient, RateLimited, Payload, TooLong, Permanent, TargetGone, Moved:
		return c
	}
	return Unknown
}

// typeOf names the type of err and of what it wraps first: what happened, without
// a word of what was said.
func typeOf(err error) string {
	s := fmt.Sprintf("an error of type %T", err)
	if inner := errors.Unwrap(err); inner != nil {
		s += fmt.Sprintf(" around one of type %T", inner)
	}
	return wire.Line(s, maxSaid)
}
