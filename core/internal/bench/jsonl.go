package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/core/internal/pipeline/cover"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// throughput sends a megabyte of README files through vak on three surfaces and
// then says how long each stage takes for the same text on one processor.
func throughput(vak string) error {
	all := corpora()
	readmes := all[len(all)-1].text
	var in bytes.Buffer
	size := 0
	for i := 0; size < 1<<20; i++ {
		line, err := json.Marshal(map[string]any{"id": i, "markdown": readmes})
		if err != nil {
			return err
		}
		in.Write(append(line, '\n'))
		size += len(readmes)
	}
	const runs = 5
	best := time.Duration(1 << 62)
	var out int64
	for range runs {
		cmd := exec.Command(vak, "preview", "--jsonl", "--surface", "telegram,slack,discord")
		cmd.Stdin, cmd.Stderr = bytes.NewReader(in.Bytes()), os.Stderr
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		start := time.Now()
		if err := cmd.Start(); err != nil {
			return err
		}
		lines := bufio.NewReaderSize(pipe, 1<<20)
		if out, err = io.Copy(io.Discard, lines); err != nil {
			return err
		}
		if err := cmd.Wait(); err != nil {
			return err
		}
		best = min(best, time.Since(start))
	}
	fmt.Printf("vak preview --jsonl, telegram, slack, discord: %.1f MB of README in %.0f ms, best of %d, process start included: %.2f MB/s in, %.2f MB/s out\n\n",
		mb(size), ms(best), runs, mb(size)/best.Seconds(), mb(int(out))/best.Seconds())
	return stages(readmes, size/len(readmes))
}

// stages times every stage of one line, n times.
func stages(source string, n int) error {
	total := map[string]time.Duration{}
	var names []string
	timed := func(name string, f func() error) error {
		if _, ok := total[name]; !ok {
			names = append(names, name)
		}
		start := time.Now()
		err := f()
		total[name] += time.Since(start)
		return err
	}
	for range n {
		var d *doc.Document
		err := timed("compile", func() (err error) { d, err = compile.Markdown(source); return err })
		if err != nil {
			return err
		}
		d = doc.Lower(d, doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
		for _, p := range profiles[:3] {
			name := p.profile.Surface
			var wire []byte
			var r surface.Rendering
			if err := timed("document to JSON, ×3", func() error { wire = doc.Append(nil, d, doc.WithoutSource); return nil }); err != nil {
				return err
			}
			if err := timed("JSON to document, ×3 (plugin)", func() error { _, err := doc.Parse(wire, doc.Limits{}); return err }); err != nil {
				return err
			}
			err := timed("render "+name+" (plugin)", func() (err error) {
				r, err = layout.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: p.profile, Kind: surface.Assistant}, p.dialect)
				return err
			})
			if err != nil {
				return err
			}
			var report cover.Report
			if err := timed("check "+name, func() error { report = cover.Check(d, p.profile, r, p.dialect); return nil }); err != nil {
				return err
			}
			pk := packet.Packet{Payload: append(append([]byte(`{"document":`), wire...), '}'), FallbackMarkdown: source, Coverage: report.Coverage}
			for _, c := range r.Chunks {
				pk.Chunks = append(pk.Chunks, packet.Chunk{Text: c.Text, Plain: c.Plain, Blocks: c.Blocks})
			}
			if err := timed("packet to JSON, ×3", func() error { _, err := packet.Append(nil, &pk); return err }); err != nil {
				return err
			}
		}
	}
	size := mb(n * len(source))
	var sum time.Duration
	for _, name := range names {
		sum += total[name]
	}
	fmt.Println("The same text, stage by stage in one process:")
	for _, name := range names {
		fmt.Printf("  %-32s %7.1f ms per MB  %4.1f %%\n", name, ms(total[name])/size, 100*float64(total[name])/float64(sum))
	}
	fmt.Printf("  %-32s %7.1f ms per MB\n", "together", ms(sum)/size)
	return nil
}

func mb(n int) float64           { return float64(n) / (1 << 20) }
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
