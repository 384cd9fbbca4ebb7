package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"unicode/utf8"
)

// A Script is a parser that runs in a node process of its own and answers line
// by line. It is for one goroutine at a time.
type Script struct {
	*process
	unit func(string) error
	link func(string) string
}

// process is a node process that answers each line of JSON with one.
type process struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// What the platforms allow one message, less the margins that vak promises.
const (
	slackMax   = 3900
	discordMax = 1900
)

// StartSlack starts slack-message-parser, found below modules.
func StartSlack(node, modules string) (*Script, error) {
	l, err := startProcess(node, "slack.mjs", modules)
	return &Script{process: l, unit: codepoints(slackMax), link: func(href string) string {
		return "<" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(href) + "|x>"
	}}, err
}

// StartDiscord starts discord-markdown, found below modules.
func StartDiscord(node, modules string) (*Script, error) {
	l, err := startProcess(node, "discord.mjs", modules)
	return &Script{process: l, unit: codepoints(discordMax), link: func(href string) string {
		return "<" + href + ">"
	}}, err
}

func codepoints(limit int) func(string) error {
	return func(chunk string) error {
		if n := utf8.RuneCountInString(chunk); n > limit {
			return fmt.Errorf("%d code points, %d allowed", n, limit)
		}
		return nil
	}
}

// Link implements [Parser].
func (s *Script) Link(href string) string { return s.link(href) }

func startProcess(node, script, modules string) (*process, error) {
	l := &process{name: strings.TrimSuffix(script, ".mjs"), cmd: exec.Command(node, script, modules)}
	l.cmd.Stderr = os.Stderr
	var err error
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.out = bufio.NewReaderSize(out, 1<<20)
	return l, l.cmd.Start()
}

// ask sends a line and reads the answer to it.
func (l *process) ask(question, answer any) error {
	b, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if _, err := l.in.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	line, err := l.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return nil
}

// run runs a script to its end and returns what it writes.
func run(node string, in []byte, script string, args ...string) ([]byte, error) {
	cmd := exec.Command(node, append([]string{script}, args...)...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", script, err, tail(said.Bytes(), 2000))
	}
	return out, nil
}

// Read implements [Parser].
func (s *Script) Read(chunk string) (Reading, error) {
	var r Reading
	if err := s.unit(chunk); err != nil {
		r.Faults = append(r.Faults, err.Error())
	}
	faults := r.Faults
	if err := s.ask(struct {
		Text string `json:"text"`
	}{chunk}, &r); err != nil {
		return r, err
	}
	r.Faults = append(faults, r.Faults...)
	blank := true
	for _, run := range r.Runs {
		blank = blank && len(visible(run.Text)) == 0
	}
	if blank {
		r.Faults = append(r.Faults, "blank message")
	}
	return r, nil
}

// Close ends the process.
func (l *process) Close() error {
	l.in.Close()
	return l.cmd.Wait()
}
