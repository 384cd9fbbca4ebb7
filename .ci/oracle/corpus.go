package oracle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Cases are inputs that went wrong somewhere else. A placeholder in markdown
// stands for a unit repeated many times; {i} in the unit is its index and {g} a
// character repeated a growing number of times.
func Cases() ([]Document, error) {
	f, err := os.Open("testdata/cases.jsonl")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type grow struct {
		Char        string
		Start, Step int
	}
	type unit struct {
		Unit  string
		Times int
		Grow  *grow
	}
	var docs []Document
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var c struct {
			ID          string
			Markdown    string
			MarkdownB64 string `json:"markdown_b64"`
			Expand      map[string]unit
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			return nil, err
		}
		if c.MarkdownB64 != "" {
			b, err := base64.StdEncoding.DecodeString(c.MarkdownB64)
			if err != nil {
				return nil, err
			}
			c.Markdown = string(b)
		}
		for placeholder, u := range c.Expand {
			var b strings.Builder
			for i := range u.Times {
				s := strings.ReplaceAll(u.Unit, "{i}", fmt.Sprint(i))
				if u.Grow != nil {
					s = strings.ReplaceAll(s, "{g}", strings.Repeat(u.Grow.Char, u.Grow.Start+u.Grow.Step*i))
				}
				b.WriteString(s)
			}
			c.Markdown = strings.ReplaceAll(c.Markdown, placeholder, b.String())
		}
		docs = append(docs, Document{c.ID, c.Markdown})
	}
	return docs, sc.Err()
}

// goldmark is where the examples of CommonMark and GFM are: the parser that vak
// uses ships them with its source, at the version that go.sum pins.
func goldmark() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		return "", fmt.Errorf("goldmark: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// CommonMark is every example of the CommonMark specification.
func CommonMark() ([]Document, error) {
	dir, err := goldmark()
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(dir, "_test", "spec.json"))
	if err != nil {
		return nil, err
	}
	var examples []struct {
		Markdown string
		Example  int
	}
	if err := json.Unmarshal(b, &examples); err != nil {
		return nil, err
	}
	var docs []Document
	for _, e := range examples {
		docs = append(docs, Document{fmt.Sprintf("commonmark-%d", e.Example), e.Markdown})
	}
	return docs, nil
}

// Extensions is every example of tables, strikethrough, task lists, footnotes
// and links in GFM's manner. The files hold a number, the markdown and the HTML
// between lines of dashes.
func Extensions() ([]Document, error) {
	dir, err := goldmark()
	if err != nil {
		return nil, err
	}
	const border = "//- - - - - - - - -//\n"
	var docs []Document
	for _, name := range []string{"table", "strikethrough", "tasklist", "footnote", "linkify"} {
		b, err := os.ReadFile(filepath.Join(dir, "extension", "_test", name+".txt"))
		if err != nil {
			return nil, err
		}
		parts := strings.Split(string(b), border)
		for i := 1; i+1 < len(parts); i += 2 {
			// Addresses of which one is the start of the next cannot be told
			// apart in one document: each paragraph is one of its own.
			for j, paragraph := range strings.Split(parts[i], "\n\n") {
				if name != "linkify" {
					paragraph = parts[i]
				}
				if id := fmt.Sprintf("%s-%d.%d", name, i/2+1, j+1); j == 0 || name == "linkify" {
					docs = append(docs, Document{id, paragraph})
				}
			}
		}
	}
	return docs, nil
}

var readme = regexp.MustCompile(`(?i)^package/readme[^/]*$`)

// Readmes are the READMEs of the packages in readmes.txt.
func Readmes() ([]Document, error) {
	b, err := os.ReadFile("testdata/readmes.txt")
	if err != nil {
		return nil, err
	}
	packages := strings.Fields(string(b))
	dir, err := once("readmes-"+digest(b), func(dir string) error {
		// Packing fetches the packages alone, without what they depend on.
		return npm(dir, append([]string{"pack", "--ignore-scripts", "--silent"}, packages...)...)
	}, "")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	if len(files) != len(packages) {
		return nil, fmt.Errorf("%d of %d packages in %s", len(files), len(packages), dir)
	}
	var docs []Document
	for _, file := range files {
		found, err := readmesIn(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		docs = append(docs, found...)
	}
	return docs, nil
}

func readmesIn(file string) ([]Document, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var docs []Document
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		if !readme.MatchString(h.Name) {
			continue
		}
		text, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		id := strings.TrimSuffix(filepath.Base(file), ".tgz") + strings.TrimPrefix(h.Name, "package")
		docs = append(docs, Document{id, string(text)})
	}
}
