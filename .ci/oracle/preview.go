package oracle

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-1ae66336/vak/core/packet"
)

// A Document is one document of a corpus.
type Document struct {
	ID       string
	Markdown string
}

// surfaces are the ones that a foreign parser exists for.
var surfaces = []string{"telegram", "slack", "discord"}

// build is where `make build` puts the program and its plugins.
const build = "../../build"

// Preview renders docs on every surface through one run of the built program,
// each surface in its plugin process. The result has a packet for every surface
// and document; a document that the program refuses is an error in refused.
func Preview(ctx context.Context, docs []Document) (packets map[string]map[string]*packet.Packet, refused map[string]string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(build, "vak"), "preview", "--jsonl", "--surface", strings.Join(surfaces, ","))
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	go func() {
		defer in.Close()
		w := bufio.NewWriter(in)
		defer w.Flush()
		enc := json.NewEncoder(w)
		for _, d := range docs {
			if enc.Encode(struct {
				ID       string `json:"id"`
				Markdown string `json:"markdown"`
			}{d.ID, d.Markdown}) != nil {
				return
			}
		}
	}()

	packets = map[string]map[string]*packet.Packet{}
	refused = map[string]string{}
	dec := json.NewDecoder(bufio.NewReaderSize(out, 1<<20))
	for {
		var line struct {
			ID      string         `json:"id"`
			Surface string         `json:"surface"`
			Packet  *packet.Packet `json:"packet"`
			Error   any            `json:"error"`
		}
		if err := dec.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("vak preview: %w\n%s", err, tail(said.Bytes(), 2000))
		}
		if line.Packet == nil {
			refused[line.ID] = fmt.Sprint(line.Error)
			continue
		}
		if packets[line.ID] == nil {
			packets[line.ID] = map[string]*packet.Packet{}
		}
		packets[line.ID][line.Surface] = line.Packet
	}
	if err := cmd.Wait(); err != nil && len(refused) == 0 {
		return nil, nil, fmt.Errorf("vak preview: %w\n%s", err, tail(said.Bytes(), 2000))
	}
	return packets, refused, nil
}
