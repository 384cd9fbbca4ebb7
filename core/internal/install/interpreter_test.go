package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// TestInterpreted has a plugin ask for an interpreter: it may be signed, but what
// runs it is not, so it is not called verified. Its signature counts all the same.
func TestInterpreted(t *testing.T) {
	author, s := newKey(t), New(t.TempDir())
	asks := map[string]any{"grants": map[string]any{"interpreter": "/usr/bin/python3"}}
	r := s.must(t, made{id: "a", version: "1.0.0", more: asks, key: author}.folder(t), Consent{})
	if r.Verified || r.Key != author.Public().String() || r.Signature == "" || r.Grants.Interpreter == "" {
		t.Errorf("installed as %+v", r.Plugin)
	}
	if what := s.check(r.Plugin); what != "" {
		t.Error(what)
	}
	forged := r.Plugin
	forged.Signature = newKey(t).Sign([]byte("another statement")).String()
	if what := s.check(forged); what == "" {
		t.Error("a signature of something else passes")
	}
}

// TestInterpretedDynamically has one bring a file that is linked dynamically, which
// only a program that it is run by can load.
func TestInterpretedDynamically(t *testing.T) {
	const shell = "/bin/sh"
	b, err := os.ReadFile(shell)
	if err != nil {
		t.Skip(err)
	}
	h := sha256.Sum256(b)
	m := made{id: "a", version: "1.0.0", binary: string(b), more: map[string]any{"sha256": hex.EncodeToString(h[:])}}
	s := New(t.TempDir())
	if _, err := s.Prepare(m.folder(t)); err == nil {
		t.Skip(filepath.Base(shell) + " is not linked dynamically here")
	}
	m.more["grants"] = map[string]any{"interpreter": "/lib64/ld-linux-x86-64.so.2"}
	c, err := s.Prepare(m.folder(t))
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestPackInterpreted packs one: it is asked through its interpreter what it is.
func TestPackInterpreted(t *testing.T) {
	dir := made{id: "a", version: "1.0.0"}.folder(t)
	put(t, dir, hostapi.ManifestName, `{"binary":"a","grants":{"interpreter":"/usr/bin/python3","read":["/x"]}}`)
	const info = `{"id":"a","version":"1.2.0","types":[{"name":"a.thing","schema":{"type":"object"}}]}`
	says := func(text, said string, err error) Packer {
		return Packer{Sign: newKey(t), Describe: func(_ context.Context, interpreter, file string, read []string) ([]byte, []byte, error) {
			if interpreter != "/usr/bin/python3" || filepath.Base(file) != "a" || len(read) != 1 || read[0] != "/x" {
				t.Errorf("asked %s %s, to read %q", interpreter, file, read)
			}
			return []byte(text), []byte(said), err
		}}
	}
	out := filepath.Join(t.TempDir(), "a.tar.gz")
	done, err := says(info, "", nil).Pack(t.Context(), dir, out)
	if err != nil || done.Version != "1.2.0" {
		t.Fatalf("%+v, %v", done, err)
	}
	r := New(t.TempDir()).must(t, out, Consent{})
	if r.Kind != hostapi.KindSkill || r.Grants.Interpreter != "/usr/bin/python3" || len(r.Grants.Read) != 1 || r.Verified {
		t.Errorf("installed as %+v", r.Plugin)
	}
	_, err = says("", "Traceback\nNameError: it is not there\n", errors.New("exit status 1")).Pack(t.Context(), dir, out)
	refused(t, err, ErrBundle, "NameError: it is not there")
	_, err = says("usage", "", nil).Pack(t.Context(), dir, out)
	refused(t, err, ErrBundle, "does not say what it is")
	put(t, dir, hostapi.ManifestName, `{"binary":"a","grants":{"interpreter":5}}`)
	_, err = says(info, "", nil).Pack(t.Context(), dir, out)
	refused(t, err, ErrBundle, "grants are of another form")
}
