package host

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Places are where plugins are, and what may be done with each. Its functions are
// called concurrently. The zero value has no plugin.
type Places struct {
	// First, Dirs and Folders are searched in this order: First and Folders are folders of
	// one plugin each, Dirs directories that hold a folder for each plugin. Of two
	// plugins with the same id the first wins.
	First, Dirs, Folders []string

	// Stamp is another whenever Admit would say other things. Empty: it is asked at
	// every look.
	Stamp string

	// Admit says why the plugin in a folder, whose manifest names the sha256 of its
	// binary, may not be used from now on, with [Revoked] among its causes where that is
	// why. Who holds it goes on. Nil: each may.
	Admit func(folder, binary string) error

	// Banned says why it must not run, whoever holds it. Nil: each may.
	Banned func(folder, binary string) error

	// Grants says what it was given. It is asked when a process is started. Nil:
	// nothing.
	Grants func(folder string) Grants
}

// Grants are what a plugin has beyond its role.
type Grants struct {
	Env         []string // variables of this process's environment, by name, for those who send
	Read        []string // files and folders to read
	Interpreter string   // path of the program that runs its file; empty: it runs by itself
}

// A Key names a plugin exactly as it was found. One that is a part of the program has
// an id alone.
type Key struct {
	ID       string
	Dir      string // its folder
	SHA256   string // of the binary, as the manifest says
	Manifest string // sha256 of the manifest
}

// Sync looks at what is in places and makes it what is used: whatever is new can be
// called, what is there no longer is drained once nobody holds it, and of what is
// banned no process runs when Sync returns. It starts nothing. changed says that what
// Surfaces and Packs list is other than before, or banned.
//
// A folder that looks untouched is not read again, so that a look at a thousand of them
// takes some milliseconds. An error is about a directory: what was found in that before
// stays as it was, and everything else is as it should be.
func (h *Host) Sync(p Places) (changed bool, err error) {
	h.syncing.Lock()
	defer h.syncing.Unlock()
	h.mu.Lock()
	closed, old := h.closed, h.listed
	before := make(map[string]*slot, len(old)) // by folder
	for _, s := range old {
		if s.key.Dir != "" {
			before[s.key.Dir] = s
		}
	}
	h.mu.Unlock()
	if closed {
		return false, isClosed()
	}
	var inDirs []string
	unread := map[string]bool{} // folders in a directory that cannot be read
	for _, dir := range p.Dirs {
		folders, e := bundle.Discover(dir)
		if e != nil {
			err = cmp.Or(err, e)
			folders = listedIn(old, dir)
			for _, folder := range folders {
				unread[folder] = true
			}
		}
		inDirs = append(inDirs, folders...)
	}
	found := slices.Clone(h.builtin)
	named := map[string]bool{} // a folder that is named twice is one plugin
	for _, folder := range slices.Concat(p.First, inDirs, p.Folders) {
		folder = filepath.Clean(folder)
		if named[folder] {
			continue
		}
		named[folder] = true
		if unread[folder] {
			found = append(found, before[folder])
		} else {
			found = append(found, h.slotFor(folder, before[folder]))
		}
	}
	why := settle(found, p)

	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return false, isClosed()
	}
	was := h.seen()
	h.places, h.byID = p, map[string]*slot{}
	h.listed = slices.Clone(found) // which why goes with, in its order
	for _, s := range h.slots {
		s.listed, s.current, s.problem = false, false, nil
	}
	for i, s := range found {
		h.slots[s.key] = s
		s.listed, s.current, s.problem = true, why[i] == nil, why[i]
		if _, taken := h.byID[s.key.ID]; !taken || s.current {
			h.byID[s.key.ID] = s
		}
	}
	slices.SortStableFunc(h.listed, func(a, b *slot) int {
		return cmp.Or(strings.Compare(a.key.ID, b.key.ID), order(a.current, b.current))
	})
	changed = !slices.Equal(was, h.seen())
	banned, killed := h.banish()
	h.mu.Unlock()
	h.buried(killed)
	for i, s := range found {
		if e := why[i]; e != nil && !slices.Contains(was, seen{s.key, e.Message}) {
			h.log.Warn("plugin cannot be used", "plugin", s.key.ID, "dir", s.key.Dir, "kind", string(e.Kind), "reason", e.Message)
		}
	}
	return changed || banned, err
}

// listedIn are the folders in a directory that were listed, sorted.
func listedIn(listed []*slot, dir string) (out []string) {
	for _, s := range listed {
		if s.key.Dir != "" && filepath.Dir(s.key.Dir) == filepath.Clean(dir) {
			out = append(out, s.key.Dir)
		}
	}
	slices.Sort(out)
	return out
}

// banish has every slot do what is wanted of it, and tells which processes are killed
// by that because they are banned. changed says that a ban is new, or over. Called with h.mu held.
func (h *Host) banish() (changed bool, killed []chan struct{}) {
	for s := range h.everySlot() {
		ban := h.ban(s.key)
		changed = changed || (ban == nil) != (s.banned == nil)
		s.banned = ban
		h.tend(s)
		if ban == nil {
			continue
		}
		s.mu.Lock()
		killed = slices.AppendSeq(killed, maps.Values(s.leaving))
		s.mu.Unlock()
	}
	return changed, killed
}

// buried waits until what was killed is gone, and tells if it is not.
func (h *Host) buried(killed []chan struct{}) {
	if !await(killed) {
		h.log.Error("processes of a plugin that was revoked are still there, though they were killed")
	}
}

// everySlot are those that can be called, and those that are being drained. Called
// with h.mu held.
func (h *Host) everySlot() iter.Seq[*slot] {
	return func(yield func(*slot) bool) {
		for _, s := range slices.AppendSeq(slices.Collect(maps.Values(h.slots)), maps.Keys(h.parting)) {
			if !yield(s) {
				return
			}
		}
	}
}

func isClosed() *Error {
	return &Error{Op: "open", Kind: Closed, Source: FromHost, Message: "the host is closed"}
}

// slotFor is the slot of what is in a folder now. old is the one of before, or nil.
func (h *Host) slotFor(folder string, old *slot) *slot {
	if old != nil && !old.bundle().Touched() {
		return old
	}
	b := bundle.Read(folder)
	k := keyOf(b)
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.slots[k]; ok { // it only looked as if it were another, or is held
		s.refound(b)
		return s
	}
	s := newSlot(h, b)
	h.slots[k] = s // from now on it is the one, for whoever holds it meanwhile too
	return s
}

func keyOf(b bundle.Bundle) Key {
	return Key{ID: b.Info.ID, Dir: b.Dir, SHA256: b.SHA256, Manifest: b.File}
}

// settle says of each of what was found why it is not used; nil: it is.
func settle(found []*slot, p Places) []*Error {
	out := make([]*Error, len(found))
	winners := map[string]*slot{}
	for i, s := range found {
		if out[i] = s.intrinsic(); out[i] != nil {
			continue
		}
		if out[i] = s.admit(p); out[i] != nil {
			continue
		}
		winner, taken := winners[s.key.ID]
		if !taken {
			winners[s.key.ID] = s
			continue
		}
		out[i] = duplicate(s, winner)
	}
	return out
}

// admit is why a plugin may not be used, from now on. It is called by one Sync at a
// time.
func (s *slot) admit(p Places) *Error {
	if p.Admit == nil || s.builtin != nil {
		return nil
	}
	if p.Stamp == "" || p.Stamp != s.asked {
		s.asked, s.refused = p.Stamp, nil
		if err := p.Admit(s.key.Dir, s.key.SHA256); err != nil {
			s.refused = &Error{Op: "open", Plugin: s.key.ID, Version: s.info.Version, Kind: Untrusted, Source: FromHost, Message: err.Error(), Err: err}
			if errors.Is(err, Revoked) {
				s.refused.Kind = Revoked
			}
		}
	}
	return s.refused
}

// duplicate is what is wrong with a plugin whose id another has.
func duplicate(s, winner *slot) *Error {
	place := func(s *slot) string {
		if s.key.Dir == "" {
			return "a surface in vak's own process"
		}
		return s.key.Dir
	}
	same := "the same surface"
	if s.kind == hostapi.KindSkill || winner.kind == hostapi.KindSkill {
		same = "a plugin of the same id"
	}
	return &Error{
		Op: "open", Plugin: s.key.ID, Version: s.info.Version, Kind: Duplicate, Source: FromHost,
		Message: fmt.Sprintf("%s is not used: %s provides %s", place(s), place(winner), same),
		Hint:    "remove one of them",
	}
}

// order has what is used stand before what is not.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// A listed slot as a look found it, to be compared with the next.
type seen struct {
	key  Key
	what string
}

// seen is what is listed, with why it is not used. The caller holds h.mu.
func (h *Host) seen() []seen {
	out := make([]seen, len(h.listed))
	for i, s := range h.listed {
		out[i].key = s.key
		if s.problem != nil {
			out[i].what = s.problem.Message
		}
	}
	return out
}

// ban is why the plugin with a key must not run. The caller holds h.mu.
func (h *Host) ban(k Key) *Error {
	if h.places.Banned == nil || k.Dir == "" {
		return nil
	}
	err := h.places.Banned(k.Dir, k.SHA256)
	if err == nil {
		return nil
	}
	return &Error{Op: "start", Plugin: k.ID, Kind: Revoked, Source: FromHost, Message: err.Error(), Err: err}
}

// banTime bounds how long Sync waits for what it has killed to be gone.
const banTime = 10 * time.Second

// await waits until all of these are closed, or for too long.
func await(gone []chan struct{}) bool {
	t := time.NewTimer(banTime)
	defer t.Stop()
	for _, g := range gone {
		select {
		case <-g:
		case <-t.C:
			return false
		}
	}
	return true
}
