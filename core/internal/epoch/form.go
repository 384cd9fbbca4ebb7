package epoch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// version is that of the form of epochs and of the lines that list them.
const version = 1

// The bounds of an epoch, in bytes and in parts. They hold for what is written, so
// that it can be read, and for what is read: a list of few bytes may name the same
// large blob many times, and its JSON takes more room once it is read.
const (
	maxLine   = 4 << 10
	maxBlob   = 16 << 20
	maxList   = 64 << 20 // of what lists an epoch
	maxBlobs  = 1 << 30  // of all blobs of an epoch: a thousand of the largest manifests
	maxParts  = 1 << 16
	maxQuotes = maxParts * 36 // those of a plugin's eight members, and some in texts
)

// list is an epoch as its blob has it, with the names of other blobs.
type list struct {
	Version   int               `json:"schema_version"`
	Plugins   []listed          `json:"plugins"`
	Surfaces  map[string]string `json:"surfaces"`
	Targets   map[string]string `json:"targets"`
	Templates map[string]string `json:"templates"`
}

type listed struct {
	Plugin
	Blob string `json:"manifest,omitempty"`
}

// order is that of plugins in a list.
func order(a, b Plugin) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.SHA256, b.SHA256), cmp.Compare(a.File, b.File))
}

// parts are the digest of an epoch, and all its blobs by name.
func parts(e *Epoch) (digest string, blobs map[string][]byte, err error) {
	blobs = make(map[string][]byte, len(e.Plugins)+len(e.Surfaces)+8)
	size := 0
	add := func(b []byte) string {
		n := name(b)
		if blobs[n] == nil {
			blobs[n] = b
			size += len(b)
		}
		return n
	}
	l := list{Version: version, Plugins: make([]listed, len(e.Plugins)), Surfaces: map[string]string{}, Targets: map[string]string{}, Templates: map[string]string{}}
	for i, p := range slices.SortedStableFunc(slices.Values(e.Plugins), order) {
		l.Plugins[i] = listed{Plugin: p}
		if len(p.Manifest) > 0 {
			l.Plugins[i].Blob = add(p.Manifest)
		}
	}
	for id, look := range e.Surfaces {
		l.Surfaces[id] = add(encode(look))
	}
	for target, look := range e.Targets {
		l.Targets[target] = add(encode(look))
	}
	for id, t := range e.Templates {
		l.Templates[id] = add(encode(t))
	}
	for _, b := range blobs {
		if len(b) > maxBlob {
			return "", nil, fmt.Errorf("one manifest, look or template of the epoch has %d bytes, and at most %d are kept", len(b), maxBlob)
		}
	}
	if size > maxBlobs {
		return "", nil, fmt.Errorf("the parts of the epoch have %d bytes, and at most %d are kept; remove plugins", size, maxBlobs)
	}
	b := encode(l)
	if err := fits(b); err != nil {
		return "", nil, fmt.Errorf("the epoch cannot be kept: %w; remove plugins or targets", err)
	}
	return add(b), blobs, nil
}

// fits holds a list to its bounds before it is read, or once it is written.
func fits(b []byte) error {
	switch {
	case len(b) > maxList:
		return fmt.Errorf("it lists %d bytes, want at most %d", len(b), maxList)
	case bytes.Count(b, []byte("{")) > maxParts || bytes.Count(b, []byte(`"`)) > maxQuotes:
		return fmt.Errorf("it lists too much, want at most %d parts", maxParts)
	}
	return nil
}

// parse reads an epoch out of its list. blob reads the others.
func parse(b []byte, blob func(string) ([]byte, error)) (*Epoch, error) {
	if err := fits(b); err != nil {
		return nil, err
	}
	var l list
	if err := decode(b, &l); err != nil {
		return nil, err
	}
	switch {
	case l.Version < 1:
		return nil, errors.New("it lists no epoch")
	case l.Version > version:
		return nil, fmt.Errorf("a later version of vak wrote it (%d)", l.Version)
	}
	blob = once(blob)
	e := &Epoch{Plugins: make([]Plugin, len(l.Plugins)), Templates: map[string]Template{}}
	for i, p := range l.Plugins {
		e.Plugins[i] = p.Plugin
		if p.Blob == "" {
			continue
		}
		var err error
		if e.Plugins[i].Manifest, err = blob(p.Blob); err != nil {
			return nil, err
		}
	}
	if !slices.IsSortedFunc(e.Plugins, order) {
		return nil, errors.New("its plugins are not in order")
	}
	var err error
	if e.Surfaces, err = each[Look](l.Surfaces, blob); err != nil {
		return nil, err
	}
	if e.Targets, err = each[Look](l.Targets, blob); err != nil {
		return nil, err
	}
	if e.Templates, err = each[Template](l.Templates, blob); err != nil {
		return nil, err
	}
	return e, nil
}

// once reads every blob once, and no more than all blobs of an epoch may have.
func once(blob func(string) ([]byte, error)) func(string) ([]byte, error) {
	read, size := map[string][]byte{}, 0
	return func(n string) ([]byte, error) {
		if b, ok := read[n]; ok {
			return b, nil
		}
		b, err := blob(n)
		if err != nil {
			return nil, err
		}
		if size += len(b); size > maxBlobs {
			return nil, fmt.Errorf("its parts have more than %d bytes", maxBlobs)
		}
		read[n] = b
		return b, nil
	}
}

// each reads the blobs that names lists, all of one kind. Of several that cannot be
// read the error names the first.
func each[T any](names map[string]string, blob func(string) ([]byte, error)) (map[string]T, error) {
	out := make(map[string]T, len(names))
	for _, key := range slices.Sorted(maps.Keys(names)) {
		b, err := blob(names[key])
		if err != nil {
			return nil, err
		}
		var v T
		if err := decode(b, &v); err != nil {
			return nil, fmt.Errorf("its blob %.64q: %w", names[key], err)
		}
		out[key] = v
	}
	return out, nil
}

// encode is the one form of v, which is made of texts, numbers and maps of them.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("epoch: " + err.Error())
	}
	return b
}

func decode(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("it is not what vak writes there: %w", err)
	}
	return nil
}

func name(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func isName(s string) bool {
	return len(s) == 2*sha256.Size && len(bytes.Trim([]byte(s), "0123456789abcdef")) == 0
}
