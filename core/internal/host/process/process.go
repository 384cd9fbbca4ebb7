package process

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
	goplugin "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Config says what to start and how. What follows StopTimeout is not required.
type Config struct {
	Bundle       bundle.Bundle // without an error
	Role         string        // hostapi.RoleRender, RoleTransport or RoleSkill
	Sockets      *Sockets
	Log          hclog.Logger
	MutualTLS    bool
	StartTimeout time.Duration // from the start to the answer that it is what it should be
	StopTimeout  time.Duration // what it gets to end by itself; as much again behind SIGTERM
	Confine      Confine       // nil: nothing confines it

	// Env is added to the environment that every process gets, "NAME=value" each.
	// It replaces nothing that the host says there itself: see [Reserved].
	Env []string

	// Interpreter is the absolute path of the program that runs the bundle's file:
	// it is started in its place, with the file as first argument and the role as
	// second. On Linux the argument names the open file that was hashed. Confine has
	// to let the program be executed. Empty: the file is a program by itself.
	Interpreter string

	// Track is told of every process group when it is made and when it is gone.
	Track func(group int, lives bool)
}

// tls reports whether mutual TLS is what tells each side who the other is.
func (c Config) tls() bool { return c.MutualTLS || !peerChecked }

// A Process is one plugin process that is ready, until [Process.Stop]. It is
// safe for concurrent use.
type Process struct {
	api    *hostapi.Client
	runner *runner
	client *plugin.Client
	conns  *connections
	grace  time.Duration
}

// Start starts the binary and makes sure that it is what the manifest says. On
// an error, or when ctx ends, nothing is left behind.
func Start(ctx context.Context, c Config) (*Process, *fault.Error) {
	fail := func(kind fault.Kind, source fault.Source, message, hint string, err error) *fault.Error {
		return &fault.Error{Op: "start", Kind: kind, Source: source, Message: message, Hint: hint, Err: err}
	}
	file, e := c.Bundle.Open()
	if e != nil {
		return nil, e
	}
	defer file.Close()
	if e := runnable(file, c.Bundle.Path, c.Interpreter); e != nil {
		return nil, e
	}
	sockets, err := c.Sockets.Dir()
	if err != nil {
		return nil, fail(fault.RuntimeDir, fault.FromHost, err.Error(), "set XDG_RUNTIME_DIR to a directory of your own with a short path", err)
	}

	r := newRunner(c, file.File)
	p := &Process{runner: r, conns: &connections{}, grace: c.StopTimeout}
	config := &plugin.ClientConfig{
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (goplugin.Runner, error) {
			r.prepare(cmd.Env, dir)
			return r, nil
		},
		SkipHostEnv:      true,
		AutoMTLS:         c.tls(),
		StartTimeout:     c.StartTimeout,
		Stderr:           io.Discard,
		Logger:           hclog.NewNullLogger(), // what it logs is logged here with more sense
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: sockets},
		GRPCDialOptions:  append(dialOptions(r), grpc.WithChainStreamInterceptor(p.conns.stream)),
	}
	hostapi.Configure(config)
	p.client = plugin.NewClient(config)

	// go-plugin bounds the handshake and nothing after it.
	ctx, cancel := context.WithTimeout(ctx, c.StartTimeout)
	defer cancel()
	late := func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			r.problem(fail(fault.StartFailed, fault.FromPlugin, fmt.Sprintf("the process was not ready within %v", c.StartTimeout), "see the plugin's log", nil))
		} else {
			r.problem(fail(fault.Canceled, fault.FromHost, "the start was canceled", "", ctx.Err()))
		}
		r.kill()
	}
	watchdog := context.AfterFunc(ctx, late)
	err = p.connect()
	if err == nil {
		err = p.verify(ctx, c.Bundle)
	}
	if err == nil {
		if changed := file.Unchanged(); changed != nil {
			err = changed
		}
	}
	if errors.Is(err, hostapi.Deadline) {
		<-ctx.Done() // gRPC's clock is ahead of the context's by a hair
	}
	watchdog()
	if ctx.Err() != nil {
		late() // whatever came of it
	} else if err == nil {
		return p, nil
	}
	r.kill() // it did not get as far as being asked politely
	p.Stop()
	if cause := r.cause(); cause != nil {
		cause.Tail = r.tail()
		return nil, cause
	}
	if own, ok := errors.AsType[*fault.Error](err); ok {
		own.Tail = r.tail()
		return nil, own
	}
	e = fail(fault.StartFailed, fault.FromPlugin, "the process did not become ready", "see the plugin's log", err)
	if said := r.ending(); said != "" {
		e.Message = "the process ended before it was ready: " + said
	}
	e.Tail = r.tail()
	return nil, e
}

// connect does the handshake and dials.
func (p *Process) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	p.api, err = hostapi.Dispense(protocol)
	return err
}

// verify holds the process against its manifest.
func (p *Process) verify(ctx context.Context, b bundle.Bundle) error {
	d, err := p.api.Describe(ctx)
	if err != nil {
		e := fault.FromCall("start", err)
		if e.Kind == fault.Unavailable || e.Kind == fault.Deadline {
			return err // why it ended says more
		}
		return e
	}
	same := d.Kind == b.Kind && d.Role == p.runner.role
	if b.Kind == hostapi.KindSkill {
		same = same && hostapi.SameInfo(d.Pack, b.Pack)
	} else {
		same = same && hostapi.SameInfo(d.Info, b.Info)
	}
	if !same {
		return &fault.Error{
			Op: "start", Kind: fault.Incompatible, Source: fault.FromPlugin,
			Message: "the plugin describes itself differently from its manifest",
			Hint:    "install the plugin again, or tell its author to make the manifest anew",
		}
	}
	return nil
}

// API calls the plugin.
func (p *Process) API() *hostapi.Client { return p.api }

// PID is its process id, and that of its group.
func (p *Process) PID() int { return p.runner.pid() }

// Level is how far it is confined, in words for a person.
func (p *Process) Level() string {
	p.runner.mu.Lock()
	defer p.runner.mu.Unlock()
	return p.runner.level
}

// Ended is closed when the process is dead.
func (p *Process) Ended() <-chan struct{} { return p.runner.ended }

// Check asks the plugin whether it can serve.
func (p *Process) Check(ctx context.Context) *fault.Error {
	if err := p.api.Check(ctx); err != nil {
		return fault.FromCall("check", err)
	}
	return nil
}

// Obituary says how the process ended. It waits a moment for that, and for its
// last words; nil if it lives on.
func (p *Process) Obituary() *fault.Error {
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-p.runner.done:
	case <-t.C:
		select {
		case <-p.runner.ended: // a grandchild holds the pipe
		default:
			return nil
		}
	}
	return &fault.Error{
		Op: "run", Kind: fault.Unavailable, Source: fault.FromPlugin,
		Message: "the process ended by itself: " + p.runner.ending(),
		Hint:    "see the plugin's log", Tail: p.runner.tail(),
	}
}

// Tail is the end of what the process wrote to standard error.
func (p *Process) Tail() string { return p.runner.tail() }

// Kill ends the process and all of its group at once, as nobody expects of it. Stop
// is called all the same.
func (p *Process) Kill() {
	p.runner.expected()
	p.runner.kill()
}

// Stop ends the process and returns when nothing of it is left: asked politely,
// then by SIGTERM, then by SIGKILL. It is called once.
func (p *Process) Stop() {
	p.runner.expected()
	term := time.AfterFunc(p.grace, p.runner.terminate)
	kill := time.AfterFunc(2*p.grace, p.runner.kill)
	defer term.Stop()
	defer kill.Stop()
	select {
	case <-p.runner.ended:
	default:
		if p.api != nil {
			ctx, cancel := context.WithTimeout(context.Background(), p.grace)
			p.api.Shutdown(ctx) // an error changes nothing: the process ends either way
			cancel()
		}
	}
	// Kill waits without a bound for an answer to its own Shutdown; the timers
	// above are its bound.
	p.client.Kill()
	p.runner.kill()
	p.runner.close()
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
