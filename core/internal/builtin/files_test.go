//go:build unix

package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// logTo is a client of the log's transport, as a host has it.
func logTo(t *testing.T, dir string) *hostapi.Client {
	t.Helper()
	c := hostapi.LocalTransport(Log(dir), nil)
	if err := c.Configure(context.Background(), surface.Account{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func line(address, text string) surface.SendRequest {
	return surface.SendRequest{Target: surface.Target{Address: address}, Silent: true, Chunk: surface.Chunk{Text: "not this", Plain: text}}
}

func TestLogSends(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "log")
	c := logTo(t, dir)
	for _, step := range []struct{ address, text, id string }{
		{"ops", "one\ntwo", "ops@0"}, {"ops", "ü", "ops@8"}, {"a_B-1.x", "three", "a_B-1.x@0"}, {"ops", "four", "ops@11"},
	} {
		got, err := c.Send(context.Background(), line(step.address, step.text))
		if err != nil || len(got.Refs) != 1 || got.Refs[0].ID != step.id {
			t.Errorf("%s: %+v, %v, want %s", step.text, got, err, step.id)
		}
	}
	for name, want := range map[string]string{"ops.log": "one\ntwo\nü\nfour\n", "a_B-1.x.log": "three\n"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v, want %q", name, b, err, want)
		}
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	if p := Log(""); p.NewTransport != nil {
		t.Error("it sends to nowhere")
	}
}

func TestLogAddresses(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(dir, "outside.log")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(log, "link.log")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "new.log"), filepath.Join(log, "dangling.log")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(log, "folder.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(log, "pipe.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := logTo(t, log)
	for _, row := range []struct{ address, code string }{
		{".hidden", "bad_address"}, {"..", "bad_address"}, {"../outside", "bad_address"}, {"a/b", "bad_address"}, {"a b", "bad_address"},
		{"ü", "bad_address"}, {strings.Repeat("x", 65), "bad_address"},
		{"link", "not_a_file"}, {"dangling", "not_a_file"}, {"folder", "not_a_file"}, {"pipe", "not_a_file"},
	} {
		_, err := c.Send(context.Background(), line(row.address, "x"))
		d, ok := errors.AsType[*surface.DeliveryError](err)
		if !ok || d.Class != surface.Permanent || d.Code != row.code || d.Hint == "" {
			t.Errorf("%s: %v, want %s", row.address, err, row.code)
		}
	}
	if _, err := c.Send(context.Background(), line(strings.Repeat("x", 64), "x")); err != nil {
		t.Errorf("64 letters: %v", err)
	}
	if st, err := os.Stat(outside); err != nil || st.Size() != 0 {
		t.Error("what a link points to was written to")
	}
	if _, err := os.Stat(filepath.Join(dir, "new.log")); err == nil {
		t.Error("what a link points to was made")
	}
}

// torn is a file that fails.
type torn struct {
	*os.File
	room           int // bytes that it takes
	write          error
	truncate, sync error
}

func (f *torn) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *torn) Write(b []byte) (int, error) {
	if f.write == nil {
		return f.File.Write(b)
	}
	n, _ := f.File.Write(b[:f.room])
	return n, f.write
}

func (f *torn) Truncate(n int64) error {
	if f.truncate != nil {
		return f.truncate
	}
	return f.File.Truncate(n)
}

func (f *torn) Sync() error { return errors.Join(f.sync, f.File.Sync()) }

func TestLogFails(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		file  torn
		class surface.Class
		code  string
		left  string
		why   string
	}{
		{torn{write: io.ErrClosedPipe}, surface.Transient, "io", "before\n", "nothing was written"},
		{torn{write: full}, surface.Transient, "disk_full", "before\n", "no space at all"},
		{torn{write: full, room: 3}, surface.Transient, "disk_full", "before\n", "what there was space for is taken back"},
		{torn{write: io.ErrShortWrite, room: 3, truncate: io.ErrClosedPipe}, surface.Unknown, "io", "before\nmes", "a part stays"},
		{torn{sync: io.ErrClosedPipe}, surface.Unknown, "io", "before\nmessage\n", "it may not be on disk"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.log")
		if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &files{dir: dir, open: func(dir, name string) (file, error) {
			w, err := openLog(dir, name)
			if err != nil {
				return nil, err
			}
			c.file.File = w.(*os.File)
			return &c.file, nil
		}}
		_, err := f.Send(context.Background(), line("a", "message"))
		d, ok := errors.AsType[*surface.DeliveryError](err)
		if !ok || d.Class != c.class || d.Code != c.code || d.Hint == "" {
			t.Errorf("%s: %#v, want %s (%s)", c.why, err, c.class, c.code)
		}
		if b, _ := os.ReadFile(path); string(b) != c.left {
			t.Errorf("%s: the file holds %q, want %q", c.why, b, c.left)
		}
	}
	no := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(no, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := logTo(t, filepath.Join(no, "log")).Send(context.Background(), line("a", "x"))
	if d, ok := errors.AsType[*surface.DeliveryError](err); !ok || d.Class != surface.Transient {
		t.Errorf("no directory: %v", err)
	}
}

// counted is a file that says how many are open.
type counted struct {
	*os.File
	open *atomic.Int32
}

func (f counted) Close() error {
	f.open.Add(-1)
	return f.File.Close()
}

func TestLogTakesOneAfterTheOther(t *testing.T) {
	dir := t.TempDir()
	var now atomic.Int32
	f := &files{dir: dir, open: func(dir, name string) (file, error) {
		w, err := openLog(dir, name)
		if err != nil {
			return nil, err
		}
		if n := now.Add(1); n > 1 {
			t.Errorf("%d messages are written at the same time", n)
		}
		return counted{w.(*os.File), &now}, nil
	}}
	long := strings.Repeat("x", 10_000)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				if _, err := f.Send(context.Background(), line("a", fmt.Sprint(i, long))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	b, err := os.ReadFile(filepath.Join(dir, "a.log"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), long+"\n"); n != 40 {
		t.Errorf("%d lines, want 40", n)
	}
}
