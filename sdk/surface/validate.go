package surface

import (
	"encoding/json"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

var (
	idForm      = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	nameForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,31}$`)
	kindForm    = regexp.MustCompile(`^[a-z][a-z_]{0,31}$`)
	versionForm = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

const (
	maxProfiles = 32
	maxBlocks   = 64
	maxVersion  = 64
	maxSchema   = 64 << 10
)

// Validate reports the first thing that keeps i from being the description of a
// surface, naming the field. Serve refuses to start with such an Info, and a
// host refuses a manifest with one.
func (i Info) Validate() error {
	switch {
	case !idForm.MatchString(i.ID):
		return fmt.Errorf("id %q: want up to 32 lower-case letters, digits and inner hyphens", clip(i.ID))
	case len(i.Version) > maxVersion || !versionForm.MatchString(i.Version):
		return fmt.Errorf("version %q: want a semantic version such as 1.2.3", clip(i.Version))
	case i.DocVersion < 1:
		return fmt.Errorf("doc_version %d: want the highest version of the document that the renderer understands, such as %d", i.DocVersion, doc.SchemaVersion)
	case len(i.Blocks) > maxBlocks:
		return fmt.Errorf("blocks: %d entries, want at most %d", len(i.Blocks), maxBlocks)
	case len(i.Profiles) == 0:
		return fmt.Errorf("profiles: want at least one")
	case len(i.Profiles) > maxProfiles:
		return fmt.Errorf("profiles: %d entries, want at most %d", len(i.Profiles), maxProfiles)
	}
	for n, k := range i.Blocks { // kinds newer than this module are no error
		if !kindForm.MatchString(string(k)) {
			return fmt.Errorf("blocks[%d]: %q is no kind of block", n, clip(string(k)))
		}
	}
	for n, p := range i.Profiles {
		if err := p.Validate(); err != nil {
			return fmt.Errorf("profiles[%d].%w", n, err)
		}
		if p.Surface != i.ID {
			return fmt.Errorf("profiles[%d].surface %q: want the surface's own id %q", n, clip(p.Surface), i.ID)
		}
	}
	if err := schema("account", i.Account); err != nil {
		return err
	}
	return schema("address", i.Address)
}

// Validate reports the first thing that keeps p from being a profile, naming
// the field.
func (p Profile) Validate() error {
	if !idForm.MatchString(p.Surface) {
		return fmt.Errorf("surface %q: want the id of a surface", clip(p.Surface))
	}
	for _, f := range []struct {
		name, value string
		empty       bool
	}{
		{"name", p.Name, true}, {"dialect", p.Dialect, false},
		{"links", p.Links, true}, {"tables", p.Tables, true}, {"mentions", p.Mentions, true}, {"delivers", p.Delivers, true},
	} {
		if f.value == "" && f.empty {
			continue
		}
		if !nameForm.MatchString(f.value) {
			return fmt.Errorf("%s %q: want up to 32 lower-case letters, digits, '_', '-' and '.'", f.name, clip(f.value))
		}
	}
	if p.Delivers != "" && p.Delivers != "chunks" && p.Delivers != "packet" {
		return fmt.Errorf("delivers %q: want chunks or packet", p.Delivers)
	}
	if p.Grid < 0 || p.Grid > MaxLimit {
		return fmt.Errorf("grid %d: want 0 to %d columns", p.Grid, MaxLimit)
	}
	if err := p.Limit.validate(); err != nil {
		return fmt.Errorf("limit.%w", err)
	}
	if err := p.EditLimit.validate(); err != nil {
		return fmt.Errorf("edit_limit.%w", err)
	}
	return nil
}

func (l Limit) validate() error {
	if l.Max != 0 && (l.Max < MinLimit || l.Max > MaxLimit) {
		return fmt.Errorf("max %d: want 0 for no limit, or %d to %d", l.Max, MinLimit, MaxLimit)
	}
	switch l.Unit {
	case "", UTF16, Codepoint, Byte:
	default:
		return fmt.Errorf("unit %q: want utf16, codepoint or byte", clip(string(l.Unit)))
	}
	switch l.Of {
	case "", Visible, Sent:
	default:
		return fmt.Errorf("of %q: want visible or sent", clip(string(l.Of)))
	}
	if l.MaxBytes < 0 || l.MaxEntities < 0 || l.MaxEntityBytes < 0 {
		return fmt.Errorf("max_bytes, max_entities and max_entity_bytes: want 0 for no limit, or more")
	}
	if l.MaxBytes != 0 && l.MaxBytes < MinLimit {
		return fmt.Errorf("max_bytes %d: want 0 for no limit, or at least %d", l.MaxBytes, MinLimit)
	}
	return nil
}

// schema checks that raw is empty or one JSON object of bounded size.
func schema(field string, raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	if len(raw) > maxSchema {
		return fmt.Errorf("%s: %d bytes, want at most %d", field, len(raw), maxSchema)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return fmt.Errorf("%s: want a JSON Schema object", field)
	}
	return nil
}

// clip keeps a refused value from filling an error.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
