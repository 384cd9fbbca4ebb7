package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

func TestFindVak(t *testing.T) {
	real := checkout(t).Checkout
	elsewhere := t.TempDir()
	other := filepath.Join(elsewhere, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module "+Module+"x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		named, version string
		near           []string
		want           Vak
		says           string
	}{
		{real, "v1.2.3", nil, Vak{Checkout: real}, ""},
		{"", "v1.2.3", []string{elsewhere, filepath.Join(real, "core", "internal")}, Vak{Checkout: real}, ""},
		{"", "v1.2.3", []string{elsewhere}, Vak{Version: "v1.2.3"}, ""},
		{"", "v1.2.3-rc.1", nil, Vak{Version: "v1.2.3-rc.1"}, ""},
		{elsewhere, "v1.2.3", nil, Vak{}, elsewhere + " is no checkout of vak"},
		{other, "v1.2.3", nil, Vak{}, other + " is no checkout of vak"},
		{"", "v1.2.3-5-gabcdef0", []string{elsewhere, "", "."}, Vak{}, "--replace DIR"},
		{"", "v1.2.3-dirty", nil, Vak{}, "no release of it"},
		{"", "v0.0.0-20260101000000-abcdefabcdef", nil, Vak{}, "no release of it"},
		{"", "abcdef0", nil, Vak{}, "no release of it"},
		{"", "v1.2.3\nreplace", nil, Vak{}, "no release of it"},
		{"", "unknown", []string{other}, Vak{}, "no release of it"},
	} {
		v, err := FindVak(c.named, c.version, c.near...)
		if v != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %+v, %v", c, v, err)
		}
	}
}

// TestModule shows go.mod for a release, and how a path of a checkout stands in it.
func TestModule(t *testing.T) {
	s := Starter{Kind: hostapi.KindSkill, ID: "acme", Module: "example.org/acme"}
	files, err := Vak{Version: "v1.2.3"}.files(s)
	const want = "module example.org/acme\n\ngo " + goVersion + "\n\nrequire " + Module + " v1.2.3\n"
	if err != nil || len(files) != 1 || files[0].name != "go.mod" || string(files[0].text) != want {
		t.Errorf("%s, %v", files, err)
	}

	// What the modules of the checkout are, is what it says; a whole one has both files.
	dir := filepath.Join(t.TempDir(), `a "b"`)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip(err) // a system that has no such names
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module \""+Module+"\"\nrequire google.golang.org/grpc v9.9.9 // x\nrequire (\n\tgolang.org/x/sys v1.0.0\n\texample.org/no v1.0.0\n)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := FindVak(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.files(s); err == nil || !strings.Contains(err.Error(), "cannot read the go.sum of "+dir) {
		t.Errorf("err = %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), []byte("sums\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err = v.files(s)
	if err != nil || len(files) != 2 || string(files[1].text) != "sums\n" {
		t.Fatalf("%s, %v", files, err)
	}
	mod := string(files[0].text)
	for _, line := range []string{
		"\tgolang.org/x/sys v1.0.0 // indirect\n", "\tgoogle.golang.org/grpc v9.9.9 // indirect\n", ` => "` + strings.ReplaceAll(dir, `"`, `\"`) + "\"\n",
	} {
		if !strings.Contains(mod, line) {
			t.Errorf("there is no %q in\n%s", line, mod)
		}
	}
	if strings.Contains(mod, "example.org/no") {
		t.Errorf("it requires what it does not need:\n%s", mod)
	}
}

// TestGoVersion holds what is asked for against vak's own.
func TestGoVersion(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(checkout(t).Checkout, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "\ngo "+goVersion+"\n") {
		t.Errorf("vak does not ask for Go %s", goVersion)
	}
}
