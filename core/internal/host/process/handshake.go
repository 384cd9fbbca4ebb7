package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// maxHandshake bounds the one line that a plugin says on standard output.
const maxHandshake = 4096

// readHello reads the handshake and judges it, then reads on so that whatever
// else the process writes to standard output does not block it.
func (r *runner) readHello() {
	defer r.readers.Done()
	b := bufio.NewReaderSize(r.stdout, maxHandshake)
	line, err := b.ReadSlice('\n')
	if err == nil || len(line) > 0 {
		if e := judgeHello(string(bytes.TrimSpace(line)), r.tls); e != nil {
			r.problem(e)
		} else {
			r.helloLine = string(line)
		}
	}
	close(r.hello)
	io.Copy(io.Discard, b)
}

// judgeHello tells a plugin of another protocol from a binary that is none. Only
// what passes is shown to go-plugin, whose own errors quote the line, and which a
// certificate that nobody asked for would make panic.
func judgeHello(line string, tls bool) *fault.Error {
	e := &fault.Error{Op: "start", Kind: fault.Contract, Source: fault.FromPlugin, Message: "what the binary says on its standard output is no handshake", Hint: "it is not a vak plugin, or it prints something before surface.Serve or skill.Serve"}
	parts := strings.Split(line, "|")
	if len(parts) < 5 || parts[0] != "1" {
		return e
	}
	version, err := strconv.Atoi(parts[1])
	if err != nil {
		return e
	}
	if version != hostapi.Protocol {
		e.Kind, e.Message = fault.Incompatible, fmt.Sprintf("the plugin speaks protocol %d, this vak does not", version)
		e.Hint = "update the older of the two"
		return e
	}
	if parts[4] != "grpc" {
		return e
	}
	if !tls && len(parts) > 5 && parts[5] != "" {
		e.Message, e.Hint = "the plugin shows a certificate that it was not asked for", "tell the plugin's author: TLS is for when PLUGIN_CLIENT_CERT is set"
		return e
	}
	return nil
}

// helloReader gives the first line once it is there, then the end.
type helloReader struct {
	run *runner
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
