package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/seed-1ae66336/vak/core"
)

// openInput opens what args name: a file, or standard input for "-" and for
// nothing. The name is for errors, and verb what is to be done with it. A person at a terminal who named nothing is
// told how to go on instead of being left waiting.
func (a *app) openInput(args []string, verb string) (io.ReadCloser, string, error) {
	if len(args) == 0 && term.IsTerminal(int(a.in.Fd())) {
		return nil, "", usagef("name a file to %[1]s (vak %[1]s answer.md), pipe markdown in, or use - to type it; \"vak demo\" shows an example", verb)
	}
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(a.in), "standard input", nil
	}
	return openFile(args[0])
}

// openFile opens a file of input. The name that it returns is for errors.
func openFile(name string) (io.ReadCloser, string, error) {
	f, err := os.Open(name)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.IsDir() {
			f.Close()
			return nil, "", &problem{exitInput, fmt.Sprintf("cannot read %s: it is a directory; name a file in it", quoted(name))}
		}
	}
	if err != nil {
		mend := "check the name and its permissions"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err, mend = errors.New("there is no such file"), "check the name, or use - for standard input"
		case errors.Is(err, fs.ErrPermission):
			err, mend = errors.New("permission denied"), "check who may read it"
		default:
			if p, ok := errors.AsType[*fs.PathError](err); ok {
				err = p.Err
			}
		}
		return nil, "", &problem{exitInput, fmt.Sprintf("cannot read %s: %v; %s", quoted(name), err, mend)}
	}
	return f, quoted(name), nil
}

// readSource reads one answer, and of an answer that is too large no more than
// shows that it is.
func (a *app) readSource(ctx context.Context, args []string, verb string) (string, error) {
	r, name, err := a.openInput(args, verb)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b []byte
	read := make(chan struct{})
	go func() { // a read from a terminal cannot be called off, so it is left behind
		defer close(read)
		b, err = io.ReadAll(io.LimitReader(r, core.MaxSource+1))
	}()
	select {
	case <-read:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if err != nil {
		return "", &problem{exitInput, fmt.Sprintf("cannot read %s: %v; check the file and the disk", name, unwrapPath(err))}
	}
	if len(b) > core.MaxSource {
		return "", &problem{exitInput, fmt.Sprintf("%s is larger than 4 MiB (%s bytes), the most that one answer may have; split it, or send it as a file", name, thousands(core.MaxSource))}
	}
	return string(b), nil
}

func unwrapPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// thousands is n with a comma before every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// hintPlugins adds to an unknown surface where to get plugins, if there are
// none at all.
func hintPlugins(err error, surfaces int) error {
	if surfaces > 1 || !errors.Is(err, core.ErrUnknownSurface) {
		return err
	}
	return &problem{exitSurface, err.Error() + ". " + noPlugins}
}
