package protodoc

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/protocol.md anew")

const root = "../../.."

// TestProtocol compares docs/protocol.md with the comments of the protocol.
func TestProtocol(t *testing.T) {
	names, err := filepath.Glob(root + "/sdk/proto/vak/v1/*.proto")
	if err != nil || len(names) == 0 {
		t.Fatal("there is no protocol", err)
	}
	var files []file
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parse(filepath.Base(name), string(src))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files = append(files, f)
	}
	got := []byte(page(files))
	path := root + "/docs/protocol.md"
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/protocol.md is not what the comments of sdk/proto say; run \"make gen\" and commit what it changes")
	}
}

// TestParse shows that everything is read, and that nothing is passed over.
func TestParse(t *testing.T) {
	f, err := parse("p.proto", `syntax = "proto3";

// About the package.
//
//   - one
//     and its end
package p.v1;

option go_package = "p";

// S serves.
service S {
  // Do does.
  rpc Do(A) returns (stream B);
}

// A asks.
message A {
  // The name,
  // in two lines.
  repeated string name = 1;
}

// B is empty.
message B {}
`)
	if err != nil {
		t.Fatal(err)
	}
	text := page([]file{f})
	for _, want := range []string{
		"About the package.\n\n- one\n  and its end\n",
		"### Service `S`\n\nS serves.\n\n- **`Do`** ([`A`](#a)) → stream of [`B`](#b)\n  Do does.\n",
		"### `A`\n\nA asks.\n\n| field | type | meaning |\n| --- | --- | --- |\n| `name` = 1 | repeated string | The name, in two lines. |\n",
		"### `B`\n\nB is empty. It has no fields.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %q:\n%s", want, text)
		}
	}
	for src, why := range map[string]string{
		"message A {\n  string name = 1;\n}\n":                        "a message without a comment",
		"// A is.\nmessage A {\n  string name = 1;\n}\n":              "a field without a comment",
		"// A is.\nmessage A {\n  // N.\n  map<string, int> n = 1;\n": "what the page cannot show, and no end",
		"// E is.\nenum E {\n}\n":                                     "another kind of thing",
		"// A is.\nmessage A {\n":                                     "no end",
	} {
		if _, err := parse("p.proto", src); err == nil {
			t.Errorf("%s passes", why)
		}
	}
}
