package memfs

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

const sector = 512

// FS is a file system. It is safe for concurrent use.
type FS struct {
	mu   sync.Mutex
	root *node
	ops  int
	hook func(Op) error
	free int64 // -1: without end
}

// An Op is an operation that changes something or makes it durable.
type Op struct {
	N    int // from 1, in the order of a file system's life
	Kind string
	Name string
	Size int64 // of a write or a cut
}

// The kinds of operations.
const (
	Create   = "create"
	Write    = "write"
	Sync     = "sync"
	Truncate = "truncate"
	Rename   = "rename"
	Remove   = "remove"
	Mkdir    = "mkdir"
	SyncDir  = "syncdir"
)

// Short makes a write stop after N bytes with an error.
type Short struct {
	N   int
	Err error
}

func (s *Short) Error() string { return "short write: " + s.Err.Error() }

// Unwrap returns why it stopped.
func (s *Short) Unwrap() error { return s.Err }

// A node is a file or a directory.
type node struct {
	data, synced []byte // of a file

	entries, durable map[string]*node // of a directory
	pending          []change         // of entries, since its last sync
}

// A change of a directory's names happens as a whole or not at all.
type change struct {
	remove string
	add    string
	node   *node
}

func (c change) apply(to map[string]*node) {
	if c.remove != "" {
		delete(to, c.remove)
	}
	if c.add != "" {
		to[c.add] = c.node
	}
}

func newDir() *node { return &node{entries: map[string]*node{}, durable: map[string]*node{}} }

// New returns an empty file system without limit.
func New() *FS { return &FS{root: newDir(), free: -1} }

// Hook has f called before every operation that changes something. What it
// returns is what the operation fails with; nothing then happens, unless it is a
// *[Short]. It may call Crash, but change nothing.
func (m *FS) Hook(f func(Op) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hook = f
}

// Ops is the number of operations so far.
func (m *FS) Ops() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops
}

// SetFree sets how many bytes files may still grow by; negative: any number.
func (m *FS) SetFree(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free = bytes
}

// Crash returns what a machine finds on its disk when it loses its power now.
func (m *FS) Crash(r *rand.Rand) *FS {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := map[*node]*node{}
	return &FS{root: m.root.crash(r, seen), free: -1}
}

func (n *node) crash(r *rand.Rand, seen map[*node]*node) *node {
	if c, ok := seen[n]; ok {
		return c
	}
	c := &node{}
	seen[n] = c
	if n.entries == nil {
		c.data = n.survive(r)
		c.synced = bytes.Clone(c.data)
		return c
	}
	names := maps.Clone(n.durable)
	for _, p := range n.pending {
		if r.IntN(2) == 0 {
			p.apply(names)
		}
	}
	c.entries = map[string]*node{}
	for _, name := range slices.Sorted(maps.Keys(names)) { // in order: a seed gives one crash
		c.entries[name] = names[name].crash(r, seen)
	}
	c.durable = maps.Clone(c.entries)
	return c
}

// survive is what is left of a file. Its size is the synced one, the last one, or
// between them.
func (n *node) survive(r *rand.Rand) []byte {
	size := len(n.synced)
	switch r.IntN(3) {
	case 0:
		size = len(n.data)
	case 1:
		if d := len(n.data) - size; d > 0 {
			size += r.IntN(d + 1)
		}
	}
	out := make([]byte, size) // what was never written reads as zeros
	copy(out, n.synced)
	all := r.IntN(4) == 0
	for at := 0; at < size; at += sector {
		end := min(at+sector, size)
		if at < len(n.data) && (all || r.IntN(2) == 0) {
			copy(out[at:end], n.data[at:])
		}
	}
	return out
}

// begin counts an operation and asks the hook. It is called without the lock.
func (m *FS) begin(kind, name string, size int64) error {
	m.mu.Lock()
	m.ops++
	op, hook := Op{N: m.ops, Kind: kind, Name: name, Size: size}, m.hook
	m.mu.Unlock()
	if hook == nil {
		return nil
	}
	if err := hook(op); err != nil {
		return &fs.PathError{Op: kind, Path: name, Err: err}
	}
	return nil
}

func split(name string) []string {
	return strings.FieldsFunc(filepath.ToSlash(name), func(r rune) bool { return r == '/' })
}

// find returns what name names, nil for nothing.
func (m *FS) find(name string) *node {
	n := m.root
	for _, part := range split(name) {
		if n == nil || n.entries == nil {
			return nil
		}
		n = n.entries[part]
	}
	return n
}

func (m *FS) parent(name string) (dir *node, base string, err error) {
	dir, base = m.find(filepath.Dir(name)), filepath.Base(name)
	if dir == nil || dir.entries == nil {
		return nil, "", &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	return dir, base, nil
}

func (n *node) change(c change) {
	c.apply(n.entries)
	n.pending = append(n.pending, c)
}

// Open opens a file.
func (m *FS) Open(name string, write bool) (fsys.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil || n.entries != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	return &file{m: m, n: n, name: name, write: write}, nil
}

// Create makes a file, or empties it.
func (m *FS) Create(name string) (fsys.File, error) {
	if err := m.begin(Create, name, 0); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent(name)
	if err != nil {
		return nil, err
	}
	n := dir.entries[base]
	if n == nil {
		n = &node{}
		dir.change(change{add: base, node: n})
	}
	m.grow(-int64(len(n.data)))
	n.data = nil
	return &file{m: m, n: n, name: name, write: true}, nil
}

func (m *FS) grow(by int64) {
	if m.free >= 0 {
		m.free = max(m.free-by, 0)
	}
}

// Rename moves a file within its directory.
func (m *FS) Rename(from, to string) error {
	if err := m.begin(Rename, to, 0); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent(from)
	if err != nil {
		return err
	}
	if dir.entries[base] == nil || filepath.Dir(from) != filepath.Dir(to) {
		return &fs.PathError{Op: "rename", Path: from, Err: syscall.ENOENT}
	}
	dir.change(change{remove: base, add: filepath.Base(to), node: dir.entries[base]})
	return nil
}

// Remove takes a file's name away.
func (m *FS) Remove(name string) error {
	if err := m.begin(Remove, name, 0); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent(name)
	if err != nil {
		return err
	}
	n := dir.entries[base]
	if n == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOENT}
	}
	m.grow(-int64(len(n.data)))
	dir.change(change{remove: base})
	return nil
}

// Mkdir makes a directory and those above it, each durable.
func (m *FS) Mkdir(dir string) error {
	parts := split(dir)
	for i := range parts {
		name := "/" + strings.Join(parts[:i+1], "/")
		m.mu.Lock()
		n := m.find(name)
		m.mu.Unlock()
		if n != nil && n.entries == nil {
			return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
		}
		if n != nil {
			continue
		}
		if err := m.begin(Mkdir, name, 0); err != nil {
			return err
		}
		m.mu.Lock()
		m.find(filepath.Dir(name)).change(change{add: parts[i], node: newDir()})
		m.mu.Unlock()
		if err := m.SyncDir(filepath.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}

// List returns the names of the files in dir.
func (m *FS) List(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(dir)
	if n == nil || n.entries == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOENT}
	}
	var names []string
	for name, e := range n.entries {
		if e.entries == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Size returns the length of a file.
func (m *FS) Size(name string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil || n.entries != nil {
		return 0, &fs.PathError{Op: "stat", Path: name, Err: syscall.ENOENT}
	}
	return int64(len(n.data)), nil
}

// SyncDir makes the names in dir durable.
func (m *FS) SyncDir(dir string) error {
	if err := m.begin(SyncDir, dir, 0); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(dir)
	if n == nil || n.entries == nil {
		return &fs.PathError{Op: "syncdir", Path: dir, Err: syscall.ENOENT}
	}
	n.durable, n.pending = maps.Clone(n.entries), nil
	return nil
}

// Free returns how many bytes there is room for.
func (m *FS) Free(string) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.free, m.free >= 0
}

// Clone returns a copy, in which all is durable. It has no hook and no limit.
func (m *FS) Clone() *FS {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &FS{root: m.root.clone(), free: -1}
}

func (n *node) clone() *node {
	c := &node{data: bytes.Clone(n.data), synced: bytes.Clone(n.data)}
	if n.entries != nil {
		c.entries = map[string]*node{}
		for name, e := range n.entries {
			c.entries[name] = e.clone()
		}
		c.durable = maps.Clone(c.entries)
	}
	return c
}

// Content returns what is in a file, nil for none. It is the file's own memory:
// who changes it damages the disk.
func (m *FS) Content(name string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.find(name); n != nil {
		return n.data
	}
	return nil
}
