package wire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

func TestFailureCrosses(t *testing.T) {
	for kind := range codeOf {
		f := &Failure{Kind: kind, Source: FromPlugin, Message: "m", Hint: "h", Err: errors.New("inner")}
		got := FromError(f.GRPCStatus().Err())
		if got.Kind != kind || got.Source != FromPlugin || got.Message != "m" || got.Hint != "h" {
			t.Errorf("%s arrives as %+v", kind, got)
		}
	}
}

func TestFromError(t *testing.T) {
	claim := func(e *vakv1.Error) error {
		st, err := status.New(codes.Unknown, "x").WithDetails(e)
		if err != nil {
			t.Fatal(err)
		}
		return st.Err()
	}
	for _, c := range []struct {
		err          error
		kind, source string
		why          string
	}{
		{claim(&vakv1.Error{Kind: Unavailable}), Failed, FromPlugin, "a kind that is the host's to find"},
		{claim(&vakv1.Error{Kind: "from_the_future"}), Failed, FromPlugin, "a kind that is not known"},
		{claim(&vakv1.Error{Kind: Failed, Source: FromHost}), Failed, FromPlugin, "a plugin does not blame the host"},
		{claim(&vakv1.Error{Kind: Failed, Source: FromDownstream}), Failed, FromDownstream, "it may blame its platform"},
		{status.Error(codes.DeadlineExceeded, ""), Deadline, FromPlugin, "gRPC's own"},
		{status.Error(codes.Canceled, ""), Canceled, FromHost, "gRPC's own"},
		{status.Error(codes.ResourceExhausted, ""), TooLarge, FromPlugin, "gRPC's own"},
		{status.Error(codes.Unimplemented, ""), Unimplemented, FromPlugin, "gRPC's own"},
		{status.Error(codes.Unavailable, ""), Unavailable, FromPlugin, "gRPC's own"},
		{status.Error(codes.Internal, ""), Contract, FromPlugin, "gRPC's own"},
		{status.Error(codes.InvalidArgument, ""), Invalid, FromPlugin, "gRPC's own"},
		{status.Error(codes.DataLoss, ""), Failed, FromPlugin, "gRPC's own"},
		{context.DeadlineExceeded, Deadline, FromPlugin, "no status at all"},
		{context.Canceled, Canceled, FromHost, "no status at all"},
		{errors.New("x"), Failed, FromPlugin, "no status at all"},
	} {
		if got := FromError(c.err); got.Kind != c.kind || got.Source != c.source {
			t.Errorf("%s: %v is %s from %s, want %s from %s", c.why, c.err, got.Kind, got.Source, c.kind, c.source)
		}
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"plain ü":                 "plain ü",
		"two\nlines\x1b[2J\u2028": "two lines [2J ",
		"bad\xff":                 "bad\uFFFD",
		strings.Repeat("ü", 1000): strings.Repeat("ü", 512) + "…",
	} {
		got := Sentence(in)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("Sentence(%.20q) = %.40q, want %.40q", in, got, want)
		}
	}
}

func TestRecovered(t *testing.T) {
	try := func(f func()) (out *Failure) {
		defer func() { out = Recovered(recover()) }()
		f()
		return nil
	}
	var list []int
	if f := try(func() { _ = list[3] }); !strings.Contains(f.Message, "index out of range [3]") {
		t.Errorf("%v", f)
	}
	if f := try(func() { panic("secret") }); strings.Contains(f.Error(), "secret") || !strings.Contains(f.Message, "string") {
		t.Errorf("%v", f)
	}
}
