package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// templatesName is the file of the home that keeps what is known of templates
// beside the configuration. Only who holds the home writes it.
const templatesName = "templates.json"

const templatesVersion = 1

// maxTemplates bounds what is read of the file: every proposal with every byte
// escaped, and as much again.
const maxTemplates = 64 << 20

// maxSeen bounds the revisions that are remembered; the oldest go first.
const maxSeen = 1000

// The owners of revisions. Two projects may have a template of the same id, and
// each its own revisions.
const (
	ownerUser    = "user"
	ownerAgent   = "agent"
	ownerProject = "project:" // and the file that it is in
)

// templates are what a Core knows of them.
type templates struct {
	mu   sync.Mutex // of changes
	kept *keptTemplates
	set  atomic.Pointer[templateSet]
}

// keptTemplates is what the file holds. Members that this version does not know
// stay as they are.
type keptTemplates struct {
	revisions []seenRevision
	proposals []proposal
	rest      map[string]json.RawMessage
	newer     bool   // it is of a newer vak, and is not written
	said      string // what was wrong with it
}

// A seenRevision is the highest one of a template that was met.
type seenRevision struct {
	ID       string `json:"id"`
	Owner    string `json:"owner"`
	Revision int    `json:"revision"`
	SHA256   string `json:"sha256"` // of the format as it was met first

	rest map[string]json.RawMessage
}

// A proposal is a template of an agent.
type proposal struct {
	ID       string    `json:"id"`
	Revision int       `json:"revision"`
	Format   string    `json:"format"`
	Proposed time.Time `json:"proposed"`
	Active   bool      `json:"active"`

	rest map[string]json.RawMessage
}

func digestOf(format string) string {
	sum := sha256.Sum256([]byte(format))
	return hex.EncodeToString(sum[:])
}

func (k *keptTemplates) clone() *keptTemplates {
	out := *k
	out.revisions, out.proposals = slices.Clone(k.revisions), slices.Clone(k.proposals)
	return &out
}

// seen is the highest revision of an id that was met; zero: none was.
func (k *keptTemplates) seen(id, owner string) seenRevision {
	for _, r := range k.revisions {
		if r.ID == id && r.Owner == owner {
			return r
		}
	}
	return seenRevision{}
}

// see remembers a revision.
func (k *keptTemplates) see(id, owner string, revision int, digest string) {
	for i := range k.revisions {
		if r := &k.revisions[i]; r.ID == id && r.Owner == owner {
			r.Revision, r.SHA256 = revision, digest
			return
		}
	}
	k.revisions = append(k.revisions, seenRevision{ID: id, Owner: owner, Revision: revision, SHA256: digest})
	if n := len(k.revisions) - maxSeen; n > 0 {
		k.revisions = k.revisions[n:]
	}
}

// proposal finds one by its id and the revision that somebody has read.
func (k *keptTemplates) proposal(id string, revision int) (proposal, error) {
	var others []int
	for _, p := range k.proposals {
		if p.ID != id {
			continue
		}
		if p.Revision == revision {
			return p, nil
		}
		others = append(others, p.Revision)
	}
	if others == nil {
		return proposal{}, &Error{Kind: ErrNotFound, What: fmt.Sprintf("there is no proposal %.80q", id), Mend: "\"vak template list\" shows them"}
	}
	slices.Sort(others)
	return proposal{}, &Error{Kind: ErrConflict, What: fmt.Sprintf("there is no revision %d of the proposal %s; there is %d", revision, id, others[len(others)-1]), Mend: "read that one first: \"vak template show " + id + "\""}
}

func (c *Core) templatesPath() string {
	dir := c.Home()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, templatesName)
}

// keptLocked reads the file if it has not been read. The caller holds the lock.
func (c *Core) keptLocked() {
	if c.templates.kept != nil {
		return
	}
	path := c.templatesPath()
	k, err := readTemplates(path)
	if err == nil {
		c.templates.kept = k
		return
	}
	k = &keptTemplates{said: fmt.Sprintf("%s: %s; it is not used", path, err)}
	if c.hold != nil && errors.Is(err, errDamaged) {
		aside := fmt.Sprintf("%s.damaged-%d", path, c.started.Unix())
		if err := os.Rename(path, aside); err != nil {
			k.newer = true // so that it is left as it is
			k.said = fmt.Sprintf("%s: it is damaged and cannot be moved out of the way (%v)", path, err)
		} else {
			k.said = fmt.Sprintf("%s: it was damaged and is kept as %s; proposals and the revisions of templates begin anew", path, filepath.Base(aside))
		}
	} else if !errors.Is(err, errDamaged) {
		k.newer = true
	}
	c.templates.kept = k
}

var errDamaged = errors.New("it is damaged")

// readTemplates reads the file. One that is not there says nothing.
func readTemplates(path string) (*keptTemplates, error) {
	k := &keptTemplates{}
	if path == "" {
		return k, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxTemplates+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if len(b) > maxTemplates {
		return nil, errDamaged
	}
	return parseTemplates(b)
}

func parseTemplates(b []byte) (*keptTemplates, error) {
	var file struct {
		Version   int               `json:"version"`
		Revisions []json.RawMessage `json:"revisions"`
		Proposals []json.RawMessage `json:"proposals"`
	}
	k := &keptTemplates{}
	var err error
	if k.rest, err = members(b, &file, "version", "revisions", "proposals"); err != nil || file.Version < 1 {
		return nil, errDamaged
	}
	if file.Version > templatesVersion {
		return nil, fmt.Errorf("it is of a newer vak (version %d)", file.Version)
	}
	for _, raw := range file.Revisions {
		var r seenRevision
		if r.rest, err = members(raw, &r, "id", "owner", "revision", "sha256"); err != nil {
			return nil, errDamaged
		}
		k.revisions = append(k.revisions, r)
	}
	for _, raw := range file.Proposals {
		var p proposal
		if p.rest, err = members(raw, &p, "id", "revision", "format", "proposed", "active"); err != nil || !templateID.MatchString(p.ID) {
			return nil, errDamaged
		}
		k.proposals = append(k.proposals, p)
	}
	return k, nil
}

// write puts k in place of the file.
func (k *keptTemplates) write(path string) error {
	b, err := k.marshal()
	if err != nil {
		return err
	}
	return fsys.Replace(fsys.OS, path, b)
}

func (k *keptTemplates) marshal() ([]byte, error) {
	revisions, proposals := []json.RawMessage{}, []json.RawMessage{}
	for _, r := range k.revisions {
		b, err := together(r, r.rest)
		if err != nil {
			return nil, err
		}
		revisions = append(revisions, b)
	}
	for _, p := range k.proposals {
		b, err := together(p, p.rest)
		if err != nil {
			return nil, err
		}
		proposals = append(proposals, b)
	}
	b, err := together(map[string]any{"version": templatesVersion, "revisions": revisions, "proposals": proposals}, k.rest)
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// members reads a JSON object into v and returns the members that are not known.
func members(b []byte, v any, known ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return slices.Contains(known, name) })
	return all, nil
}

// together is v as a JSON object with other members.
func together(v any, rest map[string]json.RawMessage) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || len(rest) == 0 {
		return b, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for name, value := range rest {
		if _, ok := all[name]; !ok {
			all[name] = value
		}
	}
	return json.Marshal(all)
}
