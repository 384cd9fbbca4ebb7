package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// token is a secret of the tests' accounts. It may be seen by the platform and by
// nobody else.
const token = "TOKEN-0123456789"

// posted is what a courier says of a part.
type posted struct {
	Do, Key, Job, Text, Ref string
	Part, Of, Attempt, PID  int
	Form                    surface.Form
	Target                  surface.Target
	auth                    string
}

// An office is the platform behind couriers.
type office struct {
	url string
	mu  sync.Mutex
	got []posted
	do  func(w http.ResponseWriter, p posted) // nil: takes it
}

func openOffice(t testing.TB) *office {
	o := &office{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := posted{auth: r.Header.Get("Authorization")}
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Errorf("posted: %v", err)
		}
		o.mu.Lock()
		o.got = append(o.got, p)
		n, do := len(o.got), o.do
		o.mu.Unlock()
		if do != nil {
			do(w, p)
			return
		}
		fmt.Fprintf(w, `{"id":"m%d"}`, n)
	}))
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

func (o *office) answers(do func(http.ResponseWriter, posted)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.do = do
}

func (o *office) all() []posted {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]posted(nil), o.got...)
}

// account is one of the courier's, in a mode.
func (o *office) account(name, mode string) surface.Account {
	b, _ := json.Marshal(map[string]string{"url": o.url, "token": token, "mode": mode})
	return surface.Account{Name: name, Settings: b}
}

// couriers opens a host over couriers of the given names.
func couriers(t testing.TB, c Config, names ...string) *Host {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		install(t, dir, built.courier, n)
	}
	c.Places.Dirs = append(c.Places.Dirs, dir)
	if c.StopTimeout == 0 {
		c.StopTimeout = 200 * time.Millisecond
	}
	return open(t, c)
}

func part(text string) surface.SendRequest {
	return surface.SendRequest{
		Key: "k-" + text, Job: "j", Part: 1, Of: 2, Attempt: 3, Kind: surface.Assistant, Form: surface.FormText,
		Target: surface.Target{Address: "somewhere", Thread: "9"}, Chunk: surface.Chunk{Text: text, Plain: text},
	}
}

// sends sends text and wants it to arrive.
func sends(t testing.TB, h *Host, name string, a surface.Account, text string) surface.Receipt {
	t.Helper()
	r, err := h.Send(context.Background(), name, a, part(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// fails wants a delivery to fail, and returns how.
func fails(t testing.TB, err error, class surface.Class, code string) (*surface.DeliveryError, *Error) {
	t.Helper()
	d, ok := err.(*surface.DeliveryError)
	if !ok || d.Class != class || d.Code != code {
		t.Fatalf("err = %#v (%v), want %s (%s)", err, err, class, code)
	}
	if strings.Contains(fmt.Sprintf("%v %+v", err, d), token) {
		t.Errorf("the error tells a secret: %v", err)
	}
	e, _ := errors.AsType[*Error](err)
	if e != nil && strings.Contains(e.Tail+e.Message+e.Hint, token) {
		t.Errorf("the error tells a secret: %+v", e)
	}
	return d, e
}

// transports are the entries of transports in the status.
func transports(h *Host) (out []Status) {
	for _, s := range h.Status() {
		if s.Role == hostapi.RoleTransport {
			out = append(out, s)
		}
	}
	return out
}

func TestSendThroughAPlugin(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	if !h.HasTransport("courier") || h.HasTransport("nope") {
		t.Error("HasTransport is wrong")
	}
	if n := len(transports(h)); n != 0 {
		t.Errorf("%d transports before the first message", n)
	}
	a := o.account("main", "")
	r := part("one")
	r.Target.Surface, r.Target.Account = "other", "other" // which do not count
	got, err := h.Send(context.Background(), "courier", a, r)
	if err != nil || len(got.Refs) != 1 || got.Refs[0].ID != "m1" {
		t.Fatalf("Send = %+v, %v", got, err)
	}
	if got, err := h.Edit(context.Background(), "courier", a, got.Refs[0], part("two")); err != nil || got.Refs[0].ID != "m2" {
		t.Errorf("Edit = %+v, %v", got, err)
	}
	if err := h.Delete(context.Background(), "courier", a, part("").Target, got.Refs[0]); err != nil {
		t.Error(err)
	}
	to := surface.Target{Surface: "courier", Account: "main", Address: "somewhere", Thread: "9"}
	pid := transports(h)[0].PID
	want := []posted{
		{Do: "send", Key: "k-one", Job: "j", Text: "one", Part: 1, Of: 2, Attempt: 3, Form: surface.FormText, Target: to, PID: pid},
		{Do: "edit", Key: "k-two", Job: "j", Text: "two", Part: 1, Of: 2, Attempt: 3, Form: surface.FormText, Target: to, PID: pid, Ref: "m1"},
		{Do: "delete", Target: to, PID: pid, Ref: "m1"},
	}
	for i, p := range o.all() {
		want[i].auth = "Bearer " + token
		if p != want[i] {
			t.Errorf("posted %+v\nwant   %+v", p, want[i])
		}
	}

	say(t, h, "courier", "x")
	all := h.Status()
	if len(all) != 2 || all[0].Role != hostapi.RoleRender || all[1].Role != hostapi.RoleTransport || all[1].Account != "main" ||
		all[0].State != StateReady || all[1].State != StateReady || all[0].PID == all[1].PID || all[1].Sandbox == "" {
		t.Errorf("Status = %+v", all)
	}
	if g := h.PluginGroups(); len(g) != 2 {
		t.Errorf("groups %v", g)
	}
}

func TestOutcomesOfAPlugin(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	a := o.account("", "")
	sends(t, h, "courier", a, "first")
	pid := transports(h)[0].PID
	for _, c := range []struct {
		do    func(http.ResponseWriter, posted)
		class surface.Class
		code  string
		after time.Duration
	}{
		{status(http.StatusTooManyRequests, "7"), surface.RateLimited, "429", 7 * time.Second},
		{status(http.StatusBadGateway, ""), surface.Transient, "502", 0},
		{status(http.StatusBadRequest, ""), surface.Payload, "400", 0},
		{status(http.StatusRequestEntityTooLarge, ""), surface.TooLong, "413", 0},
		{status(http.StatusForbidden, ""), surface.TargetGone, "403", 0},
		{status(http.StatusGone, ""), surface.Permanent, "410", 0},
		{func(http.ResponseWriter, posted) { panic(http.ErrAbortHandler) }, surface.Unknown, "broken", 0},
	} {
		o.answers(c.do)
		_, err := h.Send(context.Background(), "courier", a, part("x"))
		if d, _ := fails(t, err, c.class, c.code); d.RetryAfter != c.after {
			t.Errorf("%s: after %v, want %v", c.code, d.RetryAfter, c.after)
		}
	}
	if s := transports(h)[0]; s.PID != pid || s.Failures != 0 {
		t.Errorf("%+v: what the platform says is no fault of the process", s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody listens there now
	_, err = h.Send(context.Background(), "courier", surface.Account{Settings: json.RawMessage(`{"url":"http://` + l.Addr().String() + `"}`)}, part("x"))
	fails(t, err, surface.Transient, "dial")
}

func status(code int, after string) func(http.ResponseWriter, posted) {
	return func(w http.ResponseWriter, _ posted) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(code)
	}
}

// TestNothingToSendWith are the deliveries that are not begun.
func TestNothingToSendWith(t *testing.T) {
	o := openOffice(t)
	dir := t.TempDir()
	install(t, dir, built.fixture, "fixture")
	h := couriers(t, Config{Places: Places{Dirs: []string{dir}}}, "courier")
	for _, c := range []struct {
		id   string
		a    surface.Account
		kind Kind
		why  string
	}{
		{"nope", o.account("", ""), NotFound, "no such surface"},
		{"fixture", o.account("", ""), NotConfigured, "one that renders only"},
		{"courier", surface.Account{Settings: json.RawMessage(`{}`)}, Failed, "settings that the plugin refuses"},
		{"courier", o.account("b", "refuse"), Failed, "an account that the plugin refuses"},
		{"courier", surface.Account{Name: "c", Settings: json.RawMessage(`["` + token + `"]`)}, Invalid, "settings of the wrong type"},
		{"courier", surface.Account{Name: "d", Settings: json.RawMessage(`"` + strings.Repeat("x", 70_000) + `"`)}, TooLarge, "large settings"},
	} {
		for _, err := range []error{
			second(h.Send(context.Background(), c.id, c.a, part("x"))),
			h.Delete(context.Background(), c.id, c.a, part("x").Target, surface.Ref{ID: "m"}),
		} {
			_, e := fails(t, err, surface.Transient, CodeNoTransport)
			if e == nil || e.Kind != c.kind && e.Kind != BackingOff || e.Hint == "" && c.kind != Failed || strings.Contains(e.Error(), token) {
				t.Errorf("%s: %v (%+v)", c.why, err, e)
			}
		}
	}
	if len(o.all()) > 0 {
		t.Errorf("posted %v", o.all())
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := h.Send(ended, "courier", o.account("fresh", ""), part("x"))
	fails(t, err, surface.Transient, CodeNoTransport)
	h.Close()
	for _, account := range []string{"", "new"} {
		_, err = h.Send(context.Background(), "courier", o.account(account, ""), part("x"))
		if _, e := fails(t, err, surface.Transient, CodeNoTransport); e.Kind != Closed {
			t.Errorf("account %q: %v", account, e)
		}
	}
}

func second(_ surface.Receipt, err error) error { return err }

// TestDiesWhileItSends is a process that ends between a message and its receipt.
func TestDiesWhileItSends(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	sends(t, h, "courier", o.account("other", ""), "other")
	other := transports(h)[0].PID
	_, err := h.Send(context.Background(), "courier", o.account("", "exit_mid_send"), part("x"))
	_, e := fails(t, err, surface.Unknown, hostapi.CodeDied)
	if e == nil || e.Kind != Unavailable || e.Plugin != "courier" || e.Op != "send" || !strings.Contains(e.Message, "exit status 3") || !strings.Contains(e.Message, "while it sent") {
		t.Errorf("err = %v (%+v)", err, e)
	}
	if n := len(o.all()); n != 2 {
		t.Errorf("%d messages arrived, want 2: nothing is sent again by itself", n)
	}
	s := transports(h)[0] // the default account comes first
	if s.Account != "" || s.Failures != 1 || s.LastError == nil || s.LastError.Kind != Unavailable {
		t.Errorf("status %+v", s)
	}
	sends(t, h, "courier", o.account("", ""), "again")
	if now := transports(h)[1]; now.PID != other || now.Failures != 0 {
		t.Errorf("%+v: the other account's process suffered", now)
	}
}

// TestHangsWhileItSends is a transport that ignores its context.
func TestHangsWhileItSends(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{SendTimeout: 300 * time.Millisecond}, "courier")
	_, err := h.Send(context.Background(), "courier", o.account("", "hang"), part("x"))
	_, e := fails(t, err, surface.Unknown, hostapi.CodeDeadline)
	if e == nil || e.Kind != Deadline {
		t.Errorf("err = %+v", e)
	}
	if s := transports(h)[0]; s.Failures != 1 || s.State == StateReady {
		t.Errorf("status %+v, want it out of service", s)
	}
	sends(t, h, "courier", o.account("", ""), "again")
}

// TestHastyCaller gives less time than there is: that is no fault of the process.
func TestHastyCaller(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	a := o.account("", "hang")
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := h.Send(ctx, "courier", a, part("x"))
	d, ok := err.(*surface.DeliveryError)
	if !ok || d.Code == CodeNoTransport { // the start took all of the time
		ctx, cancel = context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, err = h.Send(ctx, "courier", a, part("x"))
	}
	fails(t, err, surface.Unknown, hostapi.CodeDeadline)
	if s := transports(h)[0]; s.State != StateReady || s.Failures != 0 {
		t.Errorf("status %+v", s)
	}
}

// TestSlowPlatform is a transport that honours its context: the platform's fault
// is not its own.
func TestSlowPlatform(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{SendTimeout: 500 * time.Millisecond}, "courier")
	a := o.account("", "")
	sends(t, h, "courier", a, "first")
	release := make(chan struct{})
	defer close(release)
	o.answers(func(http.ResponseWriter, posted) { <-release })
	_, err := h.Send(context.Background(), "courier", a, part("x"))
	fails(t, err, surface.Unknown, "broken")
	if s := transports(h)[0]; s.Failures != 0 || s.State != StateReady {
		t.Errorf("status %+v", s)
	}
}

func TestPanicsWhileItSends(t *testing.T) {
	o := openOffice(t)
	log := newTestLog()
	h := couriers(t, Config{Log: log}, "courier")
	_, err := h.Send(context.Background(), "courier", o.account("", "panic"), part("x"))
	fails(t, err, surface.Unknown, "panic")
	if s := transports(h)[0]; s.State != StateReady || s.Failures != 0 {
		t.Errorf("status %+v: a panic is an error of its call", s)
	}
	if strings.Contains(log.lines.String(), "what was said") {
		t.Error("the log holds the value of the panic")
	}
}

// TestCrashesAtEachStart is an account whose process never gets ready.
func TestCrashesAtEachStart(t *testing.T) {
	o := openOffice(t)
	c := Config{}
	c.Policy.FirstBackoff, c.Policy.MaxBackoff, c.Policy.Patience = 20*time.Millisecond, time.Hour, time.Millisecond
	h := couriers(t, c, "courier", "courier2")
	sends(t, h, "courier", o.account("good", ""), "x")
	bad := o.account("bad", "exit_configure")
	_, err := h.Send(context.Background(), "courier", bad, part("x"))
	d, e := fails(t, err, surface.Transient, CodeNoTransport)
	if e.Kind != Unavailable || !strings.Contains(e.Message, "exit status 3") || !strings.Contains(e.Tail, "no luck with "+hidden) {
		t.Errorf("err = %+v", e)
	}
	if d.RetryAfter <= 0 || d.RetryAfter > 24*time.Millisecond {
		t.Errorf("RetryAfter %v, want the first backoff", d.RetryAfter)
	}
	for i := 0; ; i++ { // backing off in between, for longer each time
		_, err := h.Send(context.Background(), "courier", bad, part("x"))
		d, e := fails(t, err, surface.Transient, CodeNoTransport)
		if e.Kind == Quarantined {
			if d.RetryAfter != 0 {
				t.Errorf("quarantined, and tried again after %v", d.RetryAfter)
			}
			break
		}
		if !h.CanSend("courier", "bad") && transports(h)[0].State == StateBackingOff {
			t.Error("it is backing off, and will not be tried again")
		}
		if e.Kind == BackingOff && d.RetryAfter <= 0 || i > 100_000 {
			t.Fatalf("attempt %d: %+v", i, d)
		}
		time.Sleep(max(0, d.RetryAfter))
	}
	s := transports(h)[0]
	if s.Account != "bad" || s.State != StateQuarantined || s.Failures != 5 || strings.Contains(s.LastError.Tail, token) {
		t.Errorf("status %+v", s)
	}
	if h.CanSend("courier", "bad") || !h.CanSend("courier", "good") || !h.CanSend("courier", "new") || h.CanSend("nope", "") {
		t.Error("CanSend is wrong")
	}
	sends(t, h, "courier", o.account("good", ""), "y")
	sends(t, h, "courier2", o.account("bad", ""), "z")
	if got := say(t, h, "courier", "rendered"); got != "rendered" {
		t.Errorf("the renderer says %q", got)
	}
	if s := transports(h)[1]; s.Account != "good" || s.Restarts != 0 {
		t.Errorf("status %+v: another account's process suffered", s)
	}

	// What is mended is tried at once.
	sends(t, h, "courier", o.account("bad", ""), "mended")
	if s := transports(h)[0]; s.State != StateReady || s.Failures != 0 || !h.CanSend("courier", "bad") {
		t.Errorf("status %+v", s)
	}
}

// TestSettingsChange: the account's process serves what it has and is replaced,
// and nothing else is.
func TestSettingsChange(t *testing.T) {
	one, two := openOffice(t), openOffice(t)
	h := couriers(t, Config{}, "courier")
	say(t, h, "courier", "x")
	sends(t, h, "courier", one.account("a", ""), "1")
	sends(t, h, "courier", one.account("b", ""), "1")
	before := h.Status()

	indented := one.account("a", "")
	indented.Settings = json.RawMessage(strings.ReplaceAll(string(indented.Settings), `,"`, ` , "`))
	sends(t, h, "courier", indented, "2")
	if now := h.Status(); now[1].PID != before[1].PID {
		t.Error("the process was replaced for a space")
	}

	arrived, released := make(chan struct{}, 2), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	defer release()
	one.answers(func(w http.ResponseWriter, _ posted) {
		arrived <- struct{}{}
		<-released
	})
	slow := make(chan error, 1)
	go func() {
		_, err := h.Send(context.Background(), "courier", one.account("a", ""), part("slow"))
		slow <- err
	}()
	<-arrived
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := h.Send(ctx, "courier", two.account("a", ""), part("3")); err != nil { // while the other is on its way
		t.Fatal(err)
	}
	release()
	if err := <-slow; err != nil {
		t.Errorf("what was on its way: %v", err)
	}
	if got := two.all(); len(got) != 1 || got[0].Text != "3" {
		t.Errorf("the new address got %+v", got)
	}
	now := h.Status()
	if now[0].PID != before[0].PID || now[2].PID != before[2].PID {
		t.Errorf("others were replaced: %+v, %+v", before, now)
	}
	if now[1].PID == before[1].PID || now[1].Failures != 0 || now[1].State != StateReady {
		t.Errorf("status %+v", now[1])
	}
	if got := settles(func() int { return h.Status()[1].Draining }, 0); got != 0 {
		t.Errorf("%d processes still drain", got)
	}
}

func TestRestartTakesTransportsToo(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	sends(t, h, "courier", o.account("a", ""), "1")
	sends(t, h, "courier", o.account("b", ""), "1")
	before := h.Status()
	if err := h.Restart(context.Background(), "courier"); err != nil {
		t.Fatal(err)
	}
	for i, s := range h.Status() {
		if s.State != StateReady || s.PID == before[i].PID {
			t.Errorf("%s %s: %+v", s.Role, s.Account, s)
		}
	}
	sends(t, h, "courier", o.account("a", ""), "2")
}

func TestFloodWhileItSends(t *testing.T) {
	o := openOffice(t)
	h := couriers(t, Config{}, "courier")
	sends(t, h, "courier", o.account("", "stderr_5mb"), "x")
	if s := transports(h)[0]; s.Failures != 0 || s.State != StateReady {
		t.Errorf("status %+v", s)
	}
}

// TestBuiltinSends sends in this process, over the same wire form.
func TestBuiltinSends(t *testing.T) {
	var accounts []surface.Account
	var fail error
	p := surface.Plugin{
		Info:     surface.Info{ID: "in", Version: "1.0.0", DocVersion: 1, Profiles: []surface.Profile{{Surface: "in", Dialect: "plain"}}},
		Renderer: surface.RendererFunc(nil),
		NewTransport: func(_ context.Context, a surface.Account) (surface.Transport, error) {
			accounts = append(accounts, a)
			return local{a}, fail
		},
	}
	h := open(t, Config{Builtin: []surface.Plugin{p}}, "good")
	if !h.HasTransport("in") || h.HasTransport("good") {
		t.Error("HasTransport is wrong")
	}
	a := surface.Account{Name: "a", Settings: json.RawMessage(`{"n":1}`)}
	for range 2 {
		got := sends(t, h, "in", a, "x")
		if got.Refs[0].ID != `in a somewhere {"n":1} x` {
			t.Errorf("got %q", got.Refs[0].ID)
		}
	}
	if len(accounts) != 1 {
		t.Errorf("configured %d times", len(accounts))
	}
	a.Settings = json.RawMessage(`{"n":2}`)
	if got := sends(t, h, "in", a, "x"); !strings.Contains(got.Refs[0].ID, `{"n":2}`) {
		t.Errorf("got %q", got.Refs[0].ID)
	}
	_, err := h.Send(context.Background(), "in", a, part("panic"))
	fails(t, err, surface.Unknown, "panic")
	_, err = h.Edit(context.Background(), "in", a, surface.Ref{ID: "m"}, part("x"))
	if _, e := fails(t, err, surface.Permanent, hostapi.CodeUnimplemented); e == nil || e.Plugin != "in" {
		t.Errorf("err = %+v", e)
	}
	fail = errors.New(token)
	a.Settings = json.RawMessage(`{"n":3}`)
	_, err = h.Send(context.Background(), "in", a, part("x"))
	fails(t, err, surface.Transient, CodeNoTransport)
	if n := len(transports(h)); n != 0 {
		t.Errorf("%d transport processes", n)
	}
	fail = nil
	h.Close()
	_, err = h.Send(context.Background(), "in", a, part("x"))
	fails(t, err, surface.Transient, CodeNoTransport)
}

type local struct{ a surface.Account }

func (l local) Send(_ context.Context, r surface.SendRequest) (surface.Receipt, error) {
	if r.Chunk.Text == "panic" {
		panic(token)
	}
	id := fmt.Sprint(r.Target.Surface, " ", r.Target.Account, " ", r.Target.Address, " ", string(l.a.Settings), " ", r.Chunk.Text)
	return surface.Receipt{Refs: []surface.Ref{{ID: id}}}, nil
}
