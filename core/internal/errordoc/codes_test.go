package errordoc

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A code is one of a diagnostic of a packet.
type code struct {
	name, severity string
	message        []string // as it is written; … stands for what is known later
}

// A maker is a function that a diagnostic is made in.
type maker struct {
	fn    *ast.FuncDecl
	files []*ast.File // of its package
}

// codes are those of all diagnostics that core gives, in ascending order. What
// makes one in a way that cannot be read here is an error, so that no code can be
// missing from the page.
func (t *tree) codes() ([]code, error) {
	dirs, err := packages("core")
	if err != nil {
		return nil, err
	}
	found := map[string]*code{}
	for _, dir := range dirs {
		files, err := t.files(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				m := maker{fn, files}
				ast.Inspect(fn, func(n ast.Node) bool {
					lit, ok := n.(*ast.CompositeLit)
					if ok && err == nil {
						err = t.literal(m, lit, found)
					}
					return err == nil
				})
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", dir, fn.Name.Name, err)
				}
			}
		}
	}
	out := make([]code, 0, len(found))
	for _, c := range found {
		slices.Sort(c.message)
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b code) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// literal takes note of what a composite literal is, if it is a diagnostic.
func (t *tree) literal(m maker, lit *ast.CompositeLit, found map[string]*code) error {
	var codeOf, severity, message ast.Expr
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			return nil
		}
		switch key.Name {
		case "Code":
			codeOf = kv.Value
		case "Severity":
			severity = kv.Value
		case "Message":
			message = kv.Value
		}
	}
	if codeOf == nil || severity == nil { // errors of plugins have a code, too, and no severity
		if is, ok := lit.Type.(*ast.SelectorExpr); ok && codeOf != nil && is.Sel.Name == "Diagnostic" {
			return fmt.Errorf("a diagnostic says nothing of its severity")
		}
		return nil
	}
	says := []string{severityOf(severity)}
	// A function that is given the code is looked at where it is called.
	if p := param(m.fn, codeOf); p >= 0 {
		sev, msg := param(m.fn, severity), param(m.fn, message)
		for _, c := range calls(m, m.fn.Name.Name) {
			names := c.values(c.call.Args[p])
			if names == nil {
				return fmt.Errorf("a call gives it a code that cannot be read")
			}
			text := "…"
			if msg >= 0 {
				text = c.text(c.call.Args[msg])
			}
			if sev >= 0 {
				says[0] = severityOf(c.call.Args[sev])
			}
			note(found, names, says[0], text)
		}
		return nil
	}
	if b, ok := codeOf.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return t.sum(m, b, says[0], message, found)
	}
	names := m.values(codeOf)
	if names == nil {
		return fmt.Errorf("the code of a diagnostic cannot be read")
	}
	text := "…"
	if message != nil {
		text = m.text(message)
	}
	note(found, names, says[0], text)
	return nil
}

// sum reads a code of two parts: what a parameter says and a rest, or a rest and
// what is wrong with a rendering.
func (t *tree) sum(m maker, b *ast.BinaryExpr, severity string, message ast.Expr, found map[string]*code) error {
	if p := param(m.fn, b.X); p >= 0 {
		for _, c := range calls(m, m.fn.Name.Name) {
			for _, v := range c.values(c.call.Args[p]) {
				note(found, []string{v + literalOf(b.Y)}, severity, m.text(message))
			}
		}
		return nil
	}
	if literalOf(b.X) != "renderer_" {
		return fmt.Errorf("the code of a diagnostic cannot be read")
	}
	losses, err := t.constants("core/internal/pipeline/cover", "What")
	words := lossWords(m)
	for _, l := range losses {
		says := words[l.name]
		if says == "" {
			says = l.value
		}
		note(found, []string{"renderer_" + l.value}, severity, "Rendered plain, not by …: "+says+".")
	}
	return err
}

// lossWords are what the messages say of each of them.
func lossWords(m maker) map[string]string {
	out := map[string]string{}
	for _, f := range m.files {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != "lossWords" {
				return true
			}
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				kv := e.(*ast.KeyValueExpr)
				out[kv.Key.(*ast.SelectorExpr).Sel.Name] = literalOf(kv.Value)
			}
			return false
		})
	}
	return out
}

func note(found map[string]*code, names []string, severity, text string) {
	for _, n := range names {
		c := found[n]
		if c == nil {
			c = &code{name: n, severity: severity}
			found[n] = c
		}
		if !slices.Contains(c.message, text) {
			c.message = append(c.message, text)
		}
	}
}

// param is the number of the parameter of fn that e is, or -1.
func param(fn *ast.FuncDecl, e ast.Expr) int {
	id, ok := e.(*ast.Ident)
	if !ok {
		return -1
	}
	n := 0
	for _, f := range fn.Type.Params.List {
		for _, name := range f.Names {
			if name.Name == id.Name {
				return n
			}
			n++
		}
	}
	return -1
}

// A called is a call, with the function that it stands in.
type called struct {
	maker
	call *ast.CallExpr
}

// calls are those of a function or method of this name in the package of m.
func calls(m maker, name string) []called {
	var out []called
	for _, f := range m.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					switch f := c.Fun.(type) {
					case *ast.Ident:
						ok = f.Name == name
					case *ast.SelectorExpr:
						ok = f.Sel.Name == name
					default:
						ok = false
					}
					if ok {
						out = append(out, called{maker{fn, m.files}, c})
					}
				}
				return true
			})
		}
	}
	return out
}

// values are what e can be: a literal, or what is assigned to a variable of the
// function. Nil: it cannot be told.
func (m maker) values(e ast.Expr) []string {
	if s := literalOf(e); s != "" {
		return []string{s}
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	var out []string
	ast.Inspect(m.fn, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok && len(a.Lhs) == 1 {
			if to, ok := a.Lhs[0].(*ast.Ident); ok && to.Name == id.Name {
				out = append(out, literalOf(a.Rhs[0]))
			}
		}
		return true
	})
	if slices.Contains(out, "") {
		return nil
	}
	return out
}

func literalOf(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

var verb = regexp.MustCompile(`%[-+#.0-9]*[a-zA-Z]`)

// text is a message as it is written, with … for what is known later.
func (m maker) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literalOf(e)
	case *ast.BinaryExpr:
		return m.text(e.X) + m.text(e.Y)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Sprintf" {
			return verb.ReplaceAllString(literalOf(e.Args[0]), "…")
		}
	}
	return "…"
}

func severityOf(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return strings.ToLower(s.Sel.Name)
	}
	return ""
}
