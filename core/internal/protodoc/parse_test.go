package protodoc

import (
	"fmt"
	"regexp"
	"strings"
)

// A file is what the page shows of a .proto file. The language is much larger
// than what is read here; what is not read is an error, so that nothing of the
// protocol can be missing from the page.
type file struct {
	name  string
	about []string // the comment above package
	decls []decl   // in order
}

// A decl is a service or a message.
type decl struct {
	service bool
	name    string
	about   []string
	members []member
}

// A member is a method or a field.
type member struct {
	name      string
	in, out   string // of a method
	outStream bool
	typ       string // of a field
	number    string
	about     []string
}

var (
	reIgnored = regexp.MustCompile(`^(syntax|option|import) .*;$`)
	rePackage = regexp.MustCompile(`^package [\w.]+;$`)
	reOpen    = regexp.MustCompile(`^(service|message) (\w+) \{(\})?$`)
	reMethod  = regexp.MustCompile(`^rpc (\w+)\((\w+)\) returns \((stream )?(\w+)\);$`)
	reField   = regexp.MustCompile(`^((?:repeated |optional )?[\w.]+) (\w+) = (\d+);$`)
)

func parse(name, src string) (file, error) {
	f := file{name: name}
	var about []string
	var open *decl
	take := func() []string {
		c := about
		about = nil
		return c
	}
	for i, raw := range strings.Split(src, "\n") {
		line := strings.TrimSpace(raw)
		fail := func(format string, args ...any) (file, error) {
			return f, fmt.Errorf("line %d: %s", i+1, fmt.Sprintf(format, args...))
		}
		switch {
		case line == "":
			take() // a comment that stands alone is nobody's
		case strings.HasPrefix(line, "//"):
			about = append(about, strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
		case open == nil && reIgnored.MatchString(line):
			take()
		case open == nil && rePackage.MatchString(line):
			f.about = take()
		case open == nil && reOpen.MatchString(line):
			m := reOpen.FindStringSubmatch(line)
			if len(about) == 0 {
				return fail("%s has no comment", m[2])
			}
			f.decls = append(f.decls, decl{service: m[1] == "service", name: m[2], about: take()})
			if m[3] == "" {
				open = &f.decls[len(f.decls)-1]
			}
		case open != nil && line == "}":
			open = nil
		case open != nil:
			var one member
			if m := reMethod.FindStringSubmatch(line); open.service && m != nil {
				one = member{name: m[1], in: m[2], outStream: m[3] != "", out: m[4]}
			} else if m := reField.FindStringSubmatch(line); !open.service && m != nil {
				one = member{typ: m[1], name: m[2], number: m[3]}
			} else {
				return fail("%q cannot be shown", line)
			}
			if len(about) == 0 {
				return fail("%s has no comment", one.name)
			}
			one.about = take()
			open.members = append(open.members, one)
		default:
			return fail("%q cannot be shown", line)
		}
	}
	if open != nil {
		return f, fmt.Errorf("%s has no end", open.name)
	}
	return f, nil
}
