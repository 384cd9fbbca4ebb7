package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// goalDelivery is the time from a delivery's acceptance to the first call of its
// transport, as a multiple of a commit, a rendering and an echo of the call.
const goalDelivery = 3.0

// delivery measures how long an answer of a kilobyte takes from Deliver to its
// transport, against the parts that it cannot do without.
func delivery(rounds int) error {
	rounds *= 20
	dir, err := os.MkdirTemp("", "vak-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	called := make(chan time.Time, 1)
	c, err := core.Open(ctx, core.Config{Home: filepath.Join(dir, "home"), NoControl: true, InProcess: []surface.Plugin{sink(called)}})
	if err != nil {
		return err
	}
	defer c.Close()
	j, err := journal.Open(ctx, journal.Config{Dir: filepath.Join(dir, "journal")})
	if err != nil {
		return err
	}
	defer j.Close()
	echo := hostapi.LocalTransport(sink(called), nil)
	if err := echo.Configure(ctx, surface.Account{}); err != nil {
		return err
	}
	draft := core.Draft{Markdown: strings.Repeat("An answer of *some* words, and `a little` code.\n\n", 21)}
	packets, err := c.Render(ctx, draft, surface.Target{Surface: "sink"})
	if err != nil {
		return err
	}
	send := surface.SendRequest{Key: "k", Of: 1, Target: surface.Target{Surface: "sink", Address: "a"}, Form: surface.FormText,
		Chunk: surface.Chunk{Text: packets[0].Chunks[0].Text, Plain: packets[0].Chunks[0].Plain}}

	var whole, commit, render, call []time.Duration
	for i := range rounds {
		start := time.Now()
		if _, err := c.Deliver(ctx, draft, core.Delivery{Target: "sink:a"}); err != nil {
			return err
		}
		whole = append(whole, (<-called).Sub(start))

		start = time.Now()
		if _, err := j.Commit(ctx, enqueue(draft.Markdown, i)); err != nil {
			return err
		}
		commit = append(commit, time.Since(start))

		start = time.Now()
		if _, err := c.Render(ctx, draft, surface.Target{Surface: "sink"}); err != nil {
			return err
		}
		render = append(render, time.Since(start))

		start = time.Now()
		if _, err := echo.Send(ctx, send); err != nil {
			return err
		}
		<-called
		call = append(call, time.Since(start))
	}
	parts := median(commit) + median(render) + median(call)
	fmt.Printf("\nfrom Deliver to the transport's first call, 1 KB, %d times, medians\n", rounds)
	fmt.Printf("  %v; a commit %v, a render %v, an echo %v: %.2f x (goal %.1f)\n",
		median(whole), median(commit), median(render), median(call), float64(median(whole))/float64(parts), goalDelivery)
	return nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2].Round(time.Microsecond)
}

// enqueue is what Deliver commits: a record and a job.
func enqueue(text string, i int) store.Commit {
	now := time.Now()
	row := store.Row{Job: fmt.Sprint("job", i), Target: "sink:a", Kind: "assistant", State: store.Pending, Created: now, Updated: now}
	entry := store.Entry{Time: now, Kind: "submitted", Body: json.RawMessage(`{"v":1,"target":{"surface":"sink","address":"a"},"kind":"assistant","origin":"proactive"}`)}
	return store.Commit{
		Session: "s", Records: []ledger.Record{{Time: now, Body: &ledger.Message{Role: ledger.Assistant, Markdown: text}}},
		Jobs: []store.Put{{New: true, Row: row, Entries: []store.Entry{entry}}},
	}
}

// sink is a surface that tells when its transport is called.
func sink(called chan<- time.Time) surface.Plugin {
	return surface.Plugin{
		Info: surface.Info{
			ID: "sink", Version: "1.0.0", DocVersion: doc.SchemaVersion, Blocks: layout.Blocks(), Transport: true,
			Profiles: []surface.Profile{{Surface: "sink", Dialect: dialect.PlainText.Name(), Can: surface.Capabilities{AccessiblePlain: true}}},
		},
		Renderer:     layout.Renderer(dialect.PlainText),
		NewTransport: func(context.Context, surface.Account) (surface.Transport, error) { return told{called}, nil },
	}
}

type told struct{ called chan<- time.Time }

func (t told) Send(context.Context, surface.SendRequest) (surface.Receipt, error) {
	t.called <- time.Now()
	return surface.Receipt{Refs: []surface.Ref{{ID: "m"}}}, nil
}
