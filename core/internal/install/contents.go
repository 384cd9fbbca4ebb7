package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// SignatureName is the name of the file with the signature, beside the manifest.
const SignatureName = "plugin.sig"

// statementHead is the first line of a statement, with its version.
const statementHead = "vak plugin contents 1"

// Contents are the files of a plugin: sha256 by name, with slashes. That of the
// manifest is of its canonical form; the signature is none of them.
type Contents map[string]string

// Statement is the text that says what a plugin consists of. It is what is signed:
//
//	vak plugin contents 1
//	SHA256 NAME
//
// with a line for every file, sorted by the bytes of its name; SHA256 is 64
// lower-case hexadecimal digits. Each line ends in a line feed. No name has one.
func (c Contents) Statement() []byte {
	names := make([]string, 0, len(c))
	for name := range c {
		names = append(names, name)
	}
	slices.Sort(names)
	b := []byte(statementHead + "\n")
	for _, name := range names {
		b = append(b, c[name]+" "+name+"\n"...)
	}
	return b
}

// Digest is the sha256 of the statement, in hexadecimal: the plugin's name in the
// store.
func (c Contents) Digest() string { return sum(c.Statement()) }

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// readContents hashes all files in a folder that holds nothing but folders and
// files.
func readContents(dir string) (Contents, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	c := Contents{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || name == SignatureName:
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%q is neither a file nor a folder", name)
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if name == hostapi.ManifestName {
			c[name], err = manifestHash(f)
			return err
		}
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return err
		}
		c[name] = hex.EncodeToString(h.Sum(nil))
		return nil
	})
	return c, err
}

// manifestHash is the hash of a manifest's canonical form; of one that has none, that
// of what is there.
func manifestHash(f io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(f, hostapi.MaxManifest+1))
	if err != nil {
		return "", err
	}
	if one, err := Canonical(text); err == nil {
		text = one
	}
	return sum(text), nil
}

// maxDepth bounds how deep values stand in a manifest.
const maxDepth = 64

// Canonical is the one form of a manifest: JSON with members sorted by the bytes
// of their names, no space, and strings with the fewest escapes; numbers stay as
// they were written. A member that is there twice, and anything but one object, is
// an error that says at which line.
func Canonical(b []byte) ([]byte, error) {
	if len(b) > hostapi.MaxManifest {
		return nil, fmt.Errorf("it has %d bytes, want at most %d", len(b), hostapi.MaxManifest)
	}
	if !utf8.Valid(b) {
		return nil, errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	out, err := canonical(nil, d, 0)
	if err == nil && out[0] != '{' {
		err = errors.New("it is no JSON object")
	}
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("something follows its JSON object")
		}
	}
	if err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it is not valid JSON")
		}
		return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(b[:d.InputOffset()], []byte("\n")), err)
	}
	return out, nil
}

func canonical(out []byte, d *json.Decoder, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values are more than %d deep", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		out = append(out, '[')
		for n := 0; d.More(); n++ {
			if n > 0 {
				out = append(out, ',')
			}
			if out, err = canonical(out, d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return append(out, ']'), err
	case json.Delim('{'):
		var names []string
		values := map[string][]byte{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			key := name.(string)
			if _, twice := values[key]; twice {
				return nil, fmt.Errorf("the member %.80q is there twice", key)
			}
			if values[key], err = canonical(nil, d, depth+1); err != nil {
				return nil, err
			}
			names = append(names, key)
		}
		slices.Sort(names)
		out = append(out, '{')
		for i, name := range names {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, scalar(name)...), ':'), values[name]...)
		}
		_, err = d.Token()
		return append(out, '}'), err
	}
	return append(out, scalar(t)...), nil
}

// scalar is a value that has no parts.
func scalar(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v) // a string, a boolean or null: nothing that can fail
	return strings.TrimSuffix(b.String(), "\n")
}
