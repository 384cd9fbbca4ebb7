package epoch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
)

// TestDamagedList: what is damaged costs itself, and no number is given twice.
func TestDamagedList(t *testing.T) {
	d := name([]byte("d"))
	one, two, three := jsonLine(t, 1, d), jsonLine(t, 2, d), jsonLine(t, 3, d)
	long := strings.Repeat("x", 3*maxLine+7)
	for _, tt := range []struct {
		why, list string
		want      []uint64
		problems  int
		least     uint64 // of the next number; most is one hundred bytes of damage for each
		exactly   bool
	}{
		{why: "nothing", least: 1, exactly: true},
		{why: "whole", list: one + two, want: []uint64{1, 2}, least: 3, exactly: true},
		{why: "the last line cut off", list: one + two[:len(two)-1], want: []uint64{1}, least: 2, exactly: true},
		{why: "a long end without a line", list: one + long, want: []uint64{1}, least: 2, exactly: true},
		{why: "an end of zeros", list: one + strings.Repeat("\x00", 5000), want: []uint64{1}, least: 2, exactly: true},
		{why: "damaged in the middle", list: one + "x" + two + three, want: []uint64{1, 3}, problems: 1, least: 4, exactly: true},
		{why: "damaged at the end", list: one + two + "x" + three, want: []uint64{1, 2}, problems: 1, least: 4},
		{why: "two lines became one, and damaged", list: one + "x" + two[:len(two)-1] + three, want: []uint64{1}, problems: 1, least: 4},
		{why: "all damaged", list: "x" + one + "x" + two, problems: 2, least: 3},
		{why: "a long line in the middle", list: one + long + "\n" + three, want: []uint64{1, 3}, problems: 1, least: 4, exactly: true},
		{why: "a line too long, the end of which could be read", list: one + strings.Repeat(" ", maxLine) + two, want: []uint64{1}, problems: 1, least: 3},
		{why: "a number that does not grow", list: one + three + two + three, want: []uint64{1, 3}, problems: 2, least: 4, exactly: true},
		{why: "a number that is none", list: one + jsonLine(t, 0, d) + jsonLine(t, maxNumber+1, d), want: []uint64{1}, problems: 2, least: 2},
		{why: "no digest", list: one + jsonLine(t, 2, "../../x"), want: []uint64{1}, problems: 1, least: 3},
		{why: "later members", list: `{"by":"x",` + one[1:], want: []uint64{1}, least: 2, exactly: true},
	} {
		t.Run(tt.why, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, listName), []byte(tt.list), 0o600); err != nil {
				t.Fatal(err)
			}
			s := opened(t, dir, fsys.OS)
			var got []uint64
			for _, e := range s.Entries() {
				got = append(got, e.Number)
			}
			if !slices.Equal(got, tt.want) || len(s.Problems()) != tt.problems {
				t.Fatalf("has %v, want %v, and tells %q", got, tt.want, s.Problems())
			}
			next, err := s.Publish(sample(1), start)
			if err != nil || next.Number < tt.least || tt.exactly && next.Number != tt.least {
				t.Fatalf("the next is %d, %v, want %d (exactly: %v)", next.Number, err, tt.least, tt.exactly)
			}
			if b, err := os.ReadFile(filepath.Join(dir, listName)); err != nil || !strings.HasSuffix(string(b), jsonLine(t, next.Number, next.Digest)) {
				t.Errorf("the list does not end with the new line: %v", err)
			}
			again := opened(t, dir, fsys.OS)
			if e, ok := again.Current(); !ok || e != next {
				t.Errorf("read again the current one is %v, want %v", e, next)
			}
			if len(again.Problems()) != tt.problems {
				t.Errorf("read again it tells %q", again.Problems())
			}
		})
	}
}

func TestNumbersEnd(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, listName), []byte(jsonLine(t, maxNumber, name(nil))), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err := opened(t, dir, fsys.OS).Publish(sample(1), start); err == nil {
		t.Errorf("after the highest number came %d", e.Number)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, listName), []byte(strings.Repeat("\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := len(opened(t, dir, fsys.OS).Problems()); n != maxProblems {
		t.Errorf("%d problems are told, want %d", n, maxProblems)
	}
}

// FuzzLines: whatever the list is, entries grow, and what is published next is
// found again with a higher number.
func FuzzLines(f *testing.F) {
	d := name([]byte("d"))
	f.Add([]byte(jsonLine(f, 1, d) + jsonLine(f, 2, d)))
	f.Add([]byte(jsonLine(f, 1, d) + "x\n" + jsonLine(f, 7, d)[:40]))
	f.Add([]byte(strings.Repeat("\x00", maxLine+1) + "\n" + jsonLine(f, maxNumber-1, d)))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := memfs.New()
		if err := errors.Join(m.Mkdir(home), fsys.Replace(m, home+"/"+listName, b)); err != nil {
			t.Fatal(err)
		}
		s := opened(t, home, m)
		before := s.Entries()
		last := uint64(0)
		for _, e := range before {
			if e.Number <= last || e.Number > maxNumber || !isName(e.Digest) {
				t.Fatalf("entries are %v", before)
			}
			last = e.Number
		}
		next, err := s.Publish(&Epoch{Targets: map[string]Look{fmt.Sprint(len(b)): {}}}, start)
		if err != nil {
			if last+uint64(len(b)) < maxNumber {
				t.Fatal(err)
			}
			return
		}
		if next.Number <= last {
			t.Fatalf("after %d came %d", last, next.Number)
		}
		again := opened(t, home, m)
		if next.Number > last+1 && len(s.Problems()) == 0 {
			t.Fatalf("after %d came %d, and nothing is told of it", last, next.Number)
		}
		if e, ok := again.Current(); !ok || e != next {
			t.Fatalf("read again the current one is %v, want %v", e, next)
		}
	})
}

// FuzzEpoch: what is read of a list can be published, and is read again as it was.
func FuzzEpoch(f *testing.F) {
	blobs := map[string][]byte{}
	for i := range 2 {
		digest, of, err := parts(sample(i))
		if err != nil {
			f.Fatal(err)
		}
		for n, b := range of {
			blobs[n] = b
		}
		f.Add(of[digest], []byte(`{"profile":{"surface":"x"}}`))
	}
	f.Add([]byte(`{"schema_version":1,"plugins":[{"id":"\ud800","manifest":"x"},{}],"surfaces":{"a":"x","A":"x"},"templates":null}`), []byte("{}"))
	f.Fuzz(func(t *testing.T, list, blob []byte) {
		e, err := parse(list, func(n string) ([]byte, error) {
			if b, ok := blobs[n]; ok {
				return b, nil
			}
			return blob, nil // hostile, whatever the name
		})
		if err != nil {
			return
		}
		digest, of, err := parts(e)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := parse(of[digest], func(n string) ([]byte, error) {
			if of[n] == nil {
				return nil, fmt.Errorf("%q is no part", n)
			}
			return of[n], nil
		})
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, of[digest])
		}
		if same, _ := Digest(again); same != digest {
			t.Fatalf("read again it is another: %s, want %s", same, digest)
		}
	})
}
