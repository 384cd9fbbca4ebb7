package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// A process is one plugin process that is ready, until stop.
type process struct {
	api    *hostapi.Client
	run    *run
	client *plugin.Client
	conns  *connections
	grace  time.Duration
	calls  int // guarded by the slot
}

// startProcess starts the binary of s and makes sure that it is what the
// manifest says. On an error nothing is left behind.
func (h *Host) startProcess(s Surface, c Config) (*process, *Error) {
	fail := func(kind Kind, source Source, message, hint string, err error) *Error {
		return &Error{Op: "start", Kind: kind, Source: source, Message: message, Hint: hint, Err: err}
	}
	file, e := openVerified(s.Path, s.SHA256)
	if e != nil {
		return nil, e
	}
	defer file.Close()
	sockets, err := h.sockets.dir()
	if err != nil {
		return nil, fail(RuntimeDir, FromHost, err.Error(), "set XDG_RUNTIME_DIR to a directory of your own with a short path", err)
	}

	log := h.log.Named(s.Info.ID)
	r := newRun(s.Path, file, hostapi.RoleRender, log)
	p := &process{run: r, conns: &connections{}, grace: c.StopTimeout}
	config := &plugin.ClientConfig{
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (runner.Runner, error) {
			r.prepare(cmd.Env, dir)
			return r, nil
		},
		SkipHostEnv:      true,
		AutoMTLS:         c.MutualTLS || !peerChecked,
		StartTimeout:     c.StartTimeout,
		Stderr:           io.Discard,
		Logger:           hclog.NewNullLogger(), // what it logs is logged here with more sense
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: sockets},
		GRPCDialOptions:  append(dialOptions(r), grpc.WithChainStreamInterceptor(p.conns.stream)),
	}
	hostapi.Configure(config)
	p.client = plugin.NewClient(config)

	// go-plugin bounds the handshake and nothing after it.
	watchdog := time.AfterFunc(c.StartTimeout, func() {
		r.problem(fail(StartFailed, FromPlugin, fmt.Sprintf("the process was not ready within %v", c.StartTimeout), "see the plugin's log", nil))
		r.kill()
	})
	defer watchdog.Stop()
	err = p.connect()
	if err == nil {
		err = p.verify(s, c.StartTimeout)
	}
	if err == nil {
		return p, nil
	}
	r.kill() // it did not get as far as being asked politely
	p.stop()
	if cause := r.cause(); cause != nil {
		cause.Tail = r.tail()
		return nil, cause
	}
	if own, ok := errors.AsType[*Error](err); ok {
		own.Tail = r.tail()
		return nil, own
	}
	e = fail(StartFailed, FromPlugin, "the process did not become ready", "see the plugin's log", err)
	if said := r.ending(); said != "" {
		e.Message = "the process ended before it was ready: " + said
	}
	e.Tail = r.tail()
	return nil, e
}

// connect does the handshake and dials.
func (p *process) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	p.api, err = hostapi.Dispense(protocol)
	return err
}

// verify holds the process against its manifest.
func (p *process) verify(s Surface, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	d, err := p.api.Describe(ctx)
	if err != nil {
		e := fromCall("start", err)
		if e.Kind == Unavailable || e.Kind == Deadline {
			return err // why it ended says more
		}
		return e
	}
	if d.Role != hostapi.RoleRender || !hostapi.SameInfo(d.Info, s.Info) {
		return &Error{
			Op: "start", Kind: Incompatible, Source: FromPlugin,
			Message: "the plugin describes itself differently from its manifest",
			Hint:    "install the plugin again, or tell its author to make the manifest anew",
		}
	}
	return nil
}

// gone reports whether the process has ended.
func (p *process) gone() bool {
	select {
	case <-p.run.ended:
		return true
	default:
		return false
	}
}

// obituary adds to e how the process ended, if it did.
func (p *process) obituary(e *Error) {
	select {
	case <-p.run.done:
		e.Message = "the process ended while it rendered: " + p.run.ending()
		e.Tail = p.run.tail()
	case <-time.After(drainTime):
	}
}

// stop ends the process and returns when nothing of it is left: asked politely,
// then by SIGTERM, then by SIGKILL. It is called once.
func (p *process) stop() {
	p.run.expected()
	term := time.AfterFunc(p.grace, p.run.terminate)
	kill := time.AfterFunc(2*p.grace, p.run.kill)
	defer term.Stop()
	defer kill.Stop()
	if p.api != nil && !p.gone() {
		ctx, cancel := context.WithTimeout(context.Background(), p.grace)
		p.api.Shutdown(ctx) // an error changes nothing: the process ends either way
		cancel()
	}
	// Kill waits without a bound for an answer to its own Shutdown; the timers
	// above are its bound.
	p.client.Kill()
	p.run.kill()
	p.run.close()
	p.conns.close()
}

// connections remembers what go-plugin dials: where its set-up fails half way it
// forgets the connection, with its goroutines.
type connections struct {
	mu  sync.Mutex
	all map[*grpc.ClientConn]struct{}
}

func (c *connections) stream(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, s grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	c.mu.Lock()
	if c.all == nil {
		c.all = map[*grpc.ClientConn]struct{}{}
	}
	c.all[cc] = struct{}{}
	c.mu.Unlock()
	return s(ctx, d, cc, method, opts...)
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cc := range c.all {
		cc.Close()
	}
}
