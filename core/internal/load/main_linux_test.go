package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// The test binary is the host too: a child process that is told so by its
// environment, and reads orders from standard input, one JSON object a line, each
// answered with one.
const childEnv = "VAK_TEST_LOAD"

// A setup is what a child is started with.
type setup struct {
	Home    string
	Plugins string
	URLs    map[string]string // of the platforms, by surface
	Tempo   outbox.Tempo
}

// An order is what a child is asked to do: accept a job, or what Do says.
type order struct {
	Do, ID, Target, Text string
	Alert                bool
}

// A reply is what a child says.
type reply struct {
	ID   string // of what it accepted
	Err  string
	Left int            // jobs that are not done
	PIDs map[string]int // of transports, by surface
	Sum  summary
}

func TestMain(m *testing.M) {
	if s := os.Getenv(childEnv); s != "" {
		if err := host(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	binaries.Remove()
	os.Exit(code)
}

// host is what the child does.
func host(text string) error {
	var s setup
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	ctx := outbox.WithTempo(context.Background(), s.Tempo)
	c, err := core.Open(ctx, core.Config{
		Home: s.Home, NoControl: true, Plugins: []string{s.Plugins}, FirstParty: []string{s.Plugins}, Accounts: accounts(s.URLs),
		Log: hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Error}),
	})
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.Encode(reply{ID: "open"})
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return err
		}
		r, err := do(ctx, c, o)
		if err != nil {
			r.Err = err.Error()
		}
		out.Encode(r)
	}
	return c.Close()
}

// accounts are those of the fake platforms.
func accounts(urls map[string]string) []core.Account {
	set := func(v map[string]any) json.RawMessage {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // it is made of literals
		}
		return b
	}
	return []core.Account{
		{Surface: "telegram", Settings: set(map[string]any{"token": fake.TelegramToken, "api": urls["telegram"]})},
		{Surface: "slack", Settings: set(map[string]any{"token": fake.SlackToken, "api": urls["slack"] + "/api"})},
		{Surface: "discord", Settings: set(map[string]any{"token": "discord-token", "api": urls["discord"] + "/api/v10"})},
		{Surface: "webhook", Settings: set(map[string]any{"url": urls["webhook"], "allow": []string{"127.0.0.1"}})},
	}
}

// do does what an order says.
func do(ctx context.Context, c *core.Core, o order) (r reply, err error) {
	switch o.Do {
	case "":
		draft := core.Draft{Markdown: o.Text}
		to := core.Delivery{Target: o.Target, ID: o.ID}
		if o.Alert {
			to.Posture.Urgency = core.Interrupt
		}
		ids, err := c.Deliver(ctx, draft, to)
		if len(ids) > 0 {
			r.ID = ids[0]
		}
		return r, err
	case "transports":
		all, err := control.Local(c.Handler()).Plugins(ctx)
		r.PIDs = map[string]int{}
		for _, p := range all {
			if p.Role == "transport" && p.PID > 0 {
				r.PIDs[p.ID] = p.PID
			}
		}
		return r, err
	case "left":
		for j, err := range c.Jobs(ctx, core.JobFilter{}) {
			if err != nil {
				return r, err
			}
			r.Left++
			if j.State == core.JobHeld { // somebody has looked at it, and wants it to go
				if _, err := c.Act(ctx, core.Retry, j.ID); err != nil && !strings.Contains(err.Error(), "state") {
					return r, err
				}
			}
		}
		return r, nil
	case "sum":
		r.Sum, err = sum(ctx, c)
		return r, err
	}
	return r, fmt.Errorf("there is no order %q", o.Do)
}
