package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/packet"
)

// maxLine bounds one input line: the largest source with every byte escaped,
// and room for the id.
const maxLine = 6*core.MaxSource + 64<<10

// maxID bounds the id, which is repeated on every output line.
const maxID = 4 << 10

// previewLines renders one answer a line. Lines are worked on side by side, as
// many as there are processors and one more, so that one is compiled while
// others are rendered; they are written in order. That many lines and their
// results are all that is held.
func (a *app) previewLines(ctx context.Context, f *previewFlags, with *shownWith, args []string, strict bool) error {
	c, surfaces, err := f.open(ctx, a)
	if err != nil {
		return err
	}
	defer c.Close()
	beside, err := with.resolve(ctx, a, c)
	if err != nil {
		return err
	}
	in, name, err := a.openInput(args, "preview")
	if err != nil {
		return err
	}
	defer in.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	at := runtime.GOMAXPROCS(0) + 1
	results := make(chan chan lineResult, at) // in input order
	slots := make(chan struct{}, at)
	var wg sync.WaitGroup
	var readErr error
	wg.Go(func() {
		defer close(results)
		readErr = eachLine(in, func(line []byte, n int) bool {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return false
			}
			result := make(chan lineResult, 1)
			results <- result // has room for as many as there are slots
			wg.Go(func() { result <- renderLine(ctx, c, surfaces, beside, line, n) })
			return true
		})
	})

	out := bufio.NewWriterSize(a.out, 64<<10)
	var worst error
	for open := true; open && err == nil; {
		var result chan lineResult
		select {
		case result, open = <-results:
		case <-ctx.Done(): // the reader may wait for input for ever
			err = ctx.Err()
		}
		if !open || err != nil {
			break
		}
		r := <-result
		<-slots
		if r.err != nil {
			err = r.err
			break
		}
		if worst == nil {
			worst = r.degraded
		}
		_, werr := out.Write(r.out)
		if werr == nil && len(results) == 0 {
			werr = out.Flush() // nothing else is ready: let a waiting reader have it
		}
		err = werr
	}
	if err != nil {
		return err // and leave a reader that waits for input behind
	}
	if err := out.Flush(); err != nil {
		return err
	}
	wg.Wait()
	if readErr != nil {
		return &problem{exitInput, fmt.Sprintf("cannot read %s: %v; what came before is complete", name, unwrapPath(readErr))}
	}
	if strict {
		return worst
	}
	return nil
}

// eachLine calls f with every line that is not blank and its number from 1,
// until f reports false. Each line is a slice of its own. Of a line that is too
// long f gets nil.
func eachLine(r io.Reader, f func(line []byte, n int) bool) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		var line []byte
		tooLong := false
		var err error
		for {
			var part []byte
			part, err = br.ReadSlice('\n')
			if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
				line = nil
			} else {
				line = append(line, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if tooLong || len(bytes.TrimSpace(line)) > 0 {
			if !f(line, n) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// A lineResult is the output for one input line. err ends the whole run.
type lineResult struct {
	out      []byte
	degraded error
	err      error
}

// renderLine renders one input line on every surface. Its own metadata and tools go
// before what is beside every line.
func renderLine(ctx context.Context, c *core.Core, surfaces []core.Surface, beside always, line []byte, n int) lineResult {
	start := time.Now()
	id, draft, err := parseLine(line)
	if err != nil {
		return lineResult{out: errorLine(id, fmt.Errorf("line %d: %w", n, err))}
	}
	for key, value := range beside.metadata {
		if _, own := draft.Metadata[key]; !own {
			if draft.Metadata == nil {
				draft.Metadata = map[string]string{}
			}
			draft.Metadata[key] = value
		}
	}
	if draft.Tools == nil {
		draft.Tools = beside.tools
	}
	answer, err := c.Prepare(draft)
	if err == nil {
		answer, err = beside.try.in(answer)
	}
	if err != nil {
		return lineResult{out: errorLine(id, fmt.Errorf("line %d: %w", n, err))}
	}
	compiled := time.Since(start)

	parts := make([][]byte, len(surfaces))
	packets := make([]packet.Packet, len(surfaces))
	errs := make([]error, len(surfaces))
	var wg sync.WaitGroup
	for i, t := range targets(surfaces) {
		wg.Go(func() {
			start := time.Now()
			if packets[i], errs[i] = answer.Render(ctx, t); errs[i] != nil {
				return
			}
			parts[i], errs[i] = packetLine(id, &packets[i], compiled+time.Since(start))
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return lineResult{err: err}
	}
	return lineResult{out: bytes.Join(parts, nil), degraded: degraded(packets)}
}

// parseLine reads {"id": any, "markdown": string, "metadata": {…}, "tools": […]}, or
// "markdown_b64" for bytes that are not UTF-8. Where there are tools there need be no
// markdown. The id comes back as it stands, null where there is none.
func parseLine(line []byte) (id json.RawMessage, d core.Draft, err error) {
	id = json.RawMessage("null")
	if line == nil {
		return id, d, fmt.Errorf("longer than %d MiB; one answer may have 4 MiB of markdown", maxLine>>20)
	}
	if !utf8.Valid(line) {
		return id, d, errors.New("not valid UTF-8; send the markdown as markdown_b64")
	}
	var in struct {
		ID       json.RawMessage   `json:"id"`
		Markdown *string           `json:"markdown"`
		B64      []byte            `json:"markdown_b64"`
		Metadata map[string]string `json:"metadata"`
		Tools    json.RawMessage   `json:"tools"`
	}
	err = json.Unmarshal(line, &in) // of a member with a wrong type, the others are set all the same
	if len(in.ID) > maxID {
		return id, d, fmt.Errorf("the id is longer than %d bytes", maxID)
	}
	if in.ID != nil {
		id = in.ID
	}
	if err != nil {
		return id, d, fmt.Errorf("not a JSON object with id and markdown: %s", jsonProblem(err))
	}
	d.Metadata = in.Metadata
	if in.Tools != nil {
		var wrong *misread
		if d.Tools, wrong = parseTools(in.Tools); wrong != nil {
			wrong.path = "/tools" + wrong.path
			return id, d, wrong
		}
	}
	switch {
	case in.B64 != nil:
		d.Markdown = string(in.B64)
	case in.Markdown == nil && len(d.Tools) > 0:
	case in.Markdown == nil:
		return id, d, errors.New(`there is no "markdown"; write {"id": …, "markdown": "…"}`)
	default:
		d.Markdown = *in.Markdown
	}
	return id, d, nil
}

// jsonProblem is err without Go's names for things.
func jsonProblem(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if t.Field == "" {
			return "it is a JSON " + t.Value
		}
		return fmt.Sprintf("%s is a JSON %s", t.Field, t.Value)
	}
	return err.Error()
}

func packetLine(id json.RawMessage, p *packet.Packet, took time.Duration) ([]byte, error) {
	b := make([]byte, 0, len(p.Payload)+2*len(p.FallbackMarkdown)+4<<10)
	b = append(b, `{"id":`...)
	b = append(b, id...)
	b = append(b, `,"surface":`...)
	b = append(b, jsonString(p.Surface)...)
	b = append(b, `,"packet":`...)
	b, err := packet.Append(b, p)
	if err != nil {
		return nil, err
	}
	b = append(b, `,"elapsed_ms":`...)
	b = strconv.AppendFloat(b, float64(took.Microseconds())/1000, 'f', -1, 64)
	return append(b, "}\n"...), nil
}

func errorLine(id json.RawMessage, err error) []byte {
	return fmt.Appendf(nil, "{\"id\":%s,\"error\":%s}\n", id, jsonString(err.Error()))
}

func jsonString(s string) []byte {
	b, _ := json.Marshal(s) // a string always encodes
	return b
}
