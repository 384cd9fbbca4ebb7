package serve

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	vakv1 "github.com/seed-1ae66336/vak/sdk/internal/wire/v1"
)

// A Life is the half of service Plugin that is the same for every kind. Servers
// embed it and describe themselves.
type Life struct {
	vakv1.UnimplementedPluginServer

	Log  hclog.Logger // takes the stack of a panic
	Stop func()       // ends the process once what is in flight is done; nil in process

	mu       sync.Mutex
	stopping bool
	inFlight sync.WaitGroup
}

// Check succeeds until Shutdown is called.
func (l *Life) Check(context.Context, *vakv1.CheckRequest) (*vakv1.CheckResponse, error) {
	if err := l.Enter(); err != nil {
		return nil, err
	}
	l.Leave()
	return &vakv1.CheckResponse{}, nil
}

// Shutdown takes no new call and ends the process behind its own answer.
func (l *Life) Shutdown(context.Context, *vakv1.ShutdownRequest) (*vakv1.ShutdownResponse, error) {
	l.mu.Lock()
	first := !l.stopping
	l.stopping = true
	l.mu.Unlock()
	if first && l.Stop != nil {
		go func() { // lives until the process ends, which it brings about
			l.inFlight.Wait()
			l.Stop()
		}()
	}
	return &vakv1.ShutdownResponse{}, nil
}

// Enter begins a call, which ends with Leave, or says why there is none any more.
func (l *Life) Enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping {
		return &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: "the plugin is shutting down"}
	}
	l.inFlight.Add(1)
	return nil
}

// Leave ends a call that Enter began.
func (l *Life) Leave() { l.inFlight.Done() }

// RecoverInto turns a panic in the author's code into the error of its call; it is
// deferred.
func (l *Life) RecoverInto(err *error, call string) {
	if v := recover(); v != nil {
		*err = l.Panicked(v, call)
	}
}

// Panicked is the error of a call whose panic was recovered. The stack goes to the
// log, without the value: that may quote message text.
func (l *Life) Panicked(v any, call string) *wire.Failure {
	f := wire.Recovered(v)
	stack := debug.Stack()
	l.Log.Error("panic", "call", call, "cause", f.Message, "stack", string(stack[:min(len(stack), 16<<10)]))
	return f
}

// Failure is how an author's error crosses. Its text is the author's to answer
// for; it is bounded, and its own timeouts are no deadline of the host.
func Failure(err error) error {
	if f := (*wire.Failure)(nil); errors.As(err, &f) {
		return f
	}
	return &wire.Failure{Kind: wire.Failed, Source: wire.FromPlugin, Message: err.Error(), Err: err}
}

// newLogger logs to standard error as the process was started with it: go-plugin
// replaces os.Stderr while serving.
func newLogger(id, role string, stderr *os.File) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name: id + "." + role, Level: hclog.Trace, Output: stderr, JSONFormat: true,
	})
}
