package errordoc

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	root   = "../../.."
	module = "github.com/seed-1ae66336/vak/"
)

// A constant is one of a kind of error.
type constant struct {
	name  string // in Go
	value string
	about string // what its comment says, in one line
}

// A tree reads packages of the module, each once.
type tree struct {
	read map[string][]*ast.File
}

// files are those of the package in dir, without its tests.
func (t *tree) files(dir string) ([]*ast.File, error) {
	if f, ok := t.read[dir]; ok {
		return f, nil
	}
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	if out == nil {
		return nil, fmt.Errorf("there is no package %s", dir)
	}
	if t.read == nil {
		t.read = map[string][]*ast.File{}
	}
	t.read[dir] = out
	return out, nil
}

// constants are those of a type of strings in a package, in their order. Empty typ
// stands for all.
func (t *tree) constants(dir, typ string) ([]constant, error) {
	files, err := t.files(dir)
	if err != nil {
		return nil, err
	}
	var out []constant
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if len(v.Names) != 1 || len(v.Values) != 1 || typ != "" && !isOf(v, typ) {
					continue
				}
				c, err := t.constant(f, v)
				if typ != "" && err != nil {
					return nil, fmt.Errorf("%s: %s: %w", dir, v.Names[0].Name, err)
				}
				if err == nil {
					out = append(out, c)
				}
			}
		}
	}
	if typ != "" && len(out) < 2 {
		return nil, fmt.Errorf("%s has no constants of the type %s", dir, typ)
	}
	return out, nil
}

// isOf reports whether a constant is said to be of a type, or is converted to it.
func isOf(v *ast.ValueSpec, typ string) bool {
	if is, ok := v.Type.(*ast.Ident); ok {
		return is.Name == typ
	}
	call, ok := v.Values[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	to, ok := call.Fun.(*ast.Ident)
	return ok && to.Name == typ
}

// constant reads a constant. One that is that of another package takes its value and
// what is said of it from there, too.
func (t *tree) constant(f *ast.File, v *ast.ValueSpec) (constant, error) {
	c := constant{name: v.Names[0].Name, about: about(v.Names[0].Name, v.Doc, v.Comment)}
	e := v.Values[0]
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
		e = call.Args[0]
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT {
			c.value = e.Value
			return c, nil
		}
		value, err := strconv.Unquote(e.Value)
		c.value = value
		return c, err
	case *ast.SelectorExpr:
		dir, err := imported(f, e.X)
		if err != nil {
			return c, err
		}
		all, err := t.constants(dir, "")
		if err != nil {
			return c, err
		}
		for _, other := range all {
			if other.name == e.Sel.Name {
				c.value = other.value
				c.about = strings.TrimSpace(other.about + " " + c.about)
				return c, nil
			}
		}
		return c, fmt.Errorf("%s has no constant %s", dir, e.Sel.Name)
	}
	return c, fmt.Errorf("its value cannot be read")
}

// imported is the directory of the package that x names in f.
func imported(f *ast.File, x ast.Expr) (string, error) {
	id, ok := x.(*ast.Ident)
	if !ok {
		return "", fmt.Errorf("it is no name of a package")
	}
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if strings.HasSuffix(path, "/"+id.Name) && strings.HasPrefix(path, module) {
			return strings.TrimPrefix(path, module), nil
		}
	}
	return "", fmt.Errorf("there is no package %s", id.Name)
}

var returned = regexp.MustCompile(`^\w+ is returned(, too,)? ((?:by|for|when|after|where) )`)

// about is what comments say of a name, in one line, without "X is returned".
func about(name string, comments ...*ast.CommentGroup) string {
	var parts []string
	for _, c := range comments {
		text := strings.Join(strings.Fields(c.Text()), " ")
		if m := returned.FindStringSubmatch(text); m != nil {
			start := strings.ToUpper(m[2][:1]) + m[2][1:]
			if m[2] == "by " {
				start = "Returned by "
			}
			if m[1] != "" {
				start = "Also " + m[2]
			}
			text = start + text[len(m[0]):]
		}
		if text = strings.TrimPrefix(text, name+" is "); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// packages are the directories below some that hold Go code.
func packages(tops ...string) ([]string, error) {
	var out []string
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				rel, err := filepath.Rel(root, filepath.Dir(path))
				if err != nil {
					return err
				}
				out = append(out, filepath.ToSlash(rel))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// kinds finds every type of strings that is an error, as "dir.Type".
func (t *tree) kinds() ([]string, error) {
	dirs, err := packages("core", "sdk")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, dir := range dirs {
		files, err := t.files(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv == nil || fn.Name.Name != "Error" {
					continue
				}
				if of, ok := fn.Recv.List[0].Type.(*ast.Ident); ok && strings.HasSuffix(of.Name, "Kind") {
					out = append(out, dir+"."+of.Name)
				}
			}
		}
	}
	return out, nil
}
