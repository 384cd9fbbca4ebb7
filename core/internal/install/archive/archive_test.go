package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// An entry is one of an archive that a test makes.
type entry struct {
	name string
	body string
	mode int64 // 0: 0644
	kind byte  // 0: a file
	link string
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: e.mode, Typeflag: e.kind, Size: int64(len(e.body)), Linkname: e.link, Format: tar.FormatPAX}
		if e.mode == 0 {
			h.Mode = 0o644
		}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		mode := fs.FileMode(0o644)
		if e.mode != 0 {
			mode = fs.FileMode(e.mode & 0o777)
		}
		if e.mode&0o4000 != 0 {
			mode |= fs.ModeSetuid
		}
		switch e.kind {
		case tar.TypeSymlink:
			mode |= fs.ModeSymlink
		case tar.TypeFifo:
			mode |= fs.ModeNamedPipe
		case tar.TypeDir:
			mode |= fs.ModeDir
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.body + e.link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func packed(t testing.TB, b []byte) (src, dst string) {
	t.Helper()
	dir := t.TempDir()
	src, dst = filepath.Join(dir, "plugin"), filepath.Join(dir, "out")
	if err := errors.Join(os.WriteFile(src, b, 0o600), os.Mkdir(dst, 0o700)); err != nil {
		t.Fatal(err)
	}
	return src, dst
}

// files are the names below dir and what they hold; a folder holds "/".
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		st, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			out[name] = "/"
			return nil
		case !st.Mode().IsRegular():
			t.Errorf("%s is no file", name)
			return nil
		case runtime.GOOS != "windows" && st.Mode().Perm() != 0o600:
			t.Errorf("%s has the mode %v", name, st.Mode())
		}
		b, err := os.ReadFile(path)
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var good = []entry{
	{name: "plugin.json", body: "{}"}, {name: "schema/", kind: tar.TypeDir, mode: 0o755}, {name: "schema/a.json", body: "1"},
	{name: "bin", body: "#!", mode: 0o755}, {name: "deep/er/nested.zip", body: "PK\x03\x04 and so on"},
}

func TestUnpack(t *testing.T) {
	folder := t.TempDir()
	for _, e := range good {
		path := filepath.Join(folder, e.name)
		if e.kind == 0 {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(e.body), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	fromTar, one := packed(t, tarOf(t, append([]entry{{name: "./", kind: tar.TypeDir, mode: 0o755}}, good...)...))
	fromZip, two := packed(t, zipOf(t, good...))
	for src, dst := range map[string]string{folder: t.TempDir(), fromTar: one, fromZip: two} {
		if err := Unpack(src, dst); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got := files(t, dst)
		for _, e := range good {
			want := e.body
			if e.kind == tar.TypeDir {
				want = "/"
			}
			if got[strings.TrimSuffix(e.name, "/")] != want {
				t.Errorf("%s: %q holds %q", src, e.name, got[e.name])
			}
		}
		if len(got) != 7 {
			t.Errorf("%s: got %q", src, got)
		}
	}
}

func TestHostileEntries(t *testing.T) {
	for _, c := range []struct {
		entries []entry
		says    string
		only    string // "tar": a zip cannot say that
	}{
		{[]entry{{name: "../x"}}, "leads out of the folder", ""},
		{[]entry{{name: "a/../../x"}}, "leads out of the folder", ""},
		{[]entry{{name: "/etc/x"}}, "absolute path", ""},
		{[]entry{{name: `..\x`}}, "not every platform takes", ""},
		{[]entry{{name: "c:x"}}, "not every platform takes", ""},
		{[]entry{{name: "a//b"}}, "empty step", ""},
		{[]entry{{name: "a/./b"}}, "empty step", ""},
		{[]entry{{name: "a\x1bb"}}, "control characters", ""},
		{[]entry{{name: "a\u202eb"}}, "control characters", ""},
		{[]entry{{name: "a\xffb"}}, "not UTF-8", "zip"},
		{[]entry{{name: "dir/NUL.txt"}}, "device on Windows", ""},
		{[]entry{{name: "a."}}, "ends in a point", ""},
		{[]entry{{name: strings.Repeat("long/", 60) + "x"}}, "longer than 255", "tar"},
		{[]entry{{name: strings.Repeat("n", 256)}}, "longer than 255", ""},
		{[]entry{{name: "l", kind: tar.TypeSymlink, link: "/etc/passwd"}}, "is a link", ""},
		{[]entry{{name: "f", body: "x"}, {name: "l", kind: tar.TypeLink, link: "f"}}, "is a link", "tar"},
		{[]entry{{name: "p", kind: tar.TypeFifo}}, "is a device", ""},
		{[]entry{{name: "d", kind: tar.TypeBlock}}, "is a device", "tar"},
		{[]entry{{name: "s", mode: 0o4755}}, "setuid", ""},
		{[]entry{{name: "w", mode: 0o666}}, "lets everybody write", ""},
		{[]entry{{name: "a"}, {name: "a"}}, "there twice", ""},
		{[]entry{{name: "./a"}, {name: "a"}}, "there twice", "tar"},
		{[]entry{{name: "a/", kind: tar.TypeDir, mode: 0o755}, {name: "a/", kind: tar.TypeDir, mode: 0o755}}, "there twice", ""},
		{[]entry{{name: "a"}, {name: "a/b"}}, "there twice", ""},
		{[]entry{{name: "a/b"}, {name: "a"}}, "there twice", ""},
		{[]entry{{name: "Read"}, {name: "read"}}, "on some platforms", ""},
		{[]entry{{name: "D/a"}, {name: "d/b"}}, "on some platforms", ""},
		{[]entry{{name: "caf\u00e9"}, {name: "cafe\u0301"}}, "on some platforms", ""},
		{[]entry{{name: "big", body: strings.Repeat("\x00", 3<<20)}}, "times its size", ""},
	} {
		for kind, make := range map[string]func(testing.TB, ...entry) []byte{"tar": tarOf, "zip": zipOf} {
			if c.only != "" && c.only != kind {
				continue
			}
			src, dst := packed(t, make(t, c.entries...))
			err := Unpack(src, dst)
			own, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(own.What, c.says) || own.Archive != src || own.Mend == "" {
				t.Errorf("%s with %.60q: %v, want %q", kind, c.entries[0].name, err, c.says)
			}
			if ok && own.Entry == "" && c.says != "times its size" {
				t.Errorf("%s with %.60q: it does not name the entry: %v", kind, c.entries[0].name, err)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	small := limits{bytes: 100, entries: 3, ratio: 100}
	many := []entry{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}
	large := []entry{{name: "a", body: strings.Repeat("abcdefg", 10)}, {name: "b", body: strings.Repeat("hijklmn", 10)}}
	for _, b := range [][]byte{tarOf(t, many...), zipOf(t, many...), tarOf(t, large...), zipOf(t, large...)} {
		err := unpackStream(t, b, small)
		if err == nil || !strings.Contains(err.Error(), "more than") && !strings.Contains(err.Error(), "larger than") {
			t.Errorf("err = %v", err)
		}
	}
	src, dst := packed(t, bytes.Repeat([]byte("x"), 101))
	if err := unpack(src, dst, small); err == nil || !strings.Contains(err.Error(), "larger than a plugin may be") {
		t.Errorf("err = %v", err)
	}
}

// unpackStream reads an archive without looking at its own length.
func unpackStream(t testing.TB, b []byte, l limits) error {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := &sink{root: root, limits: l, taken: map[string]place{}}
	if b[0] == 'P' {
		return readZip(bytes.NewReader(b), int64(len(b)), s)
	}
	return readTar(bytes.NewReader(b), s)
}

func TestDamaged(t *testing.T) {
	for kind, whole := range map[string][]byte{"tar": tarOf(t, good...), "zip": zipOf(t, good...)} {
		for n := range len(whole) {
			src, dst := packed(t, whole[:n])
			if err := Unpack(src, dst); err == nil {
				t.Errorf("%s cut off at %d of %d passes", kind, n, len(whole))
			}
		}
		for _, tail := range []string{"x", "\x00", string(whole)} {
			src, dst := packed(t, append(bytes.Clone(whole), tail...))
			if err := Unpack(src, dst); err == nil {
				t.Errorf("%s with %.4q behind it passes", kind, tail)
			}
		}
	}
	// What follows the end of the tar inside the gzip, and a tar without its end.
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	w.WriteHeader(&tar.Header{Name: "a", Mode: 0o644, Size: 1})
	w.Write([]byte("x"))
	w.Flush()
	for _, tail := range []string{"", strings.Repeat("\x00", 512), strings.Repeat("\x00", 1024) + "hidden"} {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write(plain.Bytes())
		z.Write([]byte(tail))
		z.Close()
		src, dst := packed(t, out.Bytes())
		if err := Unpack(src, dst); err == nil {
			t.Errorf("a tar that ends in %.10q and %d bytes passes", tail, len(tail))
		}
	}
}

func TestFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are those of Unix")
	}
	for _, c := range []struct {
		says string
		make func(dir string) error
	}{
		{"is a link", func(dir string) error { return os.Symlink("/etc/hosts", filepath.Join(dir, "l")) }},
		{"lets everybody write", func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "w"), nil, 0o600), os.Chmod(filepath.Join(dir, "w"), 0o666))
		}},
		{"on some platforms", func(dir string) error {
			if runtime.GOOS == "darwin" {
				return os.Symlink("x", filepath.Join(dir, "l"))
			}
			return errors.Join(os.WriteFile(filepath.Join(dir, "A"), nil, 0o600), os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
		}},
	} {
		dir := t.TempDir()
		if err := c.make(dir); err != nil {
			t.Fatal(err)
		}
		err := Unpack(dir, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), c.says) && runtime.GOOS != "darwin" {
			t.Errorf("err = %v, want %q", err, c.says)
		}
	}
	for _, src := range []string{filepath.Join(t.TempDir(), "none"), "/dev/null"} {
		if err := Unpack(src, t.TempDir()); err == nil || !strings.Contains(err.Error(), src) {
			t.Errorf("%s: err = %v", src, err)
		}
	}
}

// FuzzUnpack holds that whatever an archive is, nothing but files and folders
// with plain names lands in the folder, within the bounds.
func FuzzUnpack(f *testing.F) {
	f.Add(tarOf(f, good...))
	f.Add(zipOf(f, good...))
	f.Add(tarOf(f, entry{name: "../x", body: "y"}))
	f.Add(zipOf(f, entry{name: "l", kind: tar.TypeSymlink, link: "/etc/passwd"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		src, dst := packed(t, b)
		l := limits{bytes: 64 << 10, entries: 20, ratio: 100}
		if err := unpack(src, dst, l); err != nil {
			if own, ok := errors.AsType[*Error](err); !ok || own.Mend == "" {
				t.Errorf("err = %v", err)
			}
		}
		got := files(t, dst)
		total := 0
		for name, body := range got {
			if what := faulty(name); what != "" {
				t.Errorf("%q: %s", name, what)
			}
			total += len(body)
		}
		if total > int(l.bytes)+1+len(got) || len(got) > l.entries*maxName/2 {
			t.Errorf("%d bytes in %d files", total, len(got))
		}
		if beside, _ := os.ReadDir(filepath.Dir(dst)); len(beside) != 2 {
			t.Errorf("something was written beside the folder: %v", beside)
		}
	})
}
