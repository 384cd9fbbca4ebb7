package host

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

const (
	// drainTime is how long the output of a process is read after its end: a
	// grandchild may hold the other end for ever.
	drainTime = 250 * time.Millisecond

	// maxHandshake bounds the one line that a plugin says on standard output.
	maxHandshake = 4096
)

// A run is one process. It is go-plugin's runner, in place of its own, which
// hangs on a stopped process, leaves zombies behind grandchildren, gives away
// the host's standard input and can be crashed by a line of log.
type run struct {
	path string
	file *os.File // the verified binary; its owner closes it after the start
	role string
	log  hclog.Logger
	pump *pump

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
	wanted   bool // it was asked to end
	why      *Error
	exit     error
	began    bool
	peerPath string // of its socket
}

func newRun(path string, file *os.File, role string, log hclog.Logger) *run {
	return &run{
		path: path, file: file, role: role, log: log, pump: newPump(log),
		hello: make(chan struct{}), ended: make(chan struct{}), done: make(chan struct{}),
	}
}

// prepare takes what go-plugin says to its plugin, and where the socket goes.
func (r *run) prepare(env []string, dir string) {
	r.env, r.dir = append(env, "TMPDIR="+dir, "LANG=C.UTF-8", "TZ=UTC"), dir
}

// Start starts the process on a thread that lives as long as it does.
func (r *run) Start(context.Context) error {
	if err := r.start(); err != nil {
		message, hint := "cannot execute "+r.path+": "+err.Error(), execHint(err)
		r.problem(&Error{Op: "start", Kind: StartFailed, Source: FromHost, Message: message, Hint: hint, Err: err})
		return err
	}
	return nil
}

func (r *run) start() error {
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

	cmd := &exec.Cmd{Path: executablePath(r.file, r.path), Args: []string{r.path, r.role}, Env: r.env, Dir: r.dir, SysProcAttr: processAttributes()}
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
	started := make(chan error, 1)
	onLaunchThread(func() {
		r.mu.Lock()
		err := cmd.Start()
		if err == nil {
			r.cmd, r.live, r.began = cmd, true, true
		}
		r.mu.Unlock()
		started <- err
		if err == nil {
			r.reap(cmd)
		}
	})
	if err := <-started; err != nil {
		closeAll(ours)
		return err
	}
	r.readers.Add(2)
	go r.readHello()
	go func() {
		defer r.readers.Done()
		r.pump.run(r.stderr, r.ended)
	}()
	return nil
}

// reap waits for the process, ends what is left of its group, and lets go of
// its pipes.
func (r *run) reap(cmd *exec.Cmd) {
	err := awaitExit(cmd, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		killGroup(cmd.Process)
		r.live = false
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

// readHello reads the handshake and judges it, then reads on so that whatever
// else the process writes to standard output does not block it.
func (r *run) readHello() {
	defer r.readers.Done()
	b := bufio.NewReaderSize(r.stdout, maxHandshake)
	line, err := b.ReadSlice('\n')
	if err == nil || len(line) > 0 {
		if e := judgeHello(string(bytes.TrimSpace(line))); e != nil {
			r.problem(e)
		} else {
			r.helloLine = string(line)
		}
	}
	close(r.hello)
	io.Copy(io.Discard, b)
}

// judgeHello tells a plugin of another protocol from a binary that is none. Only
// what passes is shown to go-plugin, whose own errors quote the line.
func judgeHello(line string) *Error {
	e := &Error{Op: "start", Kind: Contract, Source: FromPlugin, Message: "what the binary says on its standard output is no handshake", Hint: "it is not a vak plugin, or it prints something before surface.Serve"}
	parts := strings.Split(line, "|")
	if len(parts) < 5 || parts[0] != "1" {
		return e
	}
	version, err := strconv.Atoi(parts[1])
	if err != nil {
		return e
	}
	if version != hostapi.Protocol {
		e.Kind, e.Message = Incompatible, fmt.Sprintf("the plugin speaks protocol %d, this vak does not", version)
		e.Hint = "update the older of the two"
		return e
	}
	if parts[4] != "grpc" {
		return e
	}
	return nil
}

// problem records why the process will fail; the first reason counts.
func (r *run) problem(e *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil {
		r.why = e
	}
}

func (r *run) cause() *Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// expected says that the process is about to be ended.
func (r *run) expected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = true
}

// terminate asks the group to end.
func (r *run) terminate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live {
		terminateGroup(r.cmd.Process)
	}
}

// kill ends the group.
func (r *run) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live {
		killGroup(r.cmd.Process)
	}
}

// close waits until nothing of the process is left, and removes its directory.
// The process has been killed.
func (r *run) close() {
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
func (r *run) ending() string {
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
	return r.exit.Error()
}

func (r *run) tail() string { return r.pump.tail() }

// Wait, Kill and what follows is what go-plugin asks of a runner.
func (r *run) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.exit
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill ends the process.
func (r *run) Kill(context.Context) error {
	r.kill()
	return nil
}

// Stdout gives the handshake and nothing else.
func (r *run) Stdout() io.ReadCloser { return &helloReader{run: r} }

// Stderr gives nothing: go-plugin's reader of logs panics on a field of the
// wrong type.
func (r *run) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name is the name of the binary.
func (r *run) Name() string { return filepath.Base(r.path) }

// ID is the process id, empty before the start.
func (r *run) ID() string {
	if pid := r.pid(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

func (r *run) pid() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.began {
		return 0
	}
	return r.cmd.Process.Pid
}

// Diagnose has nothing to add.
func (r *run) Diagnose(context.Context) string { return "" }

// PluginToHost refuses an address that is not the plugin's own to give.
func (r *run) PluginToHost(network, address string) (string, string, error) {
	if err := r.acceptAddress(network, address); err != nil {
		r.problem(&Error{Op: "start", Kind: Contract, Source: FromPlugin, Message: err.Error(), Hint: "tell the plugin's author"})
		return "", "", err
	}
	return network, address, nil
}

// HostToPlugin changes nothing.
func (r *run) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// helloReader gives the first line once it is there, then the end.
type helloReader struct {
	run *run
	off int
}

func (h *helloReader) Read(p []byte) (int, error) {
	<-h.run.hello
	if h.off == len(h.run.helloLine) {
		return 0, io.EOF
	}
	n := copy(p, h.run.helloLine[h.off:])
	h.off += n
	return n, nil
}

func (h *helloReader) Close() error { return nil }
