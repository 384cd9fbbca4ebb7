package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A Record writes down what a platform is asked, for people to read and for golden
// files: a member for each step, with every request that it made. A request is its
// method and path, its headers but for those that HTTP needs for itself, and its
// body, JSON in lines. Settings of the account stand as [setting]. It is for one
// goroutine.
type Record struct {
	t     testing.TB
	s     *Sender
	p     *Platform
	seen  int
	steps []txtar.File
}

// NewRecord begins a record of what s asks p.
func NewRecord(t testing.TB, s *Sender, p *Platform) *Record {
	return &Record{t: t, s: s, p: p, seen: len(p.Requests())}
}

// Step ends a step that made requests since the last one. It ends the test for an
// error, and fails it for a step without a request.
func (r *Record) Step(name string, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	all := r.p.Requests()[r.seen:]
	if r.seen += len(all); len(all) == 0 {
		r.t.Errorf("%s: no request was made", name)
	}
	var b strings.Builder
	for i, q := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.s.hide(shown(q)))
	}
	r.steps = append(r.steps, txtar.File{Name: name, Data: []byte(b.String())})
}

// Golden compares the record with a file that a person has read, which begins with
// comment, a line. With -update it writes the file instead.
func (r *Record) Golden(file, comment string) {
	r.t.Helper()
	got := txtar.Format(&txtar.Archive{Comment: []byte(comment + "\n"), Files: r.steps})
	if *update {
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, got, 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		r.t.Errorf("%s differs (-update writes it)\n%s", file, difference(string(want), string(got)))
	}
}

// ofHTTP are headers that say nothing of a platform.
var ofHTTP = []string{"Accept-Encoding", "Connection", "Content-Length"}

// shown is a request for people.
func shown(q fake.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", q.Method, q.Path)
	for _, k := range slices.Sorted(maps.Keys(q.Header)) {
		if !slices.Contains(ofHTTP, k) {
			fmt.Fprintf(&b, "%s: %s\n", k, strings.Join(q.Header[k], ", "))
		}
	}
	if q.Body == "" {
		return b.String()
	}
	var lines bytes.Buffer
	if json.Indent(&lines, []byte(q.Body), "", "  ") != nil {
		lines.Reset()
		lines.WriteString(q.Body)
	}
	return b.String() + "\n" + lines.String() + "\n"
}
