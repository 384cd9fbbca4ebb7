package install

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/install/lock"
)

// minPrefix is how much of a hash has to be given where it is known.
const minPrefix = 8

// A Revoked is a hash that is revoked, or was until now.
type Revoked struct {
	Hash string `json:"hash"`
	lock.Revocation
}

// A Found is a plugin that a host has found, in the store or elsewhere.
type Found struct {
	ID      string
	Version string
	Binary  string // sha256, as its manifest says
}

// Revoke refuses a hash from now on: that of an installed plugin's contents, named
// by the plugin's id; or any, of contents or of a binary, named in full or, of an
// installed plugin, by its first digits. With now, what runs of it is to end at once.
// To revoke one again adds what is new: a reason, or now. Its error is of kind
// ErrNotInstalled or ErrStore.
func (s *Store) Revoke(name, reason string, now bool) (Revoked, error) {
	var out Revoked
	return out, s.changeRevoked(func(l *lock.Lock, r *lock.Revoked) error {
		hash, id := "", ""
		if p, ok := l.Get(name); ok {
			hash, id = p.Digest, name
		} else if hash, id = installedHash(l, name); hash == "" {
			if !lock.IsHash(name) {
				return notInstalled(l, name)
			}
			hash = name
		}
		p, _ := l.Get(id)
		out = s.revoke(r, hash, lock.Revocation{Reason: reason, ID: id, Version: p.Version, Now: now})
		return nil
	})
}

// RevokeFound refuses the binary of a plugin that is not of the store, wherever it
// lies; else it is like [Store.Revoke]. Its error is of kind ErrStore, or of
// ErrNotInstalled where the plugin names no hash.
func (s *Store) RevokeFound(f Found, reason string, now bool) (Revoked, error) {
	if !lock.IsHash(f.Binary) {
		return Revoked{}, &Error{ErrNotInstalled, fmt.Sprintf("the plugin %.80q names no hash of a binary", f.ID), "a part of vak, and what is broken, cannot be revoked", nil}
	}
	var out Revoked
	return out, s.changeRevoked(func(_ *lock.Lock, r *lock.Revoked) error {
		out = s.revoke(r, f.Binary, lock.Revocation{Reason: reason, ID: f.ID, Version: f.Version, Now: now})
		return nil
	})
}

// revoke lays a revocation over that of before, where there is one.
func (s *Store) revoke(r *lock.Revoked, hash string, v lock.Revocation) Revoked {
	old, before := r.Get(hash)
	v.At = s.now().UTC().Truncate(time.Second)
	if before {
		v.At, v.Reason, v.Now = old.At, cmp.Or(v.Reason, old.Reason), v.Now || old.Now
		if v.ID == "" {
			v.ID, v.Version = old.ID, old.Version
		}
	}
	r.Add(hash, v)
	return Revoked{hash, v}
}

// Restore refuses a hash no longer, which is named in full, by its first digits, or
// by the id of the plugin that it was revoked of, where no other hash was revoked of
// that. Its error is of kind ErrNotInstalled, ErrConflict where several hashes are
// meant, or ErrStore.
func (s *Store) Restore(name string) (Revoked, error) {
	var out Revoked
	return out, s.changeRevoked(func(_ *lock.Lock, r *lock.Revoked) error {
		all := revoked(r)
		var meant []Revoked
		for _, v := range all {
			if v.ID == name || len(name) >= minPrefix && strings.HasPrefix(v.Hash, name) {
				meant = append(meant, v)
			}
		}
		switch len(meant) {
		case 0:
			mend := "nothing is"
			if len(all) > 0 {
				mend = "revoked are " + listed(all)
			}
			return &Error{ErrNotInstalled, fmt.Sprintf("%.80q is neither a hash that is revoked nor a plugin of which one is", name), mend, nil}
		case 1:
			out = meant[0]
			r.Remove(out.Hash)
			return nil
		}
		return &Error{ErrConflict, fmt.Sprintf("%.80q may be %d hashes that are revoked", name, len(meant)), "name one of " + listed(meant), nil}
	})
}

// Revoked lists what is revoked, by hash. Its error is of kind ErrStore.
func (s *Store) Revoked() ([]Revoked, error) {
	r, err := lock.ReadRevoked(s.home)
	if err != nil {
		return nil, &Error{Kind: ErrStore, Err: err}
	}
	return revoked(r), nil
}

func revoked(r *lock.Revoked) (out []Revoked) {
	for _, h := range r.Hashes() {
		v, _ := r.Get(h)
		out = append(out, Revoked{h, v})
	}
	return out
}

// maxListed bounds how many hashes an error names.
const maxListed = 8

func listed(all []Revoked) string {
	var out []string
	for _, v := range all[:min(len(all), maxListed)] {
		if v.ID != "" {
			v.Hash += " (" + v.ID + " " + v.Version + ")"
		}
		out = append(out, v.Hash)
	}
	if more := len(all) - maxListed; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

func (s *Store) changeRevoked(do func(*lock.Lock, *lock.Revoked) error) error {
	release, err := lock.Guard(s.home)
	if err != nil {
		return storeError("the store cannot be changed", err)
	}
	defer release()
	l, r, err := s.read()
	if err != nil {
		return err
	}
	if err := do(l, r); err != nil {
		return err
	}
	if err := r.Write(); err != nil {
		return &Error{Kind: ErrStore, Err: err}
	}
	return nil
}

// installedHash is the hash that begins with prefix, of an installed plugin's
// contents or binary, and the plugin's id.
func installedHash(l *lock.Lock, prefix string) (hash, id string) {
	var all []string
	of := map[string]string{}
	for _, id := range l.IDs() {
		p, _ := l.Get(id)
		for _, h := range []string{p.Digest, binaryHash(p)} {
			if h != "" {
				all = append(all, h)
				of[h] = id
			}
		}
	}
	hash = byPrefix(prefix, all)
	return hash, of[hash]
}

// byPrefix is the one hash that begins with prefix; empty: none does, or several.
func byPrefix(prefix string, all []string) string {
	found := ""
	if len(prefix) < minPrefix {
		return ""
	}
	for _, h := range all {
		if strings.HasPrefix(h, prefix) {
			if found != "" && found != h {
				return ""
			}
			found = h
		}
	}
	return found
}

// refuseRevoked is the error of a plugin of which one of hashes is revoked; nil:
// none is.
func refuseRevoked(r *lock.Revoked, name string, hashes ...string) error {
	for _, h := range hashes {
		v, ok := r.Get(h)
		if !ok {
			continue
		}
		what := fmt.Sprintf("%s is revoked since %s", name, v.At.UTC().Format("2006-01-02 15:04 UTC"))
		if v.Reason != "" {
			what += fmt.Sprintf(" (%.200q)", v.Reason)
		}
		return &Error{ErrRevoked, what, `if that was a mistake: "vak plugin restore ` + h + `"`, nil}
	}
	return nil
}
