package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/install/archive"
	"github.com/seed-1ae66336/vak/core/internal/install/key"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// packTime is what the binary gets to print its manifest.
const packTime = 20 * time.Second

// A Packer makes archives of plugins.
type Packer struct {
	// Manifest has a binary print its plugin.json.
	Manifest func(ctx context.Context, binary string) ([]byte, error)

	// Describe has an interpreter run a file to print the member "info" of its
	// plugin.json; said is what it wrote beside that.
	Describe func(ctx context.Context, interpreter, file string, read []string) (text, said []byte, _ error)

	Sign *key.Private // nil: nobody signs
}

// A Packed is an archive that was made.
type Packed struct {
	ID, Version, Digest string
	Path                string
	Key                 key.Public // none: nobody signed it
}

// Pack makes a .tar.gz of the plugin in dir and writes it to out; where that is
// empty, to ID-VERSION.tar.gz in the working directory. The binary is that which
// the plugin.json in dir names, else the file that is named like dir. The manifest
// is made anew by the binary; of the old one only its grants are taken over. Where
// those name an interpreter, the binary is a file that this program runs. The
// same files give the same archive, byte for byte. Its error is of kind ErrBundle.
func (p Packer) Pack(ctx context.Context, dir, out string) (Packed, error) {
	origin, err := filepath.Abs(dir)
	if err != nil {
		return Packed{}, bundleError("cannot tell where "+dir+" is", "name it with an absolute path", err)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return Packed{}, bundleError(dir+" is not a folder", "name the folder with the plugin's binary", nil)
	}
	temp, err := os.MkdirTemp("", "vak-pack-")
	if err != nil {
		return Packed{}, bundleError("there is no place to pack it", "check the space of the temporary folder", fsys.Bare(err))
	}
	defer removeFolder(temp)
	if err := archive.Unpack(dir, temp); err != nil {
		return Packed{}, bundleError("", "", err)
	}
	c := &Candidate{Origin: origin, dir: temp}
	if err := p.describe(ctx, c); err != nil {
		return Packed{}, err
	}
	if err := c.read(); err != nil {
		return Packed{}, err
	}
	done := Packed{ID: c.ID, Version: c.Version, Digest: c.Digest, Path: out}
	names := slices.Collect(maps.Keys(c.Contents))
	if p.Sign != nil {
		s := p.Sign.Sign(c.Contents.Statement())
		done.Key, names = s.Key, append(names, SignatureName)
		if err := os.WriteFile(filepath.Join(temp, SignatureName), []byte(s.String()), 0o600); err != nil {
			return Packed{}, bundleError("the signature cannot be written", "check the space of the temporary folder", fsys.Bare(err))
		}
	}
	if out == "" {
		done.Path = c.ID + "-" + c.Version + ".tar.gz"
	}
	b, err := bundled(temp, names, c.binary)
	if err == nil {
		err = fsys.Replace(fsys.OS, done.Path, b)
	}
	if err == nil {
		err = os.Chmod(done.Path, 0o644) // it is for others
	}
	if err != nil {
		return Packed{}, bundleError("cannot write "+done.Path, "check the space and the rights there", fsys.Bare(err))
	}
	return done, nil
}

// describe writes the manifest that the binary prints.
func (p Packer) describe(ctx context.Context, c *Candidate) error {
	var old struct {
		Binary string          `json:"binary"`
		Grants json.RawMessage `json:"grants"`
	}
	path := filepath.Join(c.dir, hostapi.ManifestName)
	if text, err := os.ReadFile(path); err == nil {
		if _, err := Canonical(text); err != nil || json.Unmarshal(text, &old) != nil {
			return bundleError(filepath.Join(c.Origin, hostapi.ManifestName)+" is not valid", "mend or remove it", err)
		}
	}
	if err := os.RemoveAll(filepath.Join(c.dir, SignatureName)); err != nil {
		return bundleError("the old signature cannot be left away", "check the temporary folder", fsys.Bare(err))
	}
	name, err := binaryIn(c, old.Binary)
	if err != nil {
		return err
	}
	binary := filepath.Join(c.dir, name)
	if err := os.Chmod(binary, 0o555); err != nil {
		return bundleError(name+" cannot be made executable", "check the temporary folder", fsys.Bare(err))
	}
	f, err := os.Open(binary)
	if err != nil {
		return bundleError(name+" cannot be read", "check the temporary folder", fsys.Bare(err))
	}
	dynamic := process.LinkedDynamically(f)
	f.Close()
	asks, err := grantsOf(old.Grants)
	if err != nil {
		return bundleError(filepath.Join(c.Origin, hostapi.ManifestName)+" is not valid", "mend or remove its grants", err)
	}
	if asks.Interpreter == "" && dynamic {
		return bundleError(filepath.Join(c.Origin, name)+linkedDynamically, buildStatic, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, packTime)
	defer cancel()
	var text []byte
	hint := `serve it with the sdk, which understands "manifest"`
	if asks.Interpreter != "" {
		hint = `have it print what it is when its argument is "describe"`
		text, err = p.script(ctx, asks.Interpreter, binary, asks.Read)
	} else {
		text, err = p.Manifest(ctx, binary)
	}
	if err == nil {
		_, err = Canonical(text)
	}
	if err != nil {
		return bundleError(filepath.Join(c.Origin, name)+" manifest: it does not say what it is", hint, err)
	}
	if old.Grants != nil {
		if text, err = withGrants(text, old.Grants); err != nil {
			return bundleError(filepath.Join(c.Origin, name)+" manifest", "state the grants in one place", err)
		}
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return bundleError("the manifest cannot be written", "check the space of the temporary folder", fsys.Bare(err))
	}
	return nil
}

// grantsOf reads what the grants of a manifest say of how its binary is run.
func grantsOf(text json.RawMessage) (asks struct {
	Read        []string
	Interpreter string
}, err error) {
	if text == nil {
		return asks, nil
	}
	if err := json.Unmarshal(text, &asks); err != nil {
		return asks, errors.New("its grants are of another form")
	}
	return asks, nil
}

// script makes the manifest of a file that an interpreter runs.
func (p Packer) script(ctx context.Context, interpreter, file string, read []string) ([]byte, error) {
	info, said, err := p.Describe(ctx, interpreter, file, read)
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		if last := lines[len(lines)-1]; last != "" {
			err = fmt.Errorf("%w (its last words: %.300q)", err, last)
		}
		return nil, err
	}
	return ScriptManifest(file, info)
}

// binaryIn finds the binary in a folder.
func binaryIn(c *Candidate, named string) (string, error) {
	own := filepath.Base(c.Origin)
	for _, name := range []string{named, own, own + ".exe"} {
		if name == "" || name != filepath.Base(name) || !filepath.IsLocal(name) {
			continue
		}
		if st, err := os.Lstat(filepath.Join(c.dir, name)); err == nil && st.Mode().IsRegular() {
			return name, nil
		}
	}
	return "", bundleError(fmt.Sprintf("there is no binary in %s", c.Origin), fmt.Sprintf("call it %s, or name it as \"binary\" in %s", own, hostapi.ManifestName), nil)
}

// withGrants adds the grants to a manifest and changes nothing else of it: the
// order of members counts where the binary is asked the same again.
func withGrants(text []byte, grants json.RawMessage) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if all["grants"] != nil {
		return nil, errors.New("it has grants already")
	}
	body := bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}"))
	comma := ","
	if len(all) == 0 {
		comma = ""
	}
	return slices.Concat(bytes.TrimSpace(body), []byte(comma+"\n  \"grants\": "), grants, []byte("\n}\n")), nil
}

// bundled is a .tar.gz of files in dir, with nothing in it that depends on when and
// by whom it was made.
func bundled(dir string, names []string, binary string) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	slices.SortFunc(names, strings.Compare)
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(b)), ModTime: time.Unix(0, 0)}
		if name == binary {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(b)); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
