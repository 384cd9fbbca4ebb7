package bundle

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

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

	seen stamp
}

// maxFolders bounds what is looked at in one directory.
const maxFolders = 1000

// Discover reads the manifests in dirs, in order. It starts nothing. Its error,
// a [*fault.Error], is about a directory; what is wrong with one plugin is in
// its Bundle.
func Discover(dirs []string) ([]Bundle, error) {
	var out []Bundle
	for _, dir := range dirs {
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
		for _, f := range folders { // sorted by name
			folder := filepath.Join(dir, f.Name())
			if _, err := os.Lstat(filepath.Join(folder, hostapi.ManifestName)); err != nil {
				continue // not a plugin
			}
			out = append(out, Read(folder))
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
	text, err := readBounded(path, hostapi.MaxManifest)
	if err != nil {
		return broken(fmt.Sprintf("cannot read the manifest: %v", err), "install the plugin again", err)
	}
	b.seen.manifest = sha256.Sum256(text)
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
	st, err := os.Stat(b.Path)
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

// A stamp tells whether what was read is still what is there.
type stamp struct {
	manifest [sha256.Size]byte
	binary   string
}

func fileStamp(st os.FileInfo) string {
	return fmt.Sprint(st.Size(), " ", st.ModTime().UnixNano(), " ", st.Mode())
}

// Changed reports whether manifest or binary are others than when b was read:
// somebody installed the plugin anew.
func (b Bundle) Changed() bool {
	var now stamp
	if text, err := readBounded(filepath.Join(b.Dir, hostapi.ManifestName), hostapi.MaxManifest); err == nil {
		now.manifest = sha256.Sum256(text)
	}
	if b.Path != "" {
		if st, err := os.Stat(b.Path); err == nil {
			now.binary = fileStamp(st)
		}
	}
	return now != b.seen
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
