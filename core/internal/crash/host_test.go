package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// The test binary is the host too: a child process that is told so by its
// environment. It reads jobs from standard input, one JSON object a line, and
// answers each with its id once it is accepted, or with "!", the kind of error and
// its words. An order "doctor" is answered with what a doctor says.
const childEnv = "VAK_TEST_CRASH_HOME"

// An order has the child accept one job.
type order struct {
	Do     string `json:"do,omitempty"` // empty: accept a job
	ID     string `json:"id"`
	Target string `json:"target"`
	Text   string `json:"text"`
}

func TestMain(m *testing.M) {
	if home := os.Getenv(childEnv); home != "" {
		if err := host(home, os.Getenv("VAK_TEST_CRASH_URL")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// host is what the child does.
func host(home, url string) error {
	c, err := core.Open(context.Background(), core.Config{Home: home, NoControl: true, InProcess: []surface.Plugin{chat(url)}})
	if err != nil {
		return err
	}
	prepare()
	fmt.Println("open")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return err
		}
		fmt.Println(answer(c, o))
	}
	return c.Close()
}

// answer does what an order says, and answers in one line.
func answer(c *core.Core, o order) string {
	if o.Do == "doctor" {
		w := httptest.NewRecorder()
		c.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/doctor", nil))
		return strings.ReplaceAll(w.Body.String(), "\n", " ")
	}
	_, err := c.Deliver(context.Background(), core.Draft{Markdown: o.Text}, core.Delivery{Target: o.Target, ID: o.ID})
	switch {
	case err == nil:
		return o.ID
	case errors.Is(err, core.ErrFull):
		return "!full " + err.Error()
	case errors.Is(err, core.ErrStore):
		return "!store " + err.Error()
	}
	return "!other " + err.Error()
}

// chat is a surface whose messages go to the test: plain text of at most 64
// characters, so that a job has several parts.
func chat(url string) surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID: "chat", Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(), Transport: true,
			Profiles: []surface.Profile{{Surface: "chat", Dialect: "plain", Limit: surface.Limit{Max: 64}, Can: surface.Capabilities{AccessiblePlain: true}}},
		},
		Renderer: layout.Renderer(dialect.PlainText),
		NewTransport: func(context.Context, surface.Account) (surface.Transport, error) {
			return &courier{url: url, client: &http.Client{Timeout: 5 * time.Second}}, nil
		},
	}
}

// A courier posts messages to the test.
type courier struct {
	url    string
	client *http.Client
}

// A message is what a courier posts.
type message struct {
	Key    string `json:"key"`
	Job    string `json:"job"`
	Part   int    `json:"part"`
	Of     int    `json:"of"`
	Target string `json:"target"`
	Text   string `json:"text"`
}

func (c *courier) Send(ctx context.Context, r surface.SendRequest) (surface.Receipt, error) {
	b, err := json.Marshal(message{Key: r.Key, Job: r.Job, Part: r.Part, Of: r.Of, Target: r.Target.String(), Text: r.Chunk.Plain})
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Permanent, Code: "encoding"}
	}
	q, err := http.NewRequestWithContext(ctx, "POST", c.url, bytes.NewReader(b))
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Permanent, Code: "address"}
	}
	answer, err := c.client.Do(q)
	if err != nil {
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Unknown, Code: "broken_off"}
	}
	defer answer.Body.Close()
	id, err := io.ReadAll(io.LimitReader(answer.Body, 100))
	switch {
	case answer.StatusCode != http.StatusOK:
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Transient, Code: fmt.Sprint(answer.StatusCode)}
	case err != nil:
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.Unknown, Code: "broken_off"}
	}
	return surface.Receipt{Refs: []surface.Ref{{ID: string(id)}}}, nil
}

// A child is a host process.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
}

// start starts a host over a home, and waits until it is open. within is a command
// that runs it, with its arguments.
func start(home, url string, within ...string) (*child, error) {
	argv := append(within, os.Args[0])
	c := &child{cmd: exec.Command(argv[0], argv[1:]...)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+home, "VAK_TEST_CRASH_URL="+url)
	c.cmd.Stderr = &c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if !c.out.Scan() || c.out.Text() != "open" {
		c.cmd.Wait()
		return nil, errors.New("the host did not open its home: " + strings.TrimSpace(c.stderr.String()))
	}
	return c, nil
}

// accept has the host accept a job, and reports whether it said that it did.
func (c *child) accept(o order) bool { return c.ask(o) == o.ID }

// ask gives the host an order, and returns its answer; nothing if it is gone.
func (c *child) ask(o order) string {
	b, err := json.Marshal(o)
	if err != nil {
		return ""
	}
	if _, err := c.in.Write(append(b, '\n')); err != nil || !c.out.Scan() {
		return ""
	}
	return c.out.Text()
}

func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

func plugins(url string) []surface.Plugin { return []surface.Plugin{chat(url)} }

// segment is the only segment of a home's journal.
func segment(t *testing.T, home string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(home, "journal", "*.jsonl"))
	if err != nil || len(all) != 1 {
		t.Fatalf("the journal has %v, %v", all, err)
	}
	return all[0]
}
