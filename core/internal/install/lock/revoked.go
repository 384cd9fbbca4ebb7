package lock

import (
	"fmt"
	"slices"
	"time"
)

// A Revoked is what revoked.json holds. It is changed by its methods and written
// by Write, under [Guard].
type Revoked struct {
	hashes map[string]Revocation
	rest   members
	raw    map[string]members
	dir    string
}

// A Revocation says why a hash is refused, and since when.
type Revocation struct {
	Reason  string    `json:"reason,omitempty"`
	At      time.Time `json:"at"`
	ID      string    `json:"id,omitempty"` // of the plugin that had it; empty: not known
	Version string    `json:"version,omitempty"`
	Now     bool      `json:"now,omitempty"` // what runs of it is ended at once, and is not left to turns that hold it
}

// ReadRevoked reads the revocations of a home. A file that is not there has none.
func ReadRevoked(dir string) (*Revoked, error) {
	r := &Revoked{hashes: map[string]Revocation{}, raw: map[string]members{}, dir: dir}
	path := at(dir, RevokedName)
	var err error
	if r.rest, err = readFile(path); err != nil {
		return nil, err
	}
	if err := r.rest.read(path, "revoked", &r.hashes); err != nil {
		return nil, err
	}
	if err := r.rest.read(path, "revoked", &r.raw); err != nil {
		return nil, err
	}
	if r.hashes == nil || r.raw == nil { // a null
		return nil, damaged(path, "it is not what vak writes there", nil)
	}
	for hash := range r.hashes {
		if !IsHash(hash) {
			return nil, damaged(path, fmt.Sprintf("%.80q is no hash", hash), nil)
		}
	}
	return r, nil
}

// Write replaces the file.
func (r *Revoked) Write() error {
	for hash, v := range r.hashes {
		if r.raw[hash] == nil {
			r.raw[hash] = members{}
		}
		r.raw[hash].forget("reason", "id", "version", "now")
		if err := r.raw[hash].lay(v); err != nil {
			return err
		}
	}
	if err := r.rest.lay(map[string]any{"version": version, "revoked": r.raw}); err != nil {
		return err
	}
	return r.rest.write(at(r.dir, RevokedName))
}

// Get returns the revocation of a hash.
func (r *Revoked) Get(hash string) (Revocation, bool) {
	v, ok := r.hashes[hash]
	return v, ok
}

// Hashes are all that are revoked, sorted.
func (r *Revoked) Hashes() []string {
	out := make([]string, 0, len(r.hashes))
	for h := range r.hashes {
		out = append(out, h)
	}
	slices.Sort(out)
	return out
}

// Add revokes a hash: 64 lower-case hexadecimal digits, of a plugin's contents or
// of its binary.
func (r *Revoked) Add(hash string, v Revocation) { r.hashes[hash] = v }

// Remove revokes a hash no longer.
func (r *Revoked) Remove(hash string) {
	delete(r.hashes, hash)
	delete(r.raw, hash)
}
