package arch

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/api anew")

// TestAPI compares docs/api with the exported names of the public packages, so
// that a change of the API is a change somebody reads. "make gen" writes it.
func TestAPI(t *testing.T) {
	for _, part := range []string{"sdk", "core"} {
		var b bytes.Buffer
		fmt.Fprintf(&b, "# Every exported name of %s. Written by \"make gen\".\n", part)
		for _, p := range packages(t) {
			rel := strings.TrimPrefix(p.ImportPath, module+"/")
			if under(rel, part) && public(rel) {
				for _, line := range exported(t, p.Dir) {
					fmt.Fprintf(&b, "%s: %s\n", rel, line)
				}
			}
		}
		file := filepath.Join("..", "..", "..", "docs", "api", part+".txt")
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := firstDifference(string(want), b.String()); diff != "" {
			t.Errorf("docs/api/%s.txt is not up to date: %s\nrun \"make gen\" and commit what it changes", part, diff)
		}
	}
}

// public reports whether others can import the package and are meant to.
func public(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == "internal" || part == "cmd" || part == "examples" {
			return false
		}
	}
	return true
}

// exported lists the exported declarations of the package in dir, sorted.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := exportedIn(string(src))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, lines...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// exportedIn lists the exported declarations of one file, one a line.
func exportedIn(src string) ([]string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	show := func(n any) string {
		var b bytes.Buffer
		if err := printer.Fprint(&b, fset, n); err != nil {
			return err.Error()
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			sig := strings.TrimPrefix(show(d.Type), "func")
			if d.Recv == nil {
				add("func %s%s", d.Name.Name, sig)
			} else if recv := show(d.Recv.List[0].Type); ast.IsExported(strings.TrimLeft(recv, "*")) {
				add("method (%s) %s%s", recv, d.Name.Name, sig)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							add("%s %s", d.Tok, n.Name)
						}
					}
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						typeLines(s, show, add)
					}
				}
			}
		}
	}
	return out, nil
}

func typeLines(s *ast.TypeSpec, show func(any) string, add func(string, ...any)) {
	var fields *ast.FieldList
	kind := "struct"
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields, kind = t.Methods, "interface"
	default:
		add("type %s %s", s.Name.Name, show(s.Type))
		return
	}
	add("type %s %s", s.Name.Name, kind)
	for _, f := range fields.List {
		f.Doc, f.Comment = nil, nil
		if len(f.Names) == 0 {
			add("type %s %s, embedded %s", s.Name.Name, kind, show(f.Type))
		}
		for _, n := range f.Names {
			if n.IsExported() {
				add("type %s %s, %s %s", s.Name.Name, kind, n.Name, strings.TrimPrefix(show(f.Type), "func"))
			}
		}
	}
}

// firstDifference names the first line in which two texts differ.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(w):
			return "not listed: " + g[i]
		case i >= len(g):
			return "listed, and there no more: " + w[i]
		case w[i] != g[i]:
			return fmt.Sprintf("it has %q where the code has %q", w[i], g[i])
		}
	}
	return ""
}

// TestExported shows that the list sees what it is meant to see.
func TestExported(t *testing.T) {
	got, err := exportedIn(`package p
const A, b = 1, 2
var C int
type T struct { F int; g int; E }
type I interface { M(int) error; m() }
type S string
type u struct{ X int }
func F[V any](a int, b string) (V, error) { panic(0) }
func (t *T) Do() {}
func (u) Do() {}
func f() {}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"const A", "var C",
		"type T struct", "type T struct, F int", "type T struct, embedded E",
		"type I interface", "type I interface, M (int) error",
		"type S string",
		"func F[V any](a int, b string) (V, error)",
		"method (*T) Do()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
