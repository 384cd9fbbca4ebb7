package crash

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/store"
)

// TestTornTail cuts the journal at every offset of its last record: it opens, has
// all that is whole, and tells once what it set aside.
func TestTornTail(t *testing.T) {
	w := newWreck(t, 3)
	// The record of the last job goes last to its session: of a cut that comes
	// before that it is not there either.
	session := filepath.Join(w.home, "sessions", "r0-2.jsonl")
	w.files[session] = bytes.SplitAfter(w.files[session], []byte("\n"))[0]
	name, whole := w.segment(0)
	begin := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for at := begin; at <= len(whole); at++ {
		if testing.Short() && at%17 > 0 && at < len(whole)-1 {
			continue
		}
		w.restore(t, name, whole[:at])
		c := w.open(t, "")
		h, err := c.Health(t.Context())
		if err != nil || h.ReadOnly != nil || h.NewWork != nil {
			t.Fatalf("cut at %d: health %+v, %v", at-begin, h, err)
		}
		torn := 1
		if at == begin || at == len(whole) { // at the end of a record
			torn = 0
		}
		if len(h.Torn) != torn || w.told("was set aside") != torn {
			t.Errorf("cut at %d: torn %+v, told %d times", at-begin, h.Torn, w.told("was set aside"))
		}
		for _, torn := range h.Torn {
			if b, err := os.ReadFile(torn.Path); err != nil || !bytes.Equal(b, whole[begin:at]) {
				t.Errorf("cut at %d: %s holds other bytes than were cut off, %v", at-begin, torn.Path, err)
			}
		}
		last := "gone"
		if at == len(whole) {
			last = "pending"
		}
		if got := w.states(t, c); got["r0-0"] != "pending" || got["r0-1"] != "pending" || got["r0-2"] != last {
			t.Errorf("cut at %d: the jobs are %v", at-begin, got)
		}
		if at%16 > 0 && at < len(whole)-1 {
			c.Close()
			continue
		}
		again := order{ID: "again", Target: "chat:again", Text: "again"}
		if err := w.submit(c, again); err != nil {
			t.Errorf("cut at %d: nothing new is accepted: %v", at-begin, err)
		}
		c.Close()
		c = w.open(t, "")
		if _, err := c.Job(t.Context(), "again"); err != nil {
			t.Errorf("cut at %d: what was accepted next: %v", at-begin, err)
		}
		if h, _ := c.Health(t.Context()); len(h.Torn) > 0 || w.log.String() != "" {
			t.Errorf("cut at %d: it is told again: %+v %s", at-begin, h.Torn, w.log.String())
		}
		c.Close()
	}
}

// TestMalformedLines puts three lines that are none into a journal: behind its end,
// where an interrupted write may have left them, and in its middle, where it may
// not.
func TestMalformedLines(t *testing.T) {
	const junk = "{\"v\":1,\"n\":\n\x00\x00\x00\nnot json\n"
	w := newWreck(t, 4)
	name, whole := w.segment(0)
	w.restore(t, name, append(bytes.Clone(whole), junk...))
	c := w.open(t, "")
	h, err := c.Health(t.Context())
	if err != nil || h.NewWork != nil || len(h.Torn) != 1 || h.Torn[0].Bytes != int64(len(junk)) || w.told("was set aside") != 1 {
		t.Errorf("at the end: %+v, %v: %s", h, err, w.log.String())
	}
	if b, err := os.ReadFile(h.Torn[0].Path); err != nil || string(b) != junk {
		t.Errorf("what was set aside is %q, %v", b, err)
	}
	for id, s := range w.states(t, c) {
		if s != "pending" {
			t.Errorf("at the end: job %s is %s", id, s)
		}
	}
	c.Close()

	lines := bytes.SplitAfter(whole, []byte("\n"))
	w.restore(t, name, bytes.Join([][]byte{bytes.Join(lines[:4], nil), []byte(junk), bytes.Join(lines[4:], nil)}, nil))
	w.damaged(t, "in the middle", []string{"r0-0", "r0-1"}) // which the lines may have been about
}

// damaged opens a home in which something is damaged: that is told, nothing new is
// accepted, and all jobs arrive but those that cannot be read, which are neither
// gone nor sent.
func (w *wreck) damaged(t *testing.T, where string, lost []string) {
	t.Helper()
	p := newPlatform()
	server := httptest.NewServer(p)
	defer server.Close()
	c := w.open(t, server.URL)
	h, err := c.Health(t.Context())
	if err != nil || !errors.Is(h.NewWork, core.ErrStore) || !strings.Contains(h.NewWork.Error(), "doctor") {
		t.Errorf("%s: health %+v, %v", where, h, err)
	}
	if err := w.submit(c, order{ID: "new", Target: "chat:new", Text: "new"}); !errors.Is(err, core.ErrStore) {
		t.Errorf("%s: something new: %v", where, err)
	}
	if w.told("the journal is damaged") == 0 {
		t.Errorf("%s: nothing is told: %s", where, w.log.String())
	}
	var arrive []order
	for _, o := range w.jobs {
		if !slices.Contains(lost, o.ID) {
			arrive = append(arrive, o)
		}
	}
	p.waitFor(t, arrive)
	c.Close()
	c = w.open(t, "")
	defer c.Close()
	for id, s := range w.states(t, c) {
		if is := slices.Contains(lost, id); is && s != "unreadable" || !is && s != "delivered" {
			t.Errorf("%s: job %s is %s", where, id, s)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.taken {
		if slices.Contains(lost, m.Job) {
			t.Errorf("%s: job %s was sent: %q", where, m.Job, m.Text)
		}
	}
}

// TestFlippedBit flips a bit in the line of one job: it is refused, the others go
// on.
func TestFlippedBit(t *testing.T) {
	flip := func(w *wreck, n int, id string) (name string, content []byte) {
		name, content = w.segment(n)
		content = bytes.Clone(content)
		at := bytes.Index(content, []byte(id+":0:1"))
		if at < 0 {
			t.Fatalf("%s does not hold job %s", name, id)
		}
		content[at+len(id)+1] ^= 1
		return name, content
	}
	t.Run("in the last segment", func(t *testing.T) {
		w := newWreck(t, 4)
		name, content := flip(w, 0, "r0-1")
		w.restore(t, name, content)
		w.damaged(t, "a flipped bit", []string{"r0-1"})
	})
	t.Run("in a sealed segment", func(t *testing.T) {
		w := newWreck(t, 4)
		j, err := journal.Open(t.Context(), journal.Config{Dir: w.home, SegmentBytes: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"seal", "next"} { // the first fills the segment
			if _, err := j.Commit(t.Context(), store.Commit{ID: id}); err != nil {
				t.Fatal(err)
			}
		}
		j.Close()
		w.keep(t)
		name, content := flip(w, 0, "r0-1")
		if next, _ := w.segment(1); next == name {
			t.Fatal("no segment was sealed")
		}
		for file := range w.files { // without its checkpoint it is read when it is opened
			if strings.HasSuffix(file, ".ckpt") {
				delete(w.files, file)
				os.Remove(file)
			}
		}
		w.restore(t, name, content)
		w.damaged(t, "a flipped bit", []string{"r0-1"})
	})
}

// TestFlippedBitBehindCheckpoint: a sealed segment with a checkpoint is not read
// when it is opened. What is wrong with it is found by who needs it.
func TestFlippedBitBehindCheckpoint(t *testing.T) {
	w := newWreck(t, 4)
	j, err := journal.Open(t.Context(), journal.Config{Dir: w.home, SegmentBytes: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"seal", "next"} {
		if _, err := j.Commit(t.Context(), store.Commit{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	w.keep(t)
	name, content := w.segment(0)
	content = bytes.Clone(content)
	content[bytes.Index(content, []byte("r0-1:0:1"))] ^= 1
	w.restore(t, name, content)
	p := newPlatform()
	server := httptest.NewServer(p)
	defer server.Close()
	c := w.open(t, server.URL)
	p.waitFor(t, []order{w.jobs[0], w.jobs[2], w.jobs[3]})
	c.Close()
	said := w.log.String()
	c = w.open(t, "")
	defer c.Close()
	if s := w.states(t, c)["r0-1"]; s != "unreadable" {
		t.Errorf("it is %s", s)
	}
	if !strings.Contains(said, "cannot be read") {
		t.Errorf("nothing is told: %s", said)
	}
	for _, m := range p.taken {
		if m.Job == "r0-1" {
			t.Errorf("it was sent: %q", m.Text)
		}
	}
}
