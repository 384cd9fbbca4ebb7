package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// ScriptManifest is the plugin.json of a plugin that is the file at path, which an
// interpreter runs. Info is what it prints when it is asked to describe itself, as
// the member "info" is to be: that of a surface has profiles, any other is a skill
// pack's. It stands there as it was printed: schemas are compared with what the process
// says later, and the order of their members counts.
func ScriptManifest(path string, info []byte) ([]byte, error) {
	if _, err := Canonical(info); err != nil {
		return nil, err
	}
	var says struct {
		ID       string
		Version  string
		Profiles json.RawMessage
	}
	if json.Unmarshal(info, &says) != nil {
		return nil, errors.New("its id or its version is no string")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fsys.Bare(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fsys.Bare(err)
	}
	kind := hostapi.KindSkill
	if says.Profiles != nil {
		kind = hostapi.KindSurface
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(struct {
		SchemaVersion int             `json:"schema_version"`
		ID            string          `json:"id"`
		Kind          string          `json:"kind"`
		Version       string          `json:"version"`
		Protocol      []int           `json:"protocol"`
		Binary        string          `json:"binary"`
		SHA256        string          `json:"sha256"`
		Info          json.RawMessage `json:"info"`
	}{1, says.ID, kind, says.Version, []int{hostapi.Protocol}, filepath.Base(path), hex.EncodeToString(h.Sum(nil)), info})
	return out.Bytes(), err
}
