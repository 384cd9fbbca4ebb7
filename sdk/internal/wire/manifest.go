package wire

import (
	"bytes"
	"encoding/json"
)

// ManifestName is the file that describes a plugin, beside its binary.
const ManifestName = "plugin.json"

// ManifestVersion is the schema_version of the manifest that is written here.
const ManifestVersion = 1

// A Manifest says what a plugin is without starting it. It is made from the
// plugin's own Info when the plugin is built.
type Manifest struct {
	SchemaVersion int             `json:"schema_version"`
	ID            string          `json:"id"`
	Kind          string          `json:"kind"`
	Version       string          `json:"version"`
	Protocol      []int           `json:"protocol"` // major versions that the binary serves
	Binary        string          `json:"binary"`   // name of a file in the manifest's folder
	SHA256        string          `json:"sha256"`   // of that file, lower-case hex
	Info          json.RawMessage `json:"info"`     // what Describe answers
}

// Encode returns the file that m is.
func (m Manifest) Encode() ([]byte, error) {
	b, err := JSON(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
