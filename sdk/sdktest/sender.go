package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Sender sends with one account of a surface as a host does: every value
// crosses in its wire form, and what an error may not carry stays behind. It is
// safe for concurrent use.
//
// One that a test made by [Send] or [SenderBinary] fails the test where an error
// or the log tells what must stay with the platform: any string of six bytes and
// more in the account's settings, the host of an address among them, and the
// words that the test named.
type Sender struct {
	client *hostapi.Client
	t      testing.TB // nil: nothing is checked
	log    *journal

	mu    sync.Mutex
	words []string // that nobody is told
}

// NewSender returns a Sender with account a of p. It fails if a host would refuse
// the surface or the account.
func NewSender(p surface.Plugin, a surface.Account) (*Sender, error) {
	s := &Sender{client: hostapi.LocalTransport(p, nil)}
	if _, err := s.client.Describe(context.Background()); err != nil {
		return nil, fmt.Errorf("sdktest: a host would refuse this surface: %w", err)
	}
	if err := s.Configure(context.Background(), a); err != nil {
		return nil, err
	}
	return s, nil
}

// Send returns a Sender with account a of p, in this process, and ends the test
// where [NewSender] would fail. Withheld are words beside the settings that
// nobody may be told, such as a part of the token.
func Send(t testing.TB, p surface.Plugin, a surface.Account, withheld ...string) *Sender {
	t.Helper()
	log := &journal{}
	s := &Sender{t: t, log: log, words: withheld}
	t.Cleanup(s.logKept)
	s.client = hostapi.LocalTransport(p, hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Trace}))
	s.start(a)
	return s
}

// SenderBinary is [Send] for the binary of a surface, which is started in the role
// "transport" as [Binary] says, with its manifest beside it.
func SenderBinary(t testing.TB, path string, a surface.Account, withheld ...string) *Sender {
	t.Helper()
	log := &journal{}
	s := &Sender{t: t, log: log, words: withheld}
	t.Cleanup(s.logKept) // once the process has ended
	s.client, _ = launch(t, path, hostapi.RoleTransport, log, log)
	s.start(a)
	return s
}

func (s *Sender) start(a surface.Account) {
	s.t.Helper()
	if _, err := s.client.Describe(context.Background()); err != nil {
		s.t.Fatalf("sdktest: a host would refuse this surface: %v", err)
	}
	if err := s.Configure(context.Background(), a); err != nil {
		s.t.Fatalf("sdktest: the account is refused: %v", err)
	}
}

// Configure hands over an account, as it does for another one or for changed
// settings. Where it fails, the account before stays.
func (s *Sender) Configure(ctx context.Context, a surface.Account) error {
	s.mu.Lock()
	s.words = append(s.words, secretsOf(a.Settings)...)
	s.mu.Unlock()
	return s.kept(s.client.Configure(ctx, a))
}

// Send sends one message. Its error is a [*surface.DeliveryError].
func (s *Sender) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	out, err := s.client.Send(ctx, r)
	return out, s.kept(err)
}

// Edit changes the message that ref names to r. Its error is a
// [*surface.DeliveryError].
func (s *Sender) Edit(ctx context.Context, ref surface.Ref, r surface.SendRequest) (surface.Receipt, error) {
	out, err := s.client.Edit(ctx, ref, r)
	return out, s.kept(err)
}

// Delete takes back the message that ref names. Its error is a
// [*surface.DeliveryError].
func (s *Sender) Delete(ctx context.Context, t surface.Target, ref surface.Ref) error {
	return s.kept(s.client.Delete(ctx, t, ref))
}

// kept returns err, and fails the test where it tells a word.
func (s *Sender) kept(err error) error {
	if err == nil || s.t == nil {
		return err
	}
	said := fmt.Sprintf("%v %+v %#v", err, err, err)
	if d, ok := errors.AsType[*surface.DeliveryError](err); ok {
		said += fmt.Sprintf(" %#v", d)
	}
	if hidden := s.hide(said); hidden != said {
		s.t.Errorf("sdktest: an error tells a setting: %s", hidden)
	}
	return err
}

// logKept fails the test where the log tells a word. It shows the log of a test
// that failed.
func (s *Sender) logKept() {
	said := s.log.String()
	hidden := s.hide(said)
	if hidden != said {
		s.t.Errorf("sdktest: the log tells a setting")
	}
	if s.t.Failed() && said != "" {
		s.t.Logf("the transport's log:\n%s", hidden)
	}
}

// setting stands for a word that is not shown.
const setting = "[setting]"

// hide puts [setting] in the place of every word.
func (s *Sender) hide(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.words {
		if w != "" {
			text = strings.ReplaceAll(text, w, setting)
		}
	}
	return text
}

// secretsOf lists what settings hold that nobody may be told.
func secretsOf(settings json.RawMessage) []string {
	out := hostapi.Secrets(settings)
	for _, s := range out {
		if u, err := url.Parse(s); err == nil && u.Host != "" {
			out = append(out, u.Host)
		}
	}
	return out
}

// Refused fails the test unless err is a [*surface.DeliveryError] of a class with
// a code, and returns it; it returns an empty one where it failed.
func Refused(t testing.TB, why string, err error, class surface.Class, code string) *surface.DeliveryError {
	t.Helper()
	e, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok || e.Class != class || e.Code != code {
		t.Errorf("%s: %v, want %s (%s)", why, err, class, code)
		return &surface.DeliveryError{}
	}
	return e
}

// Failure is err as a [*surface.DeliveryError], and an empty one for nil. It ends
// the test for any other error.
func Failure(t testing.TB, err error) surface.DeliveryError {
	t.Helper()
	if err == nil {
		return surface.DeliveryError{}
	}
	e, ok := errors.AsType[*surface.DeliveryError](err)
	if !ok {
		t.Fatalf("%v is no DeliveryError", err)
	}
	return *e
}

// EachWay runs f twice, in a test of its own: with accounts of p in this process,
// and with accounts of the binary that is built from the main package in dir.
func EachWay(t *testing.T, p surface.Plugin, dir string, f func(t *testing.T, send func(surface.Account) *Sender)) {
	t.Run("in_process", func(t *testing.T) {
		f(t, func(a surface.Account) *Sender { return Send(t, p, a) })
	})
	t.Run("binary", func(t *testing.T) {
		path := Build(t, dir)
		f(t, func(a surface.Account) *Sender { return SenderBinary(t, path, a) })
	})
}

// An AccountCase is what an account may be set to.
type AccountCase struct {
	Settings string // JSON, or what should be
	Code     string // what it is refused with; empty: it is taken
	Why      string
}

// Accounts has p make a transport of every case, and fails the test where one is
// taken or refused against what it says, or where a refusal tells a setting or a
// word that is withheld. Nothing is sent.
func Accounts(t testing.TB, p surface.Plugin, cases []AccountCase, withheld ...string) {
	t.Helper()
	for _, c := range cases {
		s := &Sender{t: t, words: append(secretsOf(json.RawMessage(c.Settings)), withheld...)}
		_, err := p.NewTransport(context.Background(), surface.Account{Settings: json.RawMessage(c.Settings)})
		if s.kept(err); c.Code != "" {
			Refused(t, c.Why, err, surface.Permanent, c.Code)
		} else if err != nil {
			t.Errorf("%s: %v", c.Why, err)
		}
	}
}

// journal keeps a log. It is safe for concurrent use.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}
