package oracle

import (
	"bufio"
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
	name string
	unit func(string) error
	link func(string) string
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
	return start(&Script{name: "slack", unit: codepoints(slackMax), link: func(href string) string {
		return "<" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(href) + "|x>"
	}}, node, modules)
}

// StartDiscord starts discord-markdown, found below modules.
func StartDiscord(node, modules string) (*Script, error) {
	return start(&Script{name: "discord", unit: codepoints(discordMax), link: func(href string) string {
		return "<" + href + ">"
	}}, node, modules)
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

func start(s *Script, node, modules string) (*Script, error) {
	s.cmd = exec.Command(node, s.name+".mjs", modules)
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	return s, s.cmd.Start()
}

// Read implements [Parser].
func (s *Script) Read(chunk string) (Reading, error) {
	var r Reading
	if err := s.unit(chunk); err != nil {
		r.Faults = append(r.Faults, err.Error())
	}
	b, err := json.Marshal(struct {
		Text string `json:"text"`
	}{chunk})
	if err != nil {
		return r, err
	}
	if _, err := s.in.Write(append(b, '\n')); err != nil {
		return r, fmt.Errorf("%s: %w", s.name, err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("%s: %w", s.name, err)
	}
	faults := r.Faults
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("%s: %w", s.name, err)
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
func (s *Script) Close() error {
	s.in.Close()
	return s.cmd.Wait()
}
