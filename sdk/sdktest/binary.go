package sdktest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

const (
	startTimeout = 10 * time.Second
	stopTimeout  = 2 * time.Second
)

// Binary starts the binary of a surface as a host does, in the role "render",
// and returns a Runner of it: the handshake, the peer check and the wire are the
// real ones. Beside the binary there is its manifest, plugin.json, as "make
// build" or "BINARY manifest > plugin.json" writes it; the test ends if a host
// would refuse the one or the other. At the end of the test the process is asked
// to end, and the test fails if it does not within two seconds.
//
// It is not a host: nothing confines the process, and nothing replaces it when
// it dies. What it writes to standard error is in the test's log.
func Binary(t testing.TB, path string) *Runner {
	t.Helper()
	client, d := launch(t, path, hostapi.RoleRender, &lines{t: t}, io.Discard)
	return &Runner{client: client, info: d.Info}
}

// launch starts the binary at path in a role, as [Binary] says. What the author's
// code writes comes to output, by the protocol; what comes before it, to stderr.
func launch(t testing.TB, path, role string, stderr, output io.Writer) (*hostapi.Client, hostapi.Description) {
	t.Helper()
	manifest, err := readManifest(path)
	if err != nil {
		t.Fatalf("sdktest: a host would refuse this plugin: %v", err)
	}
	sockets, err := socketDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(sockets) })
	p := &child{path: path, role: role, stderr: stderr}
	config := &plugin.ClientConfig{
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (runner.Runner, error) {
			p.env = append(cmd.Env, "TMPDIR="+dir, "LANG=C.UTF-8", "TZ=UTC")
			return p, nil
		},
		SkipHostEnv:      true,
		AutoMTLS:         runtime.GOOS != "linux", // elsewhere the kernel does not say who the peer is
		StartTimeout:     startTimeout,
		Stderr:           io.Discard,
		SyncStdout:       output,
		SyncStderr:       output,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: sockets},
	}
	hostapi.Configure(config)
	client := plugin.NewClient(config)
	var api *hostapi.Client
	t.Cleanup(func() { p.end(t, client, api) })
	protocol, err := client.Client()
	if err == nil {
		api, err = hostapi.Dispense(protocol)
	}
	if err != nil {
		t.Fatalf("sdktest: %s did not become ready: %v", filepath.Base(path), err)
	}
	d, err := api.Describe(context.Background())
	if err != nil {
		t.Fatalf("sdktest: a host would refuse this plugin: %v", err)
	}
	if d.Role != role || d.Kind != manifest.Kind || !hostapi.SameInfo(d.Info, manifest.Info) || !hostapi.SameInfo(d.Pack, manifest.Pack) {
		t.Fatalf("sdktest: a host would refuse this plugin: it describes itself differently from its manifest; make the manifest anew")
	}
	return api, d
}

// Build builds the plugin whose main package is in dir, makes its manifest, and
// returns the path of the binary, for [Binary], [SenderBinary] and [PackBinary].
// Both last as long as the test.
func Build(t testing.TB, dir string) string {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), filepath.Base(dir))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, ".") // smaller is sooner
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sdktest: go build: %v\n%s", err, out)
	}
	manifest, err := exec.Command(path, "manifest").Output()
	if err == nil {
		err = os.WriteFile(filepath.Join(filepath.Dir(path), hostapi.ManifestName), manifest, 0o644)
	}
	if err != nil {
		t.Fatalf("sdktest: the manifest: %v", err)
	}
	return path
}

// readManifest reads the manifest beside a binary and holds the binary to it.
func readManifest(path string) (hostapi.Manifest, error) {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(path), hostapi.ManifestName))
	if err != nil {
		return hostapi.Manifest{}, err
	}
	m, err := hostapi.ParseManifest(b)
	if err != nil {
		return m, fmt.Errorf("%s: %w", hostapi.ManifestName, err)
	}
	if m.Binary != filepath.Base(path) {
		return m, fmt.Errorf("%s names the binary %q, not %q", hostapi.ManifestName, m.Binary, filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return m, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != m.SHA256 {
		return m, errors.New("the binary is not the one that its manifest names (sha256 differs); make the manifest anew")
	}
	return m, nil
}

// socketDir is short, as sockets need it: the path of one has about 100 bytes.
func socketDir() (string, error) {
	if runtime.GOOS == "windows" {
		return os.MkdirTemp("", "vak")
	}
	return os.MkdirTemp("/tmp", "vak")
}

// child is a process, in the form that go-plugin asks for.
type child struct {
	path   string
	role   string
	env    []string
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.ReadCloser
	stderr io.Writer
	exited chan struct{} // closed when it is reaped
	err    error
}

// Start starts the process. It ends when its standard input does, so it does not
// outlive a test that is killed.
func (c *child) Start(context.Context) error {
	c.cmd = &exec.Cmd{Path: c.path, Args: []string{c.path, c.role}, Env: c.env, Stderr: c.stderr}
	c.cmd.WaitDelay = time.Second // for those who inherited its standard error
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c.stdin, c.stdout, c.cmd.Stdout = stdin, r, w
	err = c.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return err
	}
	c.exited = make(chan struct{})
	go func() {
		c.err = c.cmd.Wait()
		close(c.exited)
	}()
	return nil
}

// end asks the process to end, and ends it.
func (c *child) end(t testing.TB, client *plugin.Client, api *hostapi.Client) {
	if c.exited == nil {
		return
	}
	late := time.AfterFunc(stopTimeout, func() {
		c.cmd.Process.Kill()
		t.Errorf("sdktest: the process did not end within %v after it was asked to", stopTimeout)
	})
	if api != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		api.Shutdown(ctx)
		cancel()
	}
	client.Kill()
	late.Stop()
	c.cmd.Process.Kill()
	<-c.exited
	c.stdin.Close()
	c.stdout.Close()
}

// Wait and what follows is what go-plugin asks of a runner.
func (c *child) Wait(ctx context.Context) error {
	select {
	case <-c.exited:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill ends the process.
func (c *child) Kill(context.Context) error {
	c.cmd.Process.Kill() // an error says that it has ended
	return nil
}

// Stdout is where the handshake is.
func (c *child) Stdout() io.ReadCloser { return c.stdout }

// Stderr is empty: the log is read elsewhere.
func (c *child) Stderr() io.ReadCloser { return io.NopCloser(bytes.NewReader(nil)) }

// Name is the name of the binary.
func (c *child) Name() string { return filepath.Base(c.path) }

// ID is the process id.
func (c *child) ID() string { return fmt.Sprint(c.cmd.Process.Pid) }

// Diagnose has nothing to add.
func (c *child) Diagnose(context.Context) string { return "" }

// PluginToHost changes nothing.
func (c *child) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin changes nothing.
func (c *child) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// lines writes to a test's log, a line a time.
type lines struct {
	t    testing.TB
	rest []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.t.Logf("plugin: %q", line)
		l.rest = rest
	}
}
