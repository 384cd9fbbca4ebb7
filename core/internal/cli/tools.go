package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-1ae66336/vak/core"
)

// toolsFlag names the file with the calls of tools that led to an answer.
type toolsFlag struct{ file string }

func (f *toolsFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "tools", "", "the calls of tools that led to the answer, a JSON array in `FILE`")
}

// toolsHelp tells what a call may have. It stands where there is the flag.
const toolsHelp = `--tools names a file with the calls of tools that led to the answer, as a JSON
array of objects. Each has a name, and may have arguments (an object), result (a
text, or JSON), failed, command and exit_code (of a shell), and declares (a list of
signals). A call that hands over a card is a part of the answer.`

// maxToolsFile bounds a file of calls, in bytes.
const maxToolsFile = 16 << 20

// read reads the file; without one there are no calls.
func (f *toolsFlag) read() ([]core.ToolUse, error) {
	if f.file == "" {
		return nil, nil
	}
	if f.file == "-" {
		return nil, usagef("--tools names a file; standard input is for the answer")
	}
	r, name, err := openFile(f.file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxToolsFile+1))
	if err != nil {
		return nil, &problem{exitInput, fmt.Sprintf("cannot read %s: %v; check the file and the disk", name, unwrapPath(err))}
	}
	if len(b) > maxToolsFile {
		return nil, &problem{exitInput, fmt.Sprintf("%s is larger than %d MiB, the most that the calls of one answer may have; leave out those that hand over no card", name, maxToolsFile>>20)}
	}
	tools, wrong := parseTools(b)
	if wrong != nil {
		return nil, &problem{exitInput, fmt.Sprintf("%s:%d: %s", visible(f.file), lineAt(b, wrong.at), wrong)}
	}
	return tools, nil
}

// answer reads the answer that the calls led to. Where they are there and nothing
// else is named, a person at a terminal has no more to say.
func (f *toolsFlag) answer(ctx context.Context, a *app, args []string, verb string) (string, error) {
	if f.file != "" && len(args) == 0 && term.IsTerminal(int(a.in.Fd())) {
		return "", nil
	}
	return a.readSource(ctx, args, verb)
}

// A misread is what is wrong with calls of tools. It holds nothing of their
// values.
type misread struct {
	at   int    // bytes before it
	path string // JSON pointer
	what string
}

func (m *misread) Error() string {
	if m.path == "" {
		return m.what
	}
	return oneLine(m.path) + ": " + m.what
}

// toolMembers are what a call may have, in the order in which they are told.
var toolMembers = []string{"name", "arguments", "result", "failed", "command", "exit_code", "declares"}

// parseTools reads an array of calls, and nothing that is not one.
func parseTools(b []byte) ([]core.ToolUse, *misread) {
	if !utf8.Valid(b) {
		return nil, &misread{what: "it is not valid UTF-8"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		at := 0
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = int(e.Offset)
		}
		return nil, &misread{at: at, what: "it is no JSON: " + err.Error()}
	}
	r := &toolReader{dec: json.NewDecoder(bytes.NewReader(b)), b: b}
	tools, err := r.array()
	if m, ok := errors.AsType[*misread](err); ok || err == nil {
		return tools, m
	}
	return nil, &misread{path: r.path(), what: "it cannot be read"}
}

// A toolReader walks through an array of calls that is JSON.
type toolReader struct {
	dec    *json.Decoder
	b      []byte
	call   int    // from 1; 0: before the first
	member string // of it; empty: none
}

// path is where the reader is.
func (r *toolReader) path() string {
	p := ""
	if r.call > 0 {
		p = "/" + strconv.Itoa(r.call-1)
	}
	if r.member != "" {
		p += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(r.member)
	}
	return p
}

func (r *toolReader) wrong(what string) error {
	at := int(r.dec.InputOffset())
	for at < len(r.b) && strings.IndexByte(" \t\r\n,:", r.b[at]) >= 0 {
		at++ // to what is wrong, which may be in another line
	}
	return &misread{at: at, path: r.path(), what: what}
}

// opens reads the delimiter that a value begins with.
func (r *toolReader) opens(delimiter json.Delim, otherwise string) error {
	was := r.wrong(otherwise)
	t, err := r.dec.Token()
	if err == nil && t != delimiter {
		err = was
	}
	return err
}

func (r *toolReader) array() ([]core.ToolUse, error) {
	if err := r.opens('[', "expected an array of calls"); err != nil {
		return nil, err
	}
	out := []core.ToolUse{}
	for r.dec.More() {
		if r.call++; r.call > core.MaxTools {
			return nil, r.wrong(fmt.Sprintf("there are more than %d calls", core.MaxTools))
		}
		u, err := r.object()
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

func (r *toolReader) object() (u core.ToolUse, err error) {
	begin := r.wrong("there is no name; every call has the name of its tool")
	if err := r.opens('{', `expected an object, as {"name": "shell"}`); err != nil {
		return u, err
	}
	var seen []string
	for r.dec.More() {
		before := int(r.dec.InputOffset())
		key, err := r.dec.Token()
		if err != nil {
			return u, err
		}
		r.member, _ = key.(string)
		switch {
		case !slices.Contains(toolMembers, r.member):
			return u, r.unknown(before)
		case slices.Contains(seen, r.member):
			return u, r.wrong("it is there twice")
		}
		seen = append(seen, r.member)
		if err := r.value(&u); err != nil {
			return u, err
		}
		r.member = ""
	}
	if _, err := r.dec.Token(); err != nil {
		return u, err
	}
	if u.Name == "" {
		return u, begin
	}
	return u, nil
}

// unknown is about a member that there is not. Its name is the writer's, and long
// ones are cut.
func (r *toolReader) unknown(before int) error {
	if len(r.member) > 60 {
		r.member = strings.ToValidUTF8(r.member[:60], "") + "…"
	}
	err := r.wrong("there is no such member; use " + strings.Join(toolMembers, ", "))
	if m, ok := errors.AsType[*misread](err); ok {
		m.at = before
	}
	return err
}

// value reads the value of a member into what it belongs to.
func (r *toolReader) value(u *core.ToolUse) error {
	var into any
	want := "a text"
	switch r.member {
	case "name":
		into = &u.Name
	case "command":
		into = &u.Command
	case "arguments":
		into, want = &u.Arguments, "an object"
	case "result":
		return r.result(u)
	case "failed":
		into, want = &u.Failed, "true or false"
	case "exit_code":
		into, want = &u.ExitCode, "a whole number"
	case "declares":
		into, want = &u.Declares, "a list of texts"
	}
	was := r.wrong("expected " + want)
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return err
	}
	if string(raw) == "null" || json.Unmarshal(raw, into) != nil || r.member == "arguments" && raw[0] != '{' {
		return was
	}
	return nil
}

// result reads what came of a call: a text as it is, anything else as its JSON.
func (r *toolReader) result(u *core.ToolUse) error {
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return err
	}
	if raw[0] == '"' {
		return json.Unmarshal(raw, &u.Result)
	}
	u.Result = string(raw)
	return nil
}
