package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A Bundle is one plugin that was found, usable or not. It does not change.
type Bundle struct {
	Kind   string       // hostapi.KindSurface or KindSkill; empty where the manifest does not say
	Info   surface.Info // of a skill pack id and version only; of a broken one the id at least: the folder's name if nothing better is known
	Pack   skill.Info   // of a skill pack
	Path   string       // of the binary; empty for some broken ones
	SHA256 string       // of the binary, as the manifest says
	Dir    string       // the plugin's folder
	Err    *fault.Error // why it cannot be used; else nil

	Manifest []byte // the bytes of its manifest, as far as it could be read
	File     string // sha256 of those

	seen  stamp
	young bool // it was written a moment before it was read, so that a later stamp may be the same
}

// maxFolders bounds what is looked at in one directory.
const maxFolders = 1000

// Discover lists the folders in a directory that hold a plugin, in order. Its error is
// a [*fault.Error].
func Discover(dir string) ([]string, error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, &fault.Error{
			Op: "open", Kind: fault.NotFound, Source: fault.FromHost, Err: err,
			Message: fmt.Sprintf("cannot read the directory of plugins: %v", err),
			Hint:    "name an existing directory that holds a folder for each plugin",
		}
	}
	if len(folders) > maxFolders {
		return nil, &fault.Error{
			Op: "open", Kind: fault.NotFound, Source: fault.FromHost,
			Message: fmt.Sprintf("%s holds %d entries, at most %d are read", dir, len(folders), maxFolders),
			Hint:    "name a directory that holds plugins only",
		}
	}
	var out []string
	for _, f := range folders { // sorted by name
		folder := filepath.Join(dir, f.Name())
		if _, err := os.Lstat(filepath.Join(folder, hostapi.ManifestName)); err == nil { // else it is no plugin
			out = append(out, folder)
		}
	}
	return out, nil
}

// Read reads the plugin in a folder.
func Read(folder string) Bundle {
	b := Bundle{Dir: folder}
	b.Info.ID = filepath.Base(folder)
	broken := func(message, hint string, err error) Bundle {
		b.Err = &fault.Error{
			Op: "open", Plugin: b.Info.ID, Version: b.Info.Version, Kind: fault.BadManifest, Source: fault.FromPlugin,
			Message: message, Hint: hint, Err: err,
		}
		return b
	}
	path := filepath.Join(folder, hostapi.ManifestName)
	st, err := os.Stat(path) // before it is read: what comes between is seen next time
	if err == nil {
		b.seen.manifest, b.young = fileStamp(st), time.Since(st.ModTime()).Abs() < tick
	}
	text, err := readBounded(path, hostapi.MaxManifest)
	if err != nil {
		return broken(fmt.Sprintf("cannot read the manifest: %v", err), "install the plugin again", err)
	}
	b.Manifest, b.File = text, sum(text)
	err = conforms(text)
	var m hostapi.Manifest
	if err == nil {
		m, err = hostapi.ParseManifest(text)
	}
	if err != nil {
		b.Kind = kindOf(text)
		return broken(fmt.Sprintf("%s is not valid: %v", path, err), "install the plugin again, or tell its author", err)
	}
	b.Kind, b.Info, b.Pack, b.SHA256, b.Path = m.Kind, m.Info, m.Pack, m.SHA256, filepath.Join(folder, m.Binary)
	if m.Kind == hostapi.KindSkill {
		b.Info.ID, b.Info.Version = m.Pack.ID, m.Pack.Version
	}
	st, err = os.Stat(b.Path)
	if err == nil {
		b.seen.binary = fileStamp(st)
	}
	switch {
	case err != nil:
		return broken(fmt.Sprintf("cannot find the binary: %v", err), "install the plugin again for this platform", err)
	case !st.Mode().IsRegular():
		return broken(b.Path+" is not a file", "install the plugin again", nil)
	case !executable(st):
		return broken(b.Path+" may not be executed", "chmod +x "+b.Path, nil)
	}
	return b
}

// kindOf is the kind in a manifest that is not valid otherwise, if it says one.
func kindOf(text []byte) string {
	var m struct {
		Kind string `json:"kind"`
	}
	if json.Unmarshal(text, &m) != nil || m.Kind != hostapi.KindSurface && m.Kind != hostapi.KindSkill {
		return ""
	}
	return m.Kind
}

// tick is longer than the clock of any file system that matters takes to move on.
const tick = 50 * time.Millisecond

// A stamp tells, most likely, whether what was read is still what is there.
type stamp struct{ manifest, binary string }

// lookAt is the stamp of what is there now. The path of the binary is empty where
// that is not known.
func lookAt(folder, binary string) (s stamp) {
	s.manifest = stampOf(filepath.Join(folder, hostapi.ManifestName))
	if binary != "" {
		s.binary = stampOf(binary)
	}
	return s
}

func stampOf(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fileStamp(st)
}

// Touched reports whether manifest or binary look as if they were others than when b
// was read. It reads neither.
func (b Bundle) Touched() bool { return b.young || lookAt(b.Dir, b.Path) != b.seen }

// SameFiles reports whether both were read from files that looked the same.
func (b Bundle) SameFiles(other Bundle) bool { return b.seen == other.seen }

// Replaced reports whether the manifest is another than when b was read: the folder
// holds another plugin now. What the binary is, is told when it is opened.
func (b Bundle) Replaced() bool {
	text, err := readBounded(filepath.Join(b.Dir, hostapi.ManifestName), hostapi.MaxManifest)
	return err != nil || sum(text) != b.File
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func readBounded(path string, most int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() { // opening a pipe would block
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return b, nil
}

func fileStamp(st os.FileInfo) string {
	return fmt.Sprint(st.Size(), " ", st.ModTime().UnixNano(), " ", st.Mode(), changeTime(st))
}
