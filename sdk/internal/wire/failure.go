package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

// Kinds of failure. Those above the line are what a plugin may claim; the host
// finds the others itself.
const (
	Invalid       = "invalid"
	Failed        = "failed"
	Panic         = "panic"
	TooLarge      = "too_large"
	Deadline      = "deadline"
	NotConfigured = "not_configured"
	Incompatible  = "incompatible"

	Contract      = "contract"
	Unavailable   = "unavailable"
	Unimplemented = "unimplemented"
	Canceled      = "canceled"
)

// Where a failure came from.
const (
	FromHost       = "host"
	FromPlugin     = "plugin"
	FromDownstream = "downstream"
)

// maxSentence bounds what a peer may say in one field of a failure, in bytes.
const maxSentence = 1024

// A Failure is a failed call, on either side of the wire.
type Failure struct {
	Kind    string
	Source  string
	Message string
	Hint    string
	Err     error // on the side where it happened
}

func (f *Failure) Error() string {
	s := f.Kind + ": " + f.Message
	if f.Hint != "" {
		s += "; " + f.Hint
	}
	return s
}

func (f *Failure) Unwrap() error { return f.Err }

var codeOf = map[string]codes.Code{
	Invalid:       codes.InvalidArgument,
	Failed:        codes.Unknown,
	Panic:         codes.Internal,
	TooLarge:      codes.ResourceExhausted,
	Deadline:      codes.DeadlineExceeded,
	Canceled:      codes.Canceled,
	NotConfigured: codes.FailedPrecondition,
	Incompatible:  codes.FailedPrecondition,
}

// GRPCStatus makes a Failure cross as a status with one detail.
func (f *Failure) GRPCStatus() *status.Status {
	code, ok := codeOf[f.Kind]
	if !ok {
		code = codes.Unknown
	}
	st := status.New(code, Sentence(f.Message))
	with, err := st.WithDetails(&vakv1.Error{
		Kind: f.Kind, Source: f.Source, Message: Sentence(f.Message), Hint: Sentence(f.Hint),
	})
	if err != nil { // a code of OK, which no kind has
		return st
	}
	return with
}

// FromError reads a failed call. What a peer claims is bounded and cannot name a
// kind that is the host's to find.
func FromError(err error) *Failure {
	if f := (*Failure)(nil); errors.As(err, &f) {
		return f
	}
	st, ok := status.FromError(err)
	if !ok {
		st = status.FromContextError(err)
	}
	for _, d := range st.Details() {
		e, ok := d.(*vakv1.Error)
		if !ok {
			continue
		}
		f := &Failure{Kind: e.Kind, Source: e.Source, Message: Sentence(e.Message), Hint: Sentence(e.Hint)}
		if _, known := codeOf[f.Kind]; !known {
			f.Kind = Failed
		}
		if f.Source != FromDownstream {
			f.Source = FromPlugin
		}
		return f
	}
	f := &Failure{Source: FromPlugin, Message: Sentence(st.Message())}
	switch st.Code() {
	case codes.DeadlineExceeded:
		f.Kind, f.Message = Deadline, "no answer in time"
	case codes.Canceled:
		f.Kind, f.Source = Canceled, FromHost
	case codes.ResourceExhausted:
		f.Kind, f.Message = TooLarge, fmt.Sprintf("a message is larger than %d MiB", MaxMessage>>20)
	case codes.Unimplemented:
		f.Kind = Unimplemented
	case codes.Unavailable:
		f.Kind, f.Message = Unavailable, "the process is gone or does not answer"
	case codes.Internal: // bytes that are no gRPC, or no such message
		f.Kind = Contract
	case codes.InvalidArgument:
		f.Kind = Invalid
	default:
		f.Kind = Failed
	}
	return f
}

// Recovered turns a recovered panic into a failure. The value itself may quote
// message text, so only what the runtime says is passed on.
func Recovered(v any) *Failure {
	what := fmt.Sprintf("a value of type %T", v)
	if err, ok := v.(interface{ RuntimeError() }); ok {
		what = fmt.Sprint(err)
	}
	return &Failure{
		Kind: Panic, Source: FromPlugin, Message: "the plugin's code panicked: " + what,
		Hint: "see the plugin's log for the stack, and tell its author",
	}
}

// ContextFailure says that ctx ended before the work did.
func ContextFailure(ctx context.Context) *Failure {
	kind, message := Canceled, "canceled by the caller"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, message = Deadline, "no answer in time"
	}
	return &Failure{Kind: kind, Source: FromPlugin, Message: message, Err: ctx.Err()}
}

// Sentence makes s fit to stand in an error: valid, bounded, on one line.
func Sentence(s string) string { return Line(s, maxSentence) }

// Line is [Sentence] with a bound of its own, in bytes; the mark of what was cut
// off, of three bytes, comes on top.
func Line(s string, most int) string {
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
