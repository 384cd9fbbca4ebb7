package journal

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// drafts are the lines of the golden file, by name.
func drafts(t *testing.T) map[string]*draft {
	records := func(texts ...string) []byte {
		c, b := ledger.Chain{Session: "demo"}, []byte(nil)
		for _, text := range texts {
			var err error
			if b, err = c.Append(b, &ledger.Record{Time: noon, Body: &ledger.Message{Role: ledger.User, Markdown: text}}); err != nil {
				t.Fatal(err)
			}
			b = append(b, '\n')
		}
		return b
	}
	put := func(job string, state store.State, entries ...store.Entry) store.Put {
		return store.Put{Entries: entries, Row: store.Row{Job: job, Target: "log:answers", Kind: "assistant", State: state, Due: noon, Created: noon, Updated: noon, Digest: "1f"}}
	}
	entry := func(kind, body string) store.Entry {
		return store.Entry{Time: noon.Add(1500 * time.Millisecond), Kind: kind, Body: json.RawMessage(body)}
	}
	tail := put("demo/1/2", store.Pending, entry("released", ""))
	tail.Tail = true
	all := map[string]*draft{
		"answer": {
			n: 42, b: 40, t: noon.UnixMilli(), id: "key", session: "demo", q: 1, count: 2, records: records("one, [two], {three}", "\"four\" \\"),
			begin: "demo/1", end: "demo/0", puts: []store.Put{put("demo/1/1", store.Pending, entry("queued", `{"kind":"assistant"}`))}, prev: []store.Place{0},
		},
		"settled": {
			n: 43, b: 43, t: noon.UnixMilli(), puts: []store.Put{put("demo/1/1", store.Delivered, entry("delivered", `{"refs":["<m1>"],`+"\n"+`"n":1}`))}, prev: []store.Place{11274289339},
			targets: []store.TargetRow{{Target: "log:answers", Until: noon, Why: "rate_limited", Failures: 2}},
		},
		"released": {n: 44, b: 44, t: noon.UnixMilli(), puts: []store.Put{tail, put("demo/1/3", store.Pending, entry("released", ""))}, prev: []store.Place{5, 6}},
		"carried":  {n: 45, b: 45, t: noon.UnixMilli(), puts: []store.Put{put("old", store.Held, entry("queued", `{}`), entry("held", ""))}, prev: []store.Place{0}},
		"words":    {n: 46, b: 46, t: noon.UnixMilli(), id: "a \"quoted\"\n<é>\u2028", session: "demo", q: 1, count: 1, records: records("x\n\u2028")},
	}
	for _, d := range all {
		for line := range bytes.Lines(d.records) {
			d.sizes = append(d.sizes, len(line)-1)
		}
	}
	return all
}

// TestGolden pins the form of a line and of a checkpoint. A change of it needs
// a version.
func TestGolden(t *testing.T) {
	const file = "testdata/format.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		if !*update {
			t.Fatal(err)
		}
		a = new(txtar.Archive)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	a.Comment = []byte("The form of the journal's lines, and a checkpoint in hexadecimal.\n\n")
	a.Files = nil
	check := func(name, got string) {
		if got != want[name] && !*update {
			t.Errorf("%s: got\n%swant\n%s", name, got, want[name])
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got)})
	}
	all := drafts(t)
	for _, name := range []string{"answer", "settled", "released", "carried", "words"} {
		b, err := all[name].append(nil)
		if err != nil {
			t.Fatal(err)
		}
		check(name, string(b))
	}
	x := store.NewIndex()
	put := all["answer"].puts[0]
	x.Apply(store.Place(1)<<offsetBits+57, &put, noon)
	x.Turn("demo/1", "")
	c := checkpoint{last: 42, time: noon.UnixMilli(), size: 1000, index: x, sessions: []filed{{chain: ledger.Chain{Session: "demo", Seq: 2, Head: ledger.HashOf([]byte("line"))}, size: 500}}}
	b := c.append(nil)
	check("checkpoint", hex.Dump(b))
	back, err := parseCheckpoint(b)
	if err != nil || back.last != c.last || back.time != c.time || back.size != c.size || !reflect.DeepEqual(back.sessions, c.sessions) || back.index.Len() != 1 {
		t.Errorf("the checkpoint comes back as %+v, %v", back, err)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoundTrip reads back what was written.
func TestRoundTrip(t *testing.T) {
	for name, d := range drafts(t) {
		b, err := d.append([]byte("before\n"))
		if err != nil {
			t.Fatal(err)
		}
		b = b[len("before\n"):]
		if n := bytes.IndexByte(b, '\n'); n != len(b)-1 {
			t.Fatalf("%s: a newline at %d of %d", name, n, len(b))
		}
		if !json.Valid(b) {
			t.Errorf("%s is not JSON", name)
		}
		l, err := parseLine(b[:len(b)-1])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if l.v != version || l.n != d.n || l.b != d.b || l.t != d.t || l.id != d.id || l.q != d.q || l.c != uint64(d.count) || l.begin != d.begin || l.end != d.end || l.strange {
			t.Errorf("%s comes back as %+v", name, l)
		}
		var records []byte
		for _, part := range l.records {
			records = append(append(records, l.record(part)...), '\n')
		}
		if d.count > 0 && l.records[0].at != d.recordsAt {
			t.Errorf("%s: its records are at %d, not at %d", name, l.records[0].at, d.recordsAt)
		}
		if !bytes.Equal(records, d.records) {
			t.Errorf("%s: its records come back otherwise", name)
		}
		for i := range d.puts {
			if l.rows[i].at != d.appended[i] || l.rows[i].prev != d.prev[i] || !reflect.DeepEqual(l.rows[i].put.Row, d.puts[i].Row) || l.rows[i].put.Tail != d.puts[i].Tail {
				t.Errorf("%s: row %d comes back as %+v", name, i, l.rows[i])
			}
			entries, err := l.history(i)
			if err != nil || len(entries) != len(d.puts[i].Entries) {
				t.Fatalf("%s: entries of row %d: %v, %v", name, i, entries, err)
			}
			for k, e := range entries {
				want := d.puts[i].Entries[k]
				var compact bytes.Buffer
				json.Compact(&compact, want.Body)
				if !e.Time.Equal(want.Time) || e.Kind != want.Kind || string(e.Body) != compact.String() {
					t.Errorf("%s: entry %d of row %d comes back as %+v", name, k, i, e)
				}
			}
		}
		if len(l.targets) != len(d.targets) || len(l.targets) > 0 && !reflect.DeepEqual(l.targets, d.targets) {
			t.Errorf("%s: targets come back as %+v", name, l.targets)
		}
	}
	d := draft{n: 1, b: 1, puts: []store.Put{{Entries: []store.Entry{{Time: noon, Body: json.RawMessage("{")}}}}, prev: []store.Place{0}}
	if b, err := d.append([]byte("kept")); err == nil || string(b) != "kept" {
		t.Errorf("an entry that is not JSON: %q, %v", b, err)
	}
}

// sum closes a line that stands in the source.
func sum(body string) string {
	return fmt.Sprintf("%s,\"crc\":\"%08x\"}\n", body, crc32.Checksum([]byte(body), castagnoli))
}

// TestOtherLines opens lines that this version would not write.
func TestOtherLines(t *testing.T) {
	record := `{"v":1,"session":"s","seq":1,"time":"2026-03-01T12:00:00.000Z","kind":"message","role":"user","markdown":"x"}`
	for _, c := range []struct {
		why  string
		line string
		want string // a part of the error; empty: it is read
	}{
		{"as it is written", sum(`{"v":1,"n":1,"b":1,"t":7,"s":"s","q":1,"c":1,"r":[` + record + `]`), ""},
		{"members that are not known, also nested", sum(`{"v":1,"n":1,"zz":{"a":[1,"}]\""]},"b":1,"t":7,"s":"s","q":1,"c":1,"yy":null,"r":[` + record + `]`), ""},
		{"another order", sum(`{"r":[` + record + `],"c":1,"q":1,"s":"s","t":7,"b":1,"n":1,"v":1`), ""},
		{"lengths", sum(`{"v":1,"n":1,"b":1,"t":7,"s":"s","q":1,"c":1,"l":[` + fmt.Sprint(len(record)) + `],"r":[` + record + `]`), ""},
		{"lengths behind", sum(`{"v":1,"n":1,"b":1,"t":7,"s":"s","q":1,"c":1,"r":[` + record + `],"l":[` + fmt.Sprint(len(record)) + `]`), ""},
		{"lengths that are wrong", sum(`{"v":1,"n":1,"b":1,"t":7,"s":"s","q":1,"c":1,"l":[1],"r":[` + record + `]`), ""},
		{"something behind the records", sum(`{"v":1,"n":1,"b":1,"t":7,"s":"s","q":1,"c":1,"l":[` + fmt.Sprint(len(record)) + `],"r":[` + record + `],"zz":[1]`), ""},
		{"space", sum(`{ "v" : 1 , "n":1 , "b":1,"t":7, "s" : "s", "q": 1,"c":1,"r": [ ` + record + ` ] `), ""},
		{"a later version", sum(`{"v":2,"n":1,"b":1,"what":"is this"`), "later version"},
	} {
		fs := memfs.New()
		fs.Mkdir("/home/journal")
		f, _ := fs.Create("/home/journal/00000000000000000001.jsonl")
		f.WriteAt([]byte(c.line), 0)
		j, err := Open(context.Background(), Config{Dir: "/home", FS: fs})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, store.Newer) {
				t.Errorf("%s: got %v", c.why, err)
			}
		} else if err != nil {
			t.Errorf("%s: %v", c.why, err)
		} else {
			n := 0
			for b, err := range j.Read(context.Background(), "s", 1) {
				if n++; err != nil || string(b) != record {
					t.Errorf("%s: %s, %v", c.why, b, err)
				}
			}
			if n != 1 || j.Health(context.Background()).NewWork != nil {
				t.Errorf("%s: %d records, %v", c.why, n, j.Health(context.Background()).NewWork)
			}
			if _, err := j.Commit(context.Background(), store.Commit{Begin: "s/1"}); err != nil {
				t.Error(err)
			}
			j.Close()
		}
		if got := fs.Content("/home/journal/00000000000000000001.jsonl"); !bytes.HasPrefix(got, []byte(c.line)) || c.want != "" && len(got) != len(c.line) {
			t.Errorf("%s: the line was rewritten as %q", c.why, got)
		}
	}
}

// FuzzScan reads anything as a segment. What is taken for a commit has its sum,
// and everything is told once.
func FuzzScan(f *testing.F) {
	for _, d := range []string{"", "\n", "{}\n", sum(`{"v":1,"n":1,"b":1,"t":7`), sum(`{"v":1,"n":1,"b":1,"t":7`) + "x", sum(`{"v":1,"n":1,"b":1,"j":[{"j":"a","g":"t","s":"pending"}],"e":[[]]`), sum(`{"v":2`), sum(`{"v":1,"n":1,"b":1,"s":"a","q":1,"c":9,"r":[[[[`)} {
		f.Add([]byte(d), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal { // or hardly anything would get past the sum
			b = []byte(sum(string(bytes.ReplaceAll(b, newline, nil))))
		}
		fs := memfs.New()
		fs.Mkdir("/home/journal")
		file, _ := fs.Create("/home/journal/00000000000000000001.jsonl")
		file.WriteAt(b, 0)
		var again []byte
		for sc := newScanner(file, 0, int64(len(b)), 1<<20); ; {
			at, text, whole, err := sc.next()
			if err == io.EOF {
				break
			}
			if err != nil || at != int64(len(again)) {
				t.Fatalf("at %d of %d: %v", at, len(again), err)
			}
			if !whole {
				again = b
				continue
			}
			again = append(append(again, text...), '\n')
			l, err := parseLine(text)
			if err != nil {
				continue
			}
			if text[len(text)-1] != '}' || sealed(text) == nil || sum(string(sealed(text))) != string(text)+"\n" {
				t.Fatalf("%q was taken", text)
			}
			for _, part := range l.records {
				l.record(part)
			}
			for i := range l.rows {
				l.history(i)
			}
		}
		if !bytes.Equal(again, b) {
			t.Fatalf("read %q of %q", again, b)
		}
		j, err := Open(context.Background(), Config{Dir: "/home", FS: fs, ReserveBytes: 1})
		if err != nil {
			if !errors.Is(err, store.Newer) {
				t.Fatal(err)
			}
			return
		}
		for range j.Jobs(context.Background(), store.Filter{States: []store.State{store.Pending, store.Sending, store.Held, store.Delivered, store.Discarded}}) {
		}
		names, _ := j.Sessions(context.Background())
		for _, name := range names {
			for range j.Read(context.Background(), name, 1) {
			}
		}
		j.Claim(context.Background(), noon, 10)
		j.Close()
	})
}
