package hostapi

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// ManifestName is the name of the file that describes a plugin, beside its
// binary.
const ManifestName = wire.ManifestName

// MaxManifest is the largest manifest that is read, in bytes.
const MaxManifest = 1 << 20

// A Manifest is what is known of a plugin without starting it.
type Manifest struct {
	Kind     string       // KindSurface or KindSkill
	Info     surface.Info // of a surface
	Pack     skill.Info   // of a skill pack
	Protocol []int        // major versions of the protocol that the binary serves
	Binary   string       // name of a file in the manifest's own folder
	SHA256   string       // of that file, lower-case hex
}

// The kinds of plugin.
const (
	KindSurface = wire.KindSurface
	KindSkill   = wire.KindSkill
)

// ParseManifest reads and validates the contents of a manifest. It refuses one
// of a kind of plugin that it does not know, one that is newer than this host, and one whose
// binary is anywhere but in the manifest's own folder. Members that it does not
// know are ignored.
func ParseManifest(b []byte) (Manifest, error) {
	if len(b) > MaxManifest {
		return Manifest{}, fmt.Errorf("%d bytes, want at most %d", len(b), MaxManifest)
	}
	var m wire.Manifest
	if err := decode(b, &m); err != nil {
		return Manifest{}, err
	}
	switch {
	case m.SchemaVersion < 1:
		return Manifest{}, fmt.Errorf("schema_version %d: want %d", m.SchemaVersion, wire.ManifestVersion)
	case m.SchemaVersion > wire.ManifestVersion:
		return Manifest{}, fmt.Errorf("schema_version %d is newer than this vak, which reads %d; update vak", m.SchemaVersion, wire.ManifestVersion)
	case m.Kind != KindSurface && m.Kind != KindSkill:
		return Manifest{}, fmt.Errorf("kind %q: want %q or %q", wire.Sentence(m.Kind), KindSurface, KindSkill)
	case !slices.Contains(m.Protocol, wire.Protocol):
		return Manifest{}, fmt.Errorf("protocol %v: this vak speaks %d; update the older of the two", m.Protocol[:min(len(m.Protocol), 8)], wire.Protocol)
	case !fileName(m.Binary):
		return Manifest{}, fmt.Errorf("binary %q: want the name of a file beside the manifest", wire.Sentence(m.Binary))
	}
	if sum, err := hex.DecodeString(m.SHA256); err != nil || len(sum) != 32 || strings.ToLower(m.SHA256) != m.SHA256 {
		return Manifest{}, fmt.Errorf("sha256: want 64 lower-case hexadecimal digits")
	}
	if len(m.Info) == 0 {
		return Manifest{}, fmt.Errorf("info: missing")
	}
	out := Manifest{Kind: m.Kind, Protocol: m.Protocol, Binary: m.Binary, SHA256: m.SHA256}
	var err error
	id, version := "", ""
	if m.Kind == KindSkill {
		out.Pack, err = ParsePack(m.Info)
		id, version = out.Pack.ID, out.Pack.Version
	} else {
		out.Info, err = ParseInfo(m.Info)
		id, version = out.Info.ID, out.Info.Version
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("info.%w", err)
	}
	if m.ID != id || m.Version != version {
		return Manifest{}, fmt.Errorf("id and version differ from those in info")
	}
	return out, nil
}

// fileName reports whether s names a file in a folder and cannot lead out of it,
// on any platform.
func fileName(s string) bool {
	return s != "" && len(s) <= 255 && s != "." && s != ".." &&
		!strings.ContainsAny(s, `/\:`) && control(s) < 0 && filepath.IsLocal(s)
}

// SameInfo reports whether a and b are the same description: their canonical
// JSON is.
func SameInfo[T surface.Info | skill.Info](a, b T) bool {
	x, errX := wire.JSON(a)
	y, errY := wire.JSON(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
