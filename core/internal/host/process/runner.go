package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// drainTime is how long the output of a process is read after its end: a
// grandchild may hold the other end for ever.
const drainTime = 250 * time.Millisecond

// memoryGoal is what a plugin's Go is told to stay below where it can, by
// collecting garbage more often: three quarters of what a renderer can have.
const memoryGoal = "768MiB"

// A runner is one process. It takes the place of go-plugin's own, which hangs on
// a stopped process, leaves zombies behind grandchildren, gives away the host's
// standard input and can be crashed by a line of log.
type runner struct {
	path    string
	file    *os.File // the verified binary; its owner closes it after the start
	role    string
	log     hclog.Logger
	pump    *pump
	confine Confine // nil: nothing confines it
	track   func(group int, lives bool)

	tls         bool   // the connection is to be encrypted
	interpreter string // what runs the file; empty: it runs by itself
	granted     []string

	env     []string
	dir     string   // for its socket; private to it
	stdin   *os.File // our end; the process ends when it closes
	stdout  *os.File
	stderr  *os.File
	readers sync.WaitGroup

	hello     chan struct{} // closed once helloLine is set
	helloLine string
	ended     chan struct{} // closed when the process is dead
	done      chan struct{} // closed when nothing of it runs or is read any more

	mu       sync.Mutex
	cmd      *exec.Cmd
	live     bool // started and not yet reaped: its pid is its own
	level    string
	wanted   bool // it was asked to end
	why      *fault.Error
	exit     error
	began    bool
	peerPath string // of its socket
}

func newRunner(c Config, file *os.File) *runner {
	track := c.Track
	if track == nil {
		track = func(int, bool) {}
	}
	return &runner{
		path: c.Bundle.Path, file: file, role: c.Role, log: c.Log, pump: newPump(c.Log), confine: c.Confine, track: track,
		tls: c.tls(), interpreter: c.Interpreter, granted: c.Env,
		hello: make(chan struct{}), ended: make(chan struct{}), done: make(chan struct{}),
	}
}

// prepare takes what go-plugin says to its plugin, and where the socket goes.
func (r *runner) prepare(env []string, dir string) {
	r.env, r.dir = environment(r.granted, env, dir), dir
}

// Start starts the process on a thread that lives as long as it does.
func (r *runner) Start(context.Context) error {
	err := r.start()
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*fault.Error](err); ok {
		r.problem(own)
		return err
	}
	e := &fault.Error{Op: "start", Kind: fault.StartFailed, Message: "cannot execute " + r.path + ": " + err.Error(), Err: err}
	if r.interpreter == "" {
		e.Source, e.Hint = execHint(err, r.file)
	} else {
		e.Message = "cannot execute " + r.interpreter + ", which was granted to run " + r.path + ": " + err.Error()
		e.Source, e.Hint = fault.FromHost, "grant a program that runs here, which it does if it can be started by hand"
	}
	r.problem(e)
	return err
}

func (r *runner) start() error {
	var ours, theirs []*os.File
	pipe := func(write bool) (mine, other *os.File, err error) {
		pr, pw, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		mine, other = pr, pw
		if write {
			mine, other = pw, pr
		}
		ours, theirs = append(ours, mine), append(theirs, other)
		return mine, other, nil
	}
	closeAll := func(fs []*os.File) {
		for _, f := range fs {
			f.Close()
		}
	}
	defer func() { closeAll(theirs) }()

	path, args, inherited := command(r.file, r.path, r.interpreter, r.role)
	cmd := &exec.Cmd{Path: path, Args: args, ExtraFiles: inherited, Env: r.env, Dir: r.dir, SysProcAttr: processAttributes()}
	var err error
	var in, out, errs *os.File
	if r.stdin, in, err = pipe(true); err == nil {
		if r.stdout, out, err = pipe(false); err == nil {
			r.stderr, errs, err = pipe(false)
		}
	}
	if err != nil {
		closeAll(ours)
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs

	closeInherited()
	started, dead := make(chan error, 1), make(chan struct{})
	onLaunchThread(func() { // nothing else may run on it: it is confined as the process is
		err := r.launch(cmd)
		started <- err
		if err == nil {
			awaitDeath(cmd)
			close(dead)
		}
	})
	if err := <-started; err != nil {
		closeAll(ours)
		return err
	}
	limit(cmd.Process.Pid, r.role)
	r.readers.Add(2)
	go r.bury(cmd, dead)
	go r.readHello()
	go func() {
		defer r.readers.Done()
		r.pump.run(r.stderr, r.ended)
	}()
	return nil
}

// launch confines the calling thread and starts the process from it.
func (r *runner) launch(cmd *exec.Cmd) error {
	level := NotConfined
	if r.confine != nil {
		var err error
		if level, err = r.confine(r.file, r.dir, cmd.SysProcAttr); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd, r.live, r.began, r.level = cmd, true, true, level
	r.track(cmd.Process.Pid, true)
	return nil
}

// bury ends what is left of the group once the process is dead, reaps it, and
// lets go of its pipes.
func (r *runner) bury(cmd *exec.Cmd, dead <-chan struct{}) {
	<-dead
	err := reap(cmd, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		killGroup(cmd.Process)
		r.live = false
		r.track(cmd.Process.Pid, false)
	})
	r.mu.Lock()
	r.exit = err
	wanted := r.wanted
	r.mu.Unlock()
	close(r.ended)
	r.stdin.Close()
	until := time.Now().Add(drainTime)
	r.stdout.SetReadDeadline(until)
	r.stderr.SetReadDeadline(until)
	r.readers.Wait()
	r.stdout.Close()
	r.stderr.Close()
	if wanted {
		r.log.Debug("plugin process ended", "pid", cmd.Process.Pid, "status", r.ending())
	} else {
		r.log.Warn("plugin process ended by itself", "pid", cmd.Process.Pid, "status", r.ending())
	}
	close(r.done)
}

// problem records why the process will fail; the first reason counts.
func (r *runner) problem(e *fault.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil {
		r.why = e
	}
}

func (r *runner) cause() *fault.Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// expected says that the process is about to be ended.
func (r *runner) expected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = true
}

// terminate asks the group to end.
func (r *runner) terminate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live {
		terminateGroup(r.cmd.Process)
	}
}

// kill ends the group.
func (r *runner) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live {
		killGroup(r.cmd.Process)
	}
}

// close waits until nothing of the process is left, and removes its directory.
// The process has been killed.
func (r *runner) close() {
	r.mu.Lock()
	began := r.began
	r.mu.Unlock()
	if began {
		<-r.done
	}
	if r.dir != "" {
		os.RemoveAll(r.dir)
	}
}

// ending says how the process ended, if it did.
func (r *runner) ending() string {
	select {
	case <-r.ended:
	default:
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exit == nil {
		return "exit status 0"
	}
	return r.exit.Error() + r.memory(r.cmd.ProcessState)
}

func (r *runner) tail() string { return r.pump.tail() }
