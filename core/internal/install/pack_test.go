package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

func TestPack(t *testing.T) {
	dir := made{id: "a", version: "1.0.0"}.folder(t)
	own, err := os.ReadFile(filepath.Join(dir, hostapi.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	says := func(text string, err error) func(context.Context, string) ([]byte, error) {
		return func(_ context.Context, binary string) ([]byte, error) {
			if filepath.Base(binary) != "a" {
				t.Errorf("asked %s", binary)
			}
			return []byte(text), err
		}
	}
	// What the author wrote of grants is taken over, and the order of members stays.
	put(t, dir, hostapi.ManifestName, `{"binary":"a","grants":{"read":["/x"]}}`)
	put(t, dir, SignatureName, "old")
	out := filepath.Join(t.TempDir(), "a.tar.gz")
	k := newKey(t)
	p := Packer{Manifest: says(string(own), nil), Sign: k}
	done, err := p.Pack(t.Context(), dir, out)
	if err != nil || done.ID != "a" || done.Path != out || done.Key != k.Public() {
		t.Fatalf("%+v, %v", done, err)
	}
	first, _ := os.ReadFile(out)
	if _, err := p.Pack(t.Context(), dir, out); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(out); string(again) != string(first) {
		t.Error("packed again it is another")
	}
	s := New(t.TempDir())
	r := s.must(t, out, Consent{})
	if !r.Verified || r.Digest != done.Digest || len(r.Grants.Read) != 1 || r.Grants.Read[0] != "/x" {
		t.Errorf("installed %+v", r)
	}
	text, _ := os.ReadFile(filepath.Join(s.folder(r.Digest), hostapi.ManifestName))
	if body := strings.TrimSuffix(strings.TrimSpace(string(own)), "}"); !strings.HasPrefix(string(text), strings.TrimSpace(body)) {
		t.Errorf("the manifest is another: %s", text)
	}
	for _, c := range []struct {
		manifest func(context.Context, string) ([]byte, error)
		says     string
	}{
		{says("", errors.New("it crashed")), "it crashed"},
		{says("Usage: a", nil), "not valid JSON"},
		{says("{}", nil), "plugin.json is not valid"},
		{says(`{"grants":{}}`, nil), "grants already"},
		{says(strings.Replace(string(own), `"sha256": "`, `"sha256": "0`, 1), nil), "/sha256"},
	} {
		_, err := Packer{Manifest: c.manifest}.Pack(t.Context(), dir, filepath.Join(t.TempDir(), "x"))
		refused(t, err, ErrBundle, c.says)
	}
	_, err = Packer{}.Pack(t.Context(), filepath.Join(dir, "a"), "")
	refused(t, err, ErrBundle, "is not a folder")
}
