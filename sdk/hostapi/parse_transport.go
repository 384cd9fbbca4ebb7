package hostapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

const (
	maxSaid    = 512 - 3 // bytes of a code, a hint, a message, without the mark of what was cut off
	maxRetryIn = 24 * time.Hour
)

// parseAnswer reads what a transport says of a message: exactly one of receipt
// and outcome. An answer that says neither, or too much, leaves it unknown.
func parseAnswer(op string, to surface.Target, r *vakv1.Receipt, o *vakv1.Outcome) (surface.Receipt, error) {
	switch {
	case r != nil && o != nil:
		return surface.Receipt{}, undelivered(broken(op, "the answer holds a receipt and an outcome"), true)
	case o != nil:
		return surface.Receipt{}, parseOutcome(op, to, o)
	case r == nil:
		return surface.Receipt{}, undelivered(broken(op, "the answer holds neither a receipt nor an outcome"), true)
	}
	receipt, err := parseReceipt(r)
	if err != nil {
		return surface.Receipt{}, undelivered(broken(op, "receipt: "+err.Error()), true)
	}
	return receipt, nil
}

func parseReceipt(m *vakv1.Receipt) (surface.Receipt, error) {
	if len(m.Refs) > surface.MaxRefs {
		return surface.Receipt{}, fmt.Errorf("%d refs, want at most %d", len(m.Refs), surface.MaxRefs)
	}
	out := surface.Receipt{Wait: waitFor(m.WaitMs)}
	for i, ref := range m.Refs {
		r := surface.Ref{ID: ref.GetId()}
		if len(ref.GetOpaque()) > 0 {
			r.Opaque = ref.Opaque
		}
		if err := validRef(r); err != nil {
			return surface.Receipt{}, fmt.Errorf("refs[%d]: %w", i, err)
		}
		if r.Opaque != nil {
			var b bytes.Buffer
			json.Compact(&b, r.Opaque) // it is valid
			r.Opaque = b.Bytes()
		}
		out.Refs = append(out.Refs, r)
	}
	return out, nil
}

// parseOutcome reads why a message was not sent. The target that it moved to is
// one of the same surface and account, whatever the plugin says: no plugin can
// have another account send.
func parseOutcome(op string, to surface.Target, m *vakv1.Outcome) *surface.DeliveryError {
	d := &surface.DeliveryError{Class: surface.Class(m.Class), Code: line(m.Code), Hint: line(m.Hint)}
	d.RetryAfter, d.Account = waitFor(m.RetryAfterMs), m.Account
	if said := line(m.Message); said != "" {
		d.Err = errors.New(said)
	}
	switch d.Class {
	case surface.Transient, surface.RateLimited, surface.Payload, surface.TooLong, surface.Permanent, surface.TargetGone, surface.Unknown:
	case surface.Moved:
		t := surface.Target{Surface: to.Surface, Account: to.Account, Address: m.Moved.GetAddress(), Thread: m.Moved.GetThread()}
		if err := validTarget(t); err != nil {
			return undelivered(broken(op, "moved: "+err.Error()), true)
		}
		d.Moved = &t
	default:
		d.Class = surface.Unknown
	}
	return d
}

// waitFor is a time that a plugin asks for, a day at most.
func waitFor(ms int64) time.Duration {
	return time.Duration(min(max(ms, 0), maxRetryIn.Milliseconds())) * time.Millisecond
}

// line makes what a plugin says one clean line of at most 512 bytes.
func line(s string) string { return strings.TrimSpace(wire.Line(s, maxSaid)) }

func validRef(r surface.Ref) error {
	switch {
	case r.ID == "" || len(r.ID) > surface.MaxRefID || !clean(r.ID):
		return fmt.Errorf("id: want 1 to %d bytes of UTF-8 without control characters", surface.MaxRefID)
	case len(r.Opaque) > surface.MaxOpaque:
		return fmt.Errorf("opaque: %d bytes, want at most %d", len(r.Opaque), surface.MaxOpaque)
	case len(r.Opaque) > 0 && !(utf8.Valid(r.Opaque) && json.Valid(r.Opaque)):
		return errors.New("opaque: not valid JSON")
	}
	return nil
}

func validTarget(t surface.Target) error {
	for _, part := range []string{t.Account, t.Address, t.Thread} {
		if len(part) > surface.MaxAddress || !clean(part) {
			return fmt.Errorf("target: want at most %d bytes of UTF-8 without control characters in each part", surface.MaxAddress)
		}
	}
	if t.Address == "" {
		return errors.New("target: want an address")
	}
	return nil
}

// clean reports whether s is text on one line.
func clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029
	})
}
