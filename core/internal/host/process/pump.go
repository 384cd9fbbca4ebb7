package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
)

// Bounds of one plugin's log.
const (
	maxLine    = 64 << 10 // bytes of a line; the rest of it is dropped
	maxTail    = 32 << 10 // bytes that are kept for errors
	maxPairs   = 32       // facts of a line
	maxMessage = 1024     // bytes of a message
	maxFact    = 8 << 10  // bytes of a fact, of a stack for instance

	linesPerSecond = 200
	linesBurst     = 1000

	// Above this the pump reads no more for a while: the plugin stalls on its
	// own log, and the host does not burn a core on dropping it.
	bytesPerSecond = 1 << 20
	bytesBurst     = 4 << 20
)

// A pump reads the standard error of a process into the host's log. It takes
// whatever comes: JSON as hclog writes it, any other JSON, text, garbage.
type pump struct {
	log   hclog.Logger
	lines bucket
	bytes bucket

	mu     sync.Mutex
	last   []byte
	hungry bool
}

func newPump(log hclog.Logger) *pump {
	now := time.Now()
	return &pump{
		log:   log,
		lines: bucket{rate: linesPerSecond, burst: linesBurst, have: linesBurst, at: now},
		bytes: bucket{rate: bytesPerSecond, burst: bytesBurst, have: bytesBurst, at: now},
	}
}

// run reads r to its end. ended ends its pauses.
func (p *pump) run(r io.Reader, ended <-chan struct{}) {
	b := bufio.NewReaderSize(r, maxLine)
	dropped := 0
	for {
		line, err := b.ReadSlice('\n')
		size := len(line)
		p.keep(line)
		for err == bufio.ErrBufferFull { // the rest of a line that is too long
			first := bytes.Clone(line)
			for err == bufio.ErrBufferFull {
				line, err = b.ReadSlice('\n')
				size += len(line)
				p.keep(line)
			}
			line = first
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			now := time.Now()
			if p.lines.take(1, now) {
				if dropped > 0 {
					p.log.Warn("plugin log lines dropped", "count", dropped)
					dropped = 0
				}
				p.emit(text)
			} else {
				dropped++
			}
		}
		if err != nil {
			break
		}
		if wait := p.bytes.spend(float64(size), time.Now()); wait > 0 {
			select {
			case <-ended:
			case <-time.After(wait):
			}
		}
	}
	if dropped > 0 {
		p.log.Warn("plugin log lines dropped", "count", dropped)
	}
}

// keep adds to the tail.
func (p *pump) keep(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = append(p.last, b...)
	if len(p.last) > 2*maxTail {
		p.last = slices.Delete(p.last, 0, len(p.last)-maxTail)
	}
}

// tail is the end of what the process wrote, made printable.
func (p *pump) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.last[max(0, len(p.last)-maxTail):]
	return printable(string(b), maxTail, true)
}

// starved reports whether the process said that it got no more memory.
func (p *pump) starved() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hungry
}

// emit logs one line.
func (p *pump) emit(line []byte) {
	if line[0] == '{' {
		var fields map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if d.Decode(&fields) == nil && fields != nil {
			p.emitFields(fields)
			return
		}
	}
	text := string(line)
	if strings.HasPrefix(text, "fatal error: ") && strings.HasSuffix(text, "out of memory") { // Go's own words, before a trace that may be longer than the tail
		p.mu.Lock()
		p.hungry = true
		p.mu.Unlock()
	}
	level := hclog.Debug
	if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
		level = hclog.Error
	}
	p.log.Log(level, "plugin output", "text", printable(text, maxFact, false))
}

// emitFields logs a line of JSON. The plugin's word on time, place and identity
// is dropped.
func (p *pump) emitFields(fields map[string]any) {
	level := hclog.Debug
	if s, ok := fields["@level"].(string); ok {
		if l := hclog.LevelFromString(s); l != hclog.NoLevel && l != hclog.Off {
			level = l
		}
	}
	message := "plugin output"
	if s, ok := fields["@message"].(string); ok && s != "" {
		message = printable(s, maxMessage, false)
	}
	keys := make([]string, 0, len(fields))
	for k := range fields {
		if !strings.HasPrefix(k, "@") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	if len(keys) > maxPairs {
		keys = keys[:maxPairs]
	}
	pairs := make([]any, 0, 2*len(keys))
	for _, k := range keys {
		pairs = append(pairs, key(k), fact(fields[k]))
	}
	p.log.Log(level, message, pairs...)
}

// key makes a plugin's key one that cannot be taken for the host's.
func key(k string) string {
	k = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, printable(k, 64, false))
	switch k {
	case "", "plugin", "version", "pid", "kind", "source":
		return "its_" + k
	}
	return k
}

func fact(v any) any {
	switch v := v.(type) {
	case string:
		return printable(v, maxFact, true)
	case bool, nil, json.Number:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	return printable(string(b), maxFact, false)
}

// printable bounds s and escapes what a terminal might obey. Lines stay lines
// where the log indents them.
func printable(s string, most int, lines bool) string {
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) && !(lines && (r == '\n' || r == '\t')) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case lines && (r == '\n' || r == '\t'), unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// A bucket fills at rate a second up to burst.
type bucket struct {
	rate, burst, have float64
	at                time.Time
}

func (b *bucket) fill(now time.Time) {
	b.have = min(b.burst, b.have+b.rate*now.Sub(b.at).Seconds())
	b.at = now
}

// take takes n, or reports that they are not there.
func (b *bucket) take(n float64, now time.Time) bool {
	b.fill(now)
	if b.have < n {
		return false
	}
	b.have -= n
	return true
}

// spend takes n and returns how long to wait until the bucket is not in debt.
func (b *bucket) spend(n float64, now time.Time) time.Duration {
	b.fill(now)
	b.have -= n
	if b.have >= 0 {
		return 0
	}
	return time.Duration(-b.have / b.rate * float64(time.Second))
}
