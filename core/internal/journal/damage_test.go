package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

const journalDir = "/home/journal"

// sound makes a journal of several segments that is well, and what is in it.
func sound(t *testing.T, segment int64, steps int) (*memfs.FS, *model) {
	t.Helper()
	fs, m := memfs.New(), newModel()
	m.small = true
	j, err := open(fs, segment)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for ; steps > 0 || len(fs.Content(segments(fs)[len(segments(fs))-1])) < int(segment)/2; steps-- {
		if err := m.step(j, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.check(j); err != nil {
		t.Fatal(err)
	}
	j.Close()
	rep, err := journal.VerifyFS(ctx, fs, "/home")
	if err != nil || len(rep.Problems) != 0 || rep.Tail != 0 || rep.Commits != uint64(m.n) || rep.Sessions != 4 {
		t.Fatalf("it verifies as %+v, %v", rep, err)
	}
	return fs, m
}

func segments(fs *memfs.FS) []string { return files(fs, ".jsonl") }

func files(fs *memfs.FS, ext string) []string {
	names, _ := fs.List(journalDir)
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ext) })
	for i := range names {
		names[i] = path.Join(journalDir, names[i])
	}
	return names
}

// bare is a copy without checkpoints: everything is read when it is opened.
func bare(fs *memfs.FS) *memfs.FS {
	c := fs.Clone()
	for _, name := range files(c, ".ckpt") {
		c.Remove(name)
	}
	return c
}

// truthful holds what a damaged journal still says against the model: nothing
// that it says is wrong.
func (m *model) truthful(j *journal.Journal) error {
	for session, want := range m.sessions {
		n := 0
		for b, err := range j.Read(ctx, session, 1) {
			if errors.Is(err, store.Corrupt) {
				break
			}
			if err != nil {
				return err
			}
			r, err := ledger.Parse(b)
			if err != nil || n >= len(want) || r.Body.(*ledger.Message).Markdown != want[n] {
				return fmt.Errorf("record %d of %s is wrong: %v", n+1, session, err)
			}
			n++
		}
	}
	for job, want := range m.jobs {
		all, err := j.History(ctx, job)
		if errors.Is(err, store.Corrupt) || errors.Is(err, store.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if len(all) != len(want) {
			return fmt.Errorf("%s has %d entries of %d", job, len(all), len(want))
		}
	}
	return nil
}

// TestTruncate cuts the last segment at every offset. What is whole is there.
func TestTruncate(t *testing.T) {
	fs, m := sound(t, 2<<10, 12)
	all := segments(fs)
	last := all[len(all)-1]
	content := bytes.Clone(fs.Content(last))
	if len(all) < 3 || len(content) < 1000 {
		t.Fatalf("%d segments, the last of %d bytes", len(all), len(content))
	}
	for cut := 0; cut < len(content); cut += stride {
		c := fs.Clone()
		f, _ := c.Open(last, true)
		f.Truncate(int64(cut))
		f.Sync()
		before := copyOf(m)
		for name := range before.acked {
			before.acked[name] = 0
		}
		clear(before.jobAcked)
		j, err := open(c, 2<<10)
		if err == nil {
			err = before.check(j)
		}
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", cut, len(content), err)
		}
		lines := bytes.Count(content[:cut], []byte{'\n'})
		if h := j.Health(ctx); cut > 0 && h.Commits != uint64(lines) {
			t.Fatalf("cut at %d: %d commits were read, %d are whole", cut, h.Commits, lines)
		}
		torn := cut > 0 && content[cut-1] != '\n'
		kept := slices.ContainsFunc(j.Health(ctx).Torn, func(q store.Quarantined) bool {
			at := bytes.LastIndexByte(content[:cut], '\n') + 1
			return q.From == last && bytes.Equal(c.Content(q.Path), content[at:cut])
		})
		if torn != kept {
			t.Fatalf("cut at %d: torn is %t, set aside %+v", cut, torn, j.Health(ctx).Torn)
		}
		if err := before.step(j, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatalf("cut at %d, one step on: %v", cut, err)
		}
		j.Close()
	}
}

func copyOf(m *model) *model {
	c := newModel()
	c.n = m.n
	for k, v := range m.sessions {
		c.sessions[k], c.acked[k] = slices.Clip(v), m.acked[k]
	}
	for k, v := range m.jobs {
		c.jobs[k], c.jobAcked[k] = slices.Clip(v), m.jobAcked[k]
	}
	for k := range m.done {
		c.done[k] = true
	}
	return c
}

// TestFlip damages one byte of every segment, for every byte. It is told, before
// anything wrong is, and nothing is cut off that a later batch was written behind.
func TestFlip(t *testing.T) {
	fs, m := sound(t, 1<<10, 8)
	all := segments(fs)
	r := rand.New(rand.NewPCG(9, 9))
	for i, name := range all {
		content := fs.Content(name)
		lastLine := bytes.LastIndexByte(content[:len(content)-1], '\n') + 1
		for at := 0; at < len(content); at += stride {
			bit := byte(1) << r.IntN(8)
			for _, checkpoints := range []bool{true, false} {
				c := fs.Clone()
				if !checkpoints {
					c = bare(fs)
				} else if at%5 != 0 {
					continue // they make no difference that is worth the time
				}
				c.Content(name)[at] ^= bit
				where := fmt.Sprintf("bit %#x of byte %d of %s (%q), checkpoints: %t", bit, at, name, content[at], checkpoints)
				torn := i == len(all)-1 && at >= lastLine-1
				rep, err := journal.VerifyFS(ctx, c, "/home")
				if err != nil || torn != (rep.Tail > 0) || torn == (len(rep.Problems) > 0) {
					t.Fatalf("%s: it verifies as %+v, %v", where, rep, err)
				}
				j, err := open(c, 1<<10)
				if err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				h := j.Health(ctx)
				if h.ReadOnly != nil {
					t.Fatalf("%s: %v", where, h.ReadOnly)
				}
				read := i == len(all)-1 || !checkpoints
				if damaged := read && !torn; damaged != errors.Is(h.NewWork, store.Corrupt) {
					t.Fatalf("%s: health says %v", where, h.NewWork)
				}
				if size, _ := c.Size(name); size != int64(len(content)) && !torn {
					t.Fatalf("%s: the segment has %d bytes of %d", where, size, len(content))
				}
				if torn {
					before := copyOf(m)
					clear(before.acked)
					clear(before.jobAcked)
					err = before.check(j)
				} else {
					err = m.truthful(j)
				}
				if err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				if h.NewWork != nil {
					if _, err := j.Commit(ctx, store.Commit{Session: "new", Records: []ledger.Record{message("x")}}); !errors.Is(err, store.Corrupt) {
						t.Fatalf("%s: new work: %v", where, err)
					}
				}
				j.Close()
			}
		}
	}
}

// TestAcceptedWorkGoesOn damages a line about one job: the others are delivered,
// that one is told.
func TestAcceptedWorkGoesOn(t *testing.T) {
	fs := memfs.New()
	j, err := open(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(c store.Commit) {
		t.Helper()
		if _, err := j.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	commit(store.Commit{Jobs: []store.Put{pending("a", "t"), pending("b", "u"), pending("c", "v")}})
	row, _ := j.Job(ctx, "a")
	commit(store.Commit{Jobs: []store.Put{{Row: row, Entries: entry("receipt")}}})
	commit(store.Commit{Session: "s", Records: []ledger.Record{message("later")}})
	j.Close()
	seg := fs.Content(segments(fs)[0])
	at := bytes.Index(seg, []byte("receipt"))
	for _, c := range []struct {
		why    string
		at     int
		claims string
		row    string // of the job that is told
	}{
		{"in what happened", at, "b c", "a"},
		{"in the state of the job", bytes.LastIndex(seg[:at], []byte(`"s":"pending"`)) + 6, "", "a"},
		{"in the name of the list of jobs", bytes.LastIndex(seg[:at], []byte(`,"j":[`)) + 2, "", "b"},
		{"in its id, so that it may have been any", bytes.LastIndex(seg[:at], []byte(`"j":"a"`)) + 5, "", "b"},
	} {
		t.Run(c.why, func(t *testing.T) {
			fs := fs.Clone()
			fs.Content(segments(fs)[0])[c.at] ^= 2
			j, err := open(fs, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			claims, err := j.Claim(ctx, start.AddDate(0, 0, 1), 10)
			var got []string
			for _, p := range claims.Jobs {
				got = append(got, p.Row.Job)
			}
			slices.Sort(got)
			if err != nil || strings.Join(got, " ") != c.claims {
				t.Errorf("claimed %v, %v, want %s", got, err, c.claims)
			}
			if _, err := j.Job(ctx, c.row); !errors.Is(err, store.Corrupt) {
				t.Errorf("job %s: %v", c.row, err)
			}
			put := store.Put{Row: row, Entries: entry("x")}
			if _, err := j.Commit(ctx, store.Commit{Settles: true, Jobs: []store.Put{put}}); !errors.Is(err, store.Corrupt) {
				t.Errorf("a change of a: %v", err)
			}
			for _, p := range claims.Jobs {
				done := p.Row
				done.State = store.Delivered
				if _, err := j.Commit(ctx, store.Commit{Settles: true, Jobs: []store.Put{{Row: done, Lease: p.Lease, Entries: entry("delivered")}}}); err != nil {
					t.Errorf("%s is not delivered: %v", done.Job, err)
				}
			}
			if got, err := texts(j, "s", 1); err != nil || len(got) != 1 {
				t.Errorf("read %v, %v", got, err)
			}
		})
	}
}

// TestMissing takes whole files away.
func TestMissing(t *testing.T) {
	fs, m := sound(t, 1<<10, 10)
	all := segments(fs)
	t.Run("checkpoints", func(t *testing.T) {
		j, err := open(bare(fs), 1<<10)
		if err == nil {
			err = copyOf(m).check(j)
		}
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("a damaged checkpoint", func(t *testing.T) {
		if n := len(files(fs, ".ckpt")); n != 2 {
			t.Errorf("%d checkpoints are kept", n)
		}
		for _, name := range files(fs, ".ckpt") {
			for at := range len(fs.Content(name)) {
				if at%7 != 0 {
					continue
				}
				c := fs.Clone()
				c.Content(name)[at] ^= 4
				j, err := open(c, 1<<10)
				if err == nil {
					err = copyOf(m).check(j)
				}
				if err != nil {
					t.Fatalf("byte %d: %v", at, err)
				}
				j.Close()
			}
		}
	})
	t.Run("a segment in the middle", func(t *testing.T) {
		c := bare(fs)
		c.Remove(all[1])
		j, err := open(c, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		if h := j.Health(ctx); !errors.Is(h.NewWork, store.Corrupt) || h.ReadOnly != nil {
			t.Errorf("health says %v, %v", h.NewWork, h.ReadOnly)
		}
		if err := m.truthful(j); err != nil {
			t.Error(err)
		}
	})
	t.Run("the name of a segment", func(t *testing.T) {
		c := bare(fs)
		last := all[len(all)-1]
		c.Rename(last, path.Join(journalDir, "00000000000000009999.jsonl"))
		j, err := open(c, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		if h := j.Health(ctx); !errors.Is(h.NewWork, store.Corrupt) {
			t.Errorf("health says %v", h.NewWork)
		}
	})
	t.Run("session files", func(t *testing.T) {
		c := bare(fs)
		for s := range m.sessions {
			c.Remove("/home/sessions/" + s + ".jsonl")
		}
		j, err := open(c, 1<<10)
		if err == nil {
			err = copyOf(m).check(j) // the journal has it all
		}
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("session files of a checkpoint", func(t *testing.T) {
		c := fs.Clone()
		for s := range m.sessions {
			f, _ := c.Open("/home/sessions/"+s+".jsonl", true)
			f.Truncate(100)
		}
		j, err := open(c, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		if h := j.Health(ctx); !errors.Is(h.NewWork, store.Corrupt) {
			t.Errorf("health says %v", h.NewWork)
		}
		if err := m.truthful(j); err != nil {
			t.Error(err)
		}
		for s := range m.sessions {
			if _, err := j.Head(ctx, s); !errors.Is(err, store.Corrupt) {
				t.Errorf("%s: %v", s, err)
			}
		}
	})
}

// TestSessionFlip damages a session's file, at every byte: it is mended from the
// journal where that is read, and told otherwise.
func TestSessionFlip(t *testing.T) {
	fs, m := sound(t, 1<<10, 8)
	for s, want := range m.sessions {
		name := "/home/sessions/" + s + ".jsonl"
		for at := 0; at < len(fs.Content(name)); at += stride {
			for _, checkpoints := range []bool{true, false} {
				c := fs.Clone()
				if !checkpoints {
					c = bare(fs)
				}
				c.Content(name)[at] ^= 1
				j, err := open(c, 1<<10)
				if err != nil {
					t.Fatal(err)
				}
				got, err := texts(j, s, 1)
				if mended := err == nil && slices.Equal(got, want); !mended && (!checkpoints || !errors.Is(err, store.Corrupt)) {
					t.Fatalf("byte %d of %s, checkpoints: %t: %d records of %d, %v", at, s, checkpoints, len(got), len(want), err)
				}
				if err := m.truthful(j); err != nil {
					t.Fatal(err)
				}
				j.Close()
			}
		}
	}
}

// TestChangedSession changes a session's file by hand: it is made anew from the
// journal, and what stood there is kept and told.
func TestChangedSession(t *testing.T) {
	dir := t.TempDir()
	open := func() *journal.Journal {
		j, err := journal.Open(t.Context(), journal.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := open()
	for range 3 {
		r := ledger.Record{Time: time.Unix(1, 0), Body: &ledger.Message{Role: ledger.User, Markdown: "true words"}}
		if _, err := j.Commit(t.Context(), store.Commit{Session: "s", Records: []ledger.Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	path := filepath.Join(dir, "sessions", "s.jsonl")
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(was, []byte("true"), []byte("fake"), 1)
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	j = open()
	defer j.Close()
	torn := j.Health(t.Context()).Torn
	if len(torn) != 1 || torn[0].From != path {
		t.Fatalf("set aside: %+v", torn)
	}
	if kept, err := os.ReadFile(torn[0].Path); err != nil || !bytes.Equal(kept, changed) {
		t.Errorf("kept %q, %v", kept, err)
	}
	n := 0
	for b, err := range j.Read(t.Context(), "s", 1) {
		if err != nil || !bytes.Contains(b, []byte("true words")) {
			t.Errorf("%q, %v", b, err)
		}
		n++
	}
	if now, err := os.ReadFile(path); n != 3 || err != nil || !bytes.Equal(now, was) {
		t.Errorf("%d records; the file holds %q, %v", n, now, err)
	}
}

// TestLaneGoesOn damages the line of a job at the head of its lane: it is in doubt
// and left alone, and the one behind it goes.
func TestLaneGoesOn(t *testing.T) {
	dir := t.TempDir()
	j, err := journal.Open(t.Context(), journal.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, id := range []string{"first", "second"} {
		p := store.Put{New: true, Entries: []store.Entry{{Time: now, Kind: "of-" + id}}, Row: store.Row{Job: id, Target: "log:a", State: store.Pending, Created: now, Updated: now}}
		if _, err := j.Commit(t.Context(), store.Commit{Jobs: []store.Put{p}}); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	segment := filepath.Join(dir, "journal", "00000000000000000001.jsonl")
	b, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segment, bytes.Replace(b, []byte("of-first"), []byte("of-fIrst"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err = journal.Open(t.Context(), journal.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Health(t.Context()).NewWork; !errors.Is(err, store.Corrupt) {
		t.Errorf("new work: %v", err)
	}
	c, err := j.Claim(t.Context(), now, 9)
	if err != nil || len(c.Jobs) != 1 || c.Jobs[0].Row.Job != "second" {
		t.Fatalf("claimed %+v, %v", c.Jobs, err)
	}
	done := store.Put{Row: c.Jobs[0].Row, Lease: c.Jobs[0].Lease, Entries: []store.Entry{{Time: now, Kind: "sent"}}}
	done.Row.State = store.Delivered
	if _, err := j.Commit(t.Context(), store.Commit{Jobs: []store.Put{done}, Settles: true}); err != nil {
		t.Errorf("what was accepted does not go on: %v", err)
	}
	if _, err := j.Job(t.Context(), "first"); !errors.Is(err, store.Corrupt) {
		t.Errorf("the first: %v", err)
	}
}
