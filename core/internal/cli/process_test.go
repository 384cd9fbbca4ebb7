package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// TestBrokenPipe closes the pipe that vak writes to, as "vak … | head" does.
func TestBrokenPipe(t *testing.T) {
	cmd := exec.Command(binaries.Build(t), "preview", "--jsonl", "--surface", "log")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer in.Close()
		for i := range 10_000 {
			if _, err := fmt.Fprintf(in, `{"id":%d,"markdown":"%s"}`+"\n", i, strings.Repeat("word ", 200)); err != nil {
				return
			}
		}
	}()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil || errs.Len() > 0 {
		t.Errorf("it ended with %v and said %q", err, &errs)
	}
}

// TestLinesAnswerAtOnce shows that a line is answered before the next is
// written, so that --jsonl can be talked with.
func TestLinesAnswerAtOnce(t *testing.T) {
	cmd := exec.Command(binaries.Build(t), "preview", "--jsonl", "--surface", "log")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // ends the read below if there is no answer
	timer := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewReader(out)
	for i := range 3 {
		fmt.Fprintf(in, `{"id":%d,"markdown":"hello"}`+"\n", i)
		line, err := lines.ReadString('\n')
		if want := fmt.Sprintf(`{"id":%d,`, i); err != nil || !strings.HasPrefix(line, want) {
			t.Fatalf("line %d: %v, %q", i, err, line)
		}
	}
	in.Close()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("after the end: %v, %q", err, rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestInterrupt shows that an interrupt ends a run that waits for input.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals there")
	}
	for _, args := range [][]string{{"preview", "--surface", "log"}, {"preview", "--jsonl", "--surface", "telegram"}} {
		cmd := exec.Command(binaries.Build(t), args...)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if args[1] == "--jsonl" { // once there is an answer, the handler is in place
			fmt.Fprintln(in, `{"id":1,"markdown":"hello"}`)
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		timer := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		timer.Stop()
		// Before the handler is in place the signal itself ends the process: -1.
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted && !(code == -1 && args[1] != "--jsonl" && !strings.Contains(cmd.ProcessState.String(), "killed")) {
			t.Errorf("%v: %v", args, cmd.ProcessState)
		}
		in.Close()
	}
}

// TestOrder writes many lines of very different sizes.
func TestOrder(t *testing.T) {
	const n = 200
	var in bytes.Buffer
	for i := range n {
		fmt.Fprintf(&in, `{"id":%d,"markdown":"%s"}`+"\n", i, strings.Repeat("word **bold** ", i*7919%n*20))
	}
	cmd := exec.Command(binaries.Build(t), "preview", "--jsonl", "--surface", "slack,log")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != 2*n {
		t.Fatalf("%d lines", len(lines))
	}
	for i, l := range lines {
		want := fmt.Sprintf(`{"id":%d,"surface":"%s",`, i/2, []string{"slack", "log"}[i%2])
		if !bytes.HasPrefix(l, []byte(want)) {
			t.Fatalf("line %d is %.80q", i, l)
		}
	}
}

// TestLongLine sends a line beyond the bound and one after it.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	cmd := exec.Command(binaries.Build(t), "preview", "--jsonl", "--surface", "log")
	cmd.Stdin = io.MultiReader(
		strings.NewReader(`{"id":1,"markdown":"`), strings.NewReader(long), strings.NewReader("\"}\n"),
		strings.NewReader(`{"id":2,"markdown":"after"}`)) // and no newline at the end
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"id":null,"error":"line 1: longer than 24 MiB`) || !strings.HasPrefix(lines[1], `{"id":2,"surface":"log",`) {
		t.Errorf("got %.200q", lines)
	}
}
