package install

import (
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

// Revoke refuses a hash from now on: that of an installed plugin's contents, named
// by the plugin's id; or any, of contents or of a binary, named in full or, of an
// installed plugin, by its first digits. To revoke one again changes its reason.
// Its error is of kind ErrNotInstalled or ErrStore.
func (s *Store) Revoke(name, reason string) (Revoked, error) {
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
		out = Revoked{hash, lock.Revocation{Reason: reason, At: s.now().UTC().Truncate(time.Second), ID: id}}
		if p, ok := l.Get(id); ok {
			out.Version = p.Version
		}
		r.Add(hash, out.Revocation)
		return nil
	})
}

// Restore refuses a hash no longer, which is named in full or by its first digits.
// Its error is of kind ErrNotInstalled or ErrStore.
func (s *Store) Restore(hash string) (Revoked, error) {
	var out Revoked
	return out, s.changeRevoked(func(_ *lock.Lock, r *lock.Revoked) error {
		all := r.Hashes()
		full := byPrefix(hash, all)
		if full == "" {
			mend := "no hash is"
			if len(all) > 0 {
				mend = "revoked are " + strings.Join(all, ", ")
			}
			return &Error{ErrNotInstalled, fmt.Sprintf("%.80q is no hash that is revoked", hash), mend, nil}
		}
		v, _ := r.Get(full)
		out = Revoked{full, v}
		r.Remove(full)
		return nil
	})
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

// refuseRevoked is the error of a plugin of which one of hashes is revoked.
func refuseRevoked(r *lock.Revoked, id, version string, hashes ...string) error {
	for _, h := range hashes {
		v, ok := r.Get(h)
		if !ok {
			continue
		}
		what := fmt.Sprintf("%s %s is revoked since %s", id, version, v.At.UTC().Format("2006-01-02 15:04 UTC"))
		if v.Reason != "" {
			what += fmt.Sprintf(" (%.200q)", v.Reason)
		}
		return &Error{ErrRevoked, what, `if that was a mistake: "vak plugin restore ` + h + `"`, nil}
	}
	return nil
}
