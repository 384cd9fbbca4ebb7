package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// TestScripts runs the scripts in testdata through the real binary, with the
// real plugins beside it. A script is a txtar archive: its comment holds the
// commands, its files stand in the directory that they run in.
//
//	vak ARG…           run vak; the commands below are about this run
//	stdin FILE         what the next run reads
//	env NAME=VALUE     what the next run finds in its environment
//	in DIR             where the next run is
//	mode FILE OCTAL    change permissions
//	exit N             it ended with this code; every run is followed by one
//	stdout RE          standard output matches, line by line (also stderr)
//	! stdout RE        it does not
//	stdout.is FILE     it is exactly this (also stderr.is)
//	stdout.like FILE   it is this once times, ages and hashes are TIME, AGE and HASH
//	                   (also stderr.like)
//	empty stdout       nothing was written (also stderr)
//	oneline            standard error is one line that begins with "vak: "
//	json               standard output is JSON
//	jsonl N            standard output is N lines of JSON
//	there FILE         it is there; gone FILE: it is not
//	same FILE FILE     the two are equal
//	bytes FILE TEXT    make a file of a Go string
//	fill FILE N TEXT   make a file of N bytes by repeating TEXT
//	plugin ID SOURCE   make plugins/ID with SOURCE as its plugin.json
//	hide FILE          take away all permissions (ends the script for root)
//	# …                why
//
// Arguments are split at spaces; '…' keeps them together. $FAULTY is a directory
// with the plugin of that name.
func TestScripts(t *testing.T) {
	vak := binaries.Build(t)
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{vak: vak, dir: t.TempDir(), code: -1}
			for _, f := range a.Files {
				path := filepath.Join(s.dir, f.Name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			for i, line := range strings.Split(string(a.Comment), "\n") {
				if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
					continue
				}
				if err := s.do(line); errors.Is(err, errStop) {
					t.Skip("root may read everything")
				} else if err != nil {
					t.Fatalf("%s:%d: %s: %v\nexit %d\nstdout: %.2000s\nstderr: %.2000s", file, i+1, line, err, s.code, s.stdout, s.stderr)
				}
			}
			if s.unchecked {
				t.Fatalf("%s: the last run has no exit", file)
			}
		})
	}
}

var errStop = errors.New("stop")

type script struct {
	vak, dir       string
	stdin, in      string
	env            []string
	stdout, stderr []byte
	code           int
	unchecked      bool
}

func (s *script) do(line string) error {
	args, err := words(strings.ReplaceAll(line, "$FAULTY", filepath.Join(filepath.Dir(s.vak), "faulty")))
	if err != nil {
		return err
	}
	negate := args[0] == "!"
	if negate {
		args = args[1:]
	}
	streams := map[string]*[]byte{"stdout": &s.stdout, "stderr": &s.stderr}
	switch cmd := args[0]; cmd {
	case "vak":
		if s.unchecked {
			return errors.New("the run before has no exit")
		}
		return s.run(args[1:])
	case "stdin":
		s.stdin = args[1]
	case "env":
		s.env = append(s.env, args[1])
	case "in":
		s.in = args[1]
	case "mode":
		mode, err := strconv.ParseUint(args[2], 8, 32)
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(s.dir, args[1]), os.FileMode(mode))
	case "exit":
		s.unchecked = false
		if want, _ := strconv.Atoi(args[1]); want != s.code {
			return fmt.Errorf("it ended with %d", s.code)
		}
	case "stdout", "stderr":
		re, err := regexp.Compile("(?m)" + args[1])
		if err != nil {
			return err
		}
		if re.Match(*streams[cmd]) == negate {
			return errors.New("no")
		}
	case "stdout.is", "stderr.is":
		want, err := os.ReadFile(filepath.Join(s.dir, args[1]))
		if err != nil {
			return err
		}
		if !bytes.Equal(want, *streams[cmd[:6]]) {
			return fmt.Errorf("want %q", want)
		}
	case "stdout.like", "stderr.like":
		want, err := os.ReadFile(filepath.Join(s.dir, args[1]))
		if err != nil {
			return err
		}
		if got := timeless(string(*streams[cmd[:6]])); got != string(want) {
			return fmt.Errorf("want\n%s\nhave\n%s", want, got)
		}
	case "there", "gone":
		if _, err := os.Stat(filepath.Join(s.dir, args[1])); (err == nil) != (cmd == "there") {
			return fmt.Errorf("%v", err)
		}
	case "same":
		a, err := os.ReadFile(filepath.Join(s.dir, args[1]))
		b, err2 := os.ReadFile(filepath.Join(s.dir, args[2]))
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("%.200q and %.200q", a, b)
		}
	case "bytes":
		b, err := strconv.Unquote(`"` + args[2] + `"`)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(s.dir, args[1]), []byte(b), 0o600)
	case "empty":
		if len(*streams[args[1]]) > 0 {
			return errors.New("something was written")
		}
	case "oneline":
		if !regexp.MustCompile(`\Avak: [^\n]+\n\z`).Match(s.stderr) {
			return errors.New("no")
		}
	case "json":
		if !json.Valid(s.stdout) {
			return errors.New("no")
		}
	case "jsonl":
		lines := bytes.SplitAfter(s.stdout, []byte("\n"))
		if n := len(lines) - 1; strconv.Itoa(n) != args[1] || len(lines[n]) > 0 {
			return fmt.Errorf("%d lines", n)
		}
		for i, l := range lines[:len(lines)-1] {
			if !json.Valid(l) {
				return fmt.Errorf("line %d is not JSON", i+1)
			}
		}
	case "fill":
		n, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		text := strings.Repeat(args[3], n/len(args[3])+1)[:n]
		return os.WriteFile(filepath.Join(s.dir, args[1]), []byte(text), 0o644)
	case "plugin":
		manifest, err := os.ReadFile(filepath.Join(s.dir, args[2]))
		if err != nil {
			return err
		}
		dir := filepath.Join(s.dir, "plugins", args[1])
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "plugin.json"), manifest, 0o644)
	case "hide":
		if os.Geteuid() == 0 || runtime.GOOS == "windows" {
			return errStop
		}
		return os.Chmod(filepath.Join(s.dir, args[1]), 0)
	default:
		return errors.New("unknown command")
	}
	return nil
}

// what differs from run to run.
var differs = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\b\d+(s|m|h\d\dm|d\d+h)\b`), "AGE"},
	{regexp.MustCompile(`\b[0-9a-f]{32,64}\b`), "HASH"},
	{regexp.MustCompile(`"key":"[a-z2-7]{25}"`), `"key":"KEY"`},
	{regexp.MustCompile(`AGE +`), "AGE "},
}

func timeless(s string) string {
	for _, d := range differs {
		s = d.re.ReplaceAllString(s, d.with)
	}
	return s
}

func (s *script) run(args []string) error {
	cmd := exec.Command(s.vak, args...)
	cmd.Dir = filepath.Join(s.dir, s.in)
	cmd.Env = append(append(os.Environ(), "NO_COLOR=", "TERM=xterm", "VAK_HOME="+filepath.Join(s.dir, "home")), s.env...)
	s.in, s.env = "", nil
	if s.stdin != "" {
		f, err := os.Open(filepath.Join(s.dir, s.stdin))
		if err != nil {
			return err
		}
		defer f.Close()
		cmd.Stdin, s.stdin = f, ""
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	s.stdout, s.stderr, s.code, s.unchecked = out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode(), true
	return nil
}

// words splits line at spaces outside of '…'.
func words(line string) ([]string, error) {
	var out []string
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		if line[0] == '\'' {
			word, rest, ok := strings.Cut(line[1:], "'")
			if !ok {
				return nil, errors.New("unclosed quote")
			}
			out, line = append(out, word), rest
			continue
		}
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		out, line = append(out, line[:end]), line[end:]
	}
	return out, nil
}
