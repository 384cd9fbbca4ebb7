package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
)

// openTerminal makes a terminal of 50 lines.
func openTerminal(t *testing.T, columns uint16) (ptmx, tty *os.File) {
	t.Helper()
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	fd := int(ptmx.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	return ptmx, tty
}

// onTerminal runs vak with a terminal of the given width as its standard
// streams and returns what the terminal shows.
func onTerminal(t *testing.T, columns uint16, env []string, args ...string) (string, int) {
	t.Helper()
	ptmx, tty := openTerminal(t, columns)
	defer ptmx.Close()
	cmd := exec.Command(binaries.Build(t), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(append(os.Environ(), "NO_COLOR=", "TERM=xterm"), env...)
	err := cmd.Start()
	tty.Close()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := io.Copy(&out, ptmx); err != nil && !errors.Is(err, syscall.EIO) { // EIO: the last writer is gone
		t.Fatal(err)
	}
	cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}

func TestTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answer.md")
	if err := os.WriteFile(file, []byte("hello **all**\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why     string
		env     []string
		args    []string
		code    int
		has     []string
		hasNot  string
		columns uint16
	}{
		{"nothing to read and nobody to read from: say how to go on, do not wait", nil, []string{"preview"}, exitUsage, []string{"vak: name a file to preview", "vak demo"}, "", 80},
		{"colour on a terminal", nil, []string{"preview", file}, exitOK, []string{"\x1b[1;36mtelegram", "hello"}, "", 80},
		{"no colour where the user wants none", []string{"NO_COLOR=1"}, []string{"preview", file}, exitOK, []string{"telegram"}, "\x1b", 80},
		{"no colour on a dumb terminal", []string{"TERM=dumb"}, []string{"preview", file}, exitOK, []string{"telegram"}, "\x1b", 80},
		{"no colour if told so", nil, []string{"preview", "--color", "never", file}, exitOK, []string{"telegram"}, "\x1b", 80},
		{"the width of the terminal", nil, []string{"preview", "--color", "never", "-s", "log", file}, exitOK, []string{"└" + strings.Repeat("─", 58) + "┘"}, "", 60},
	} {
		out, code := onTerminal(t, c.columns, c.env, c.args...)
		if code != c.code {
			t.Errorf("%s: exit %d, %q", c.why, code, out)
		}
		for _, want := range c.has {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in %q", c.why, want, out)
			}
		}
		if c.hasNot != "" && strings.Contains(out, c.hasNot) {
			t.Errorf("%s: %q in %q", c.why, c.hasNot, out)
		}
	}
}
