package oracle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// supports reads what the renderer of every surface understands from the
// manifests that were built, so that documents can be lowered the way the host
// lowers them.
func supports() (map[string]doc.Support, error) {
	all := map[string]doc.Support{}
	for _, id := range surfaces {
		b, err := os.ReadFile(filepath.Join(build, "plugins", id, "plugin.json"))
		if err != nil {
			return nil, err
		}
		var m struct {
			Info struct {
				DocVersion int        `json:"doc_version"`
				Blocks     []doc.Kind `json:"blocks"`
			} `json:"info"`
		}
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		all[id] = doc.Support{Version: m.Info.DocVersion, Blocks: m.Info.Blocks}
	}
	return all, nil
}
