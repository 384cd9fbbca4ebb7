package epochcheck

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// homeVariable makes the test binary the child that holds the home in it.
const homeVariable = "VAK_CHECK_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(homeVariable); home != "" {
		if err := child(home, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	if fixtures.dir != "" {
		os.RemoveAll(fixtures.dir)
	}
	os.Exit(code)
}

// An order is one thing that the child is to do.
type order struct {
	Do      string // begin, render, complete, deliver, notice, end, reload, plugins, release, job, many
	Session string
	Turn    string
	Target  string
	Job     string
	Hold    bool          // until the next digest
	Many    []order       // all at the same time
	After   time.Duration // of the beginning of those
}

// A report is what came of it.
type report struct {
	Err     string
	Turn    string
	Epoch   core.Epoch
	Text    string // of the first message
	Said    string // codes of diagnostics
	By      string // id and version of the renderer
	State   string // of a job; empty: there is none
	Plugins []process
	Shown   []uint64 // epochs of the presentation records of a job
	Many    []report
}

// A process is one that a plugin may have.
type process struct {
	ID, Version string
	PID         int
	Current     bool
	Turns       []string
}

// child holds the home until its input ends.
func child(home string, in io.Reader, out io.Writer) error {
	ctx := context.Background()
	log := hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Warn})
	c, err := core.Open(ctx, core.Config{Home: home, NoControl: true, AllowUnsandboxed: true, Log: log})
	if err != nil {
		return err
	}
	defer c.Close()
	h := &hand{core: c, turns: map[string]*core.Turn{}}
	enc, lines := json.NewEncoder(out), bufio.NewScanner(in)
	if err := enc.Encode(report{Epoch: c.Epoch()}); err != nil {
		return err
	}
	for lines.Scan() {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		if err := enc.Encode(h.do(ctx, o)); err != nil {
			return err
		}
	}
	return lines.Err()
}

type hand struct {
	core  *core.Core
	mu    sync.Mutex
	turns map[string]*core.Turn // that are open
}

func (h *hand) turn(id string) *core.Turn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.turns[id]
}

// set says which turn is open under an id; nil: none.
func (h *hand) set(id string, t *core.Turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.turns[id] = t; t == nil {
		delete(h.turns, id)
	}
}

func (h *hand) do(ctx context.Context, o order) report {
	if o.Do == "many" {
		r := report{Many: make([]report, len(o.Many))}
		var all sync.WaitGroup
		for i, o := range o.Many {
			all.Go(func() {
				time.Sleep(o.After)
				r.Many[i] = h.do(ctx, o)
			})
		}
		all.Wait()
		return r
	}
	r, err := h.doOne(ctx, o)
	if err != nil {
		r.Err = err.Error()
	}
	return r
}

// note is the card that all of it is about.
const note = `{"semantic_type":"pack.note","payload":{"say":"hello"}}`

func (h *hand) doOne(ctx context.Context, o order) (r report, err error) {
	turn := h.turn(o.Turn)
	to := core.Delivery{Target: o.Target, ID: o.Job}
	if o.Hold {
		to.Posture.Cadence = core.Digest
	}
	switch o.Do {
	case "begin":
		s, err := h.core.Session(ctx, o.Session)
		if err != nil {
			return r, err
		}
		t, err := s.Begin(ctx, core.TurnOptions{})
		if err != nil {
			return r, err
		}
		r.Turn, r.Epoch = t.ID().String(), t.Epoch()
		h.set(r.Turn, t)
	case "render":
		render := h.core.Render
		if turn != nil {
			render = turn.Render
		}
		p, err := render(ctx, core.Draft{Markdown: note}, surface.Target{Surface: "board", Address: "x"})
		if err != nil {
			return r, err
		}
		r.Epoch.Number, r.By = p[0].Epoch, strings.TrimSpace(p[0].Renderer.ID+" "+p[0].Renderer.Version)
		for _, c := range p[0].Chunks {
			r.Text += c.Text
		}
		for _, d := range p[0].Diagnostics {
			r.Said += d.Code + " "
		}
	case "complete":
		done, err := turn.Complete(ctx, core.Draft{Markdown: note}, to)
		if err != nil {
			return r, err
		}
		h.set(o.Turn, nil)
		r.Turn = done.Entry.String()
	case "deliver":
		_, err = turn.Deliver(ctx, core.Draft{Markdown: note}, to)
	case "notice":
		_, err = h.core.Deliver(ctx, core.Draft{Markdown: note}, to)
	case "end":
		err = turn.End(ctx, ledger.Cancelled, "")
		h.set(o.Turn, nil)
	case "reload":
		r.Epoch, err = h.core.Reload(ctx)
	case "release":
		_, err = h.core.Act(ctx, core.Release, o.Job)
	case "plugins":
		r.Plugins, err = h.plugins()
	case "job":
		return h.job(ctx, o.Job)
	default:
		err = fmt.Errorf("there is no %q", o.Do)
	}
	return r, err
}

// job is what became of one, and how it was shown.
func (h *hand) job(ctx context.Context, id string) (r report, err error) {
	j, err := h.core.Job(ctx, id)
	if err != nil {
		return report{}, nil // it was not accepted
	}
	r.State = string(j.State)
	p, err := h.core.Packet(ctx, id)
	if err != nil {
		return r, err
	}
	r.Epoch.Number, r.By = p.Epoch, strings.TrimSpace(p.Renderer.ID+" "+p.Renderer.Version)
	for _, c := range p.Chunks {
		r.Text += c.Text
	}
	for _, d := range p.Diagnostics {
		r.Said += d.Code + " "
	}
	ids, err := h.core.Sessions(ctx)
	if err != nil {
		return r, err
	}
	for _, name := range ids {
		s, err := h.core.Session(ctx, name)
		if err != nil {
			return r, err
		}
		for b, err := range s.Lines(ctx, 1) {
			if err != nil {
				return r, err
			}
			if line, err := ledger.Parse(b); err == nil {
				if p, ok := line.Body.(*ledger.Presentation); ok && p.Job == id {
					r.Shown = append(r.Shown, p.Epoch)
				}
			}
		}
	}
	return r, nil
}

// plugins are those that the API shows, those that turns still hold included.
func (h *hand) plugins() (out []process, _ error) {
	w := httptest.NewRecorder()
	h.core.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/plugins", nil))
	var all []control.Plugin
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("%d: %w", w.Code, err)
	}
	for _, p := range all {
		if p.ID == "pack" || p.ID == "board" {
			out = append(out, process{p.ID, p.Version, p.PID, p.Current, p.Turns})
		}
	}
	return out, nil
}
