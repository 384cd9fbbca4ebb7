package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/host/bundle"
	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/install/archive"
	"github.com/seed-1ae66336/vak/core/internal/install/key"
	"github.com/seed-1ae66336/vak/core/internal/install/lock"
	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// platform is what plugins are installed for.
const platform = runtime.GOOS + "/" + runtime.GOARCH

// temporary begins the names of folders of the store that are being made.
const temporary = ".new-"

// leftover is the age from which on such a folder is one that somebody left.
const leftover = time.Hour

// A Candidate is a plugin that could be installed: unpacked, read and checked, but
// not agreed to. It lies in the store under a temporary name until Close.
type Candidate struct {
	ID       string
	Kind     string
	Version  string
	Origin   string // absolute path that it came from
	Digest   string
	Contents Contents
	Asks     lock.Grants

	Key    key.Public // that signed it; none: nobody did
	Pinned key.Public // that was pinned for its id before; none: none
	Now    *lock.Plugin

	signature string
	binary    string
	dir       string
}

// Prepare unpacks a plugin from src, an archive or a folder, and checks it. Its
// errors are of kind ErrBundle, ErrRevoked or ErrStore.
func (s *Store) Prepare(src string) (_ *Candidate, err error) {
	origin, err := filepath.Abs(src)
	if err != nil {
		return nil, bundleError("cannot tell where "+src+" is", "name it with an absolute path", err)
	}
	if err := s.make(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.dir, temporary)
	if err != nil {
		return nil, storeError("there is no place to unpack it", fsys.Bare(err))
	}
	c := &Candidate{Origin: origin, dir: dir}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if err := archive.Unpack(src, dir); err != nil {
		return nil, bundleError("", "", err)
	}
	if err := c.unwrap(); err != nil {
		return nil, err
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, s.compare(c)
}

// Close removes what was unpacked and not installed.
func (c *Candidate) Close() error { return os.RemoveAll(c.dir) }

// unwrap takes a plugin out of the one folder that all of it is in, which many
// archives have.
func (c *Candidate) unwrap() error {
	if _, err := os.Lstat(filepath.Join(c.dir, hostapi.ManifestName)); err == nil {
		return nil
	}
	inside, err := os.ReadDir(c.dir)
	if err != nil {
		return storeError("cannot read what was unpacked", fsys.Bare(err))
	}
	if len(inside) != 1 || !inside[0].IsDir() {
		return bundleError(c.Origin+" has no "+hostapi.ManifestName, `name the folder or archive of a plugin; "vak plugin pack" makes one`, nil)
	}
	only := filepath.Join(c.dir, inside[0].Name())
	if _, err := os.Lstat(filepath.Join(only, hostapi.ManifestName)); err != nil {
		return bundleError(c.Origin+" has no "+hostapi.ManifestName, `name the folder or archive of a plugin; "vak plugin pack" makes one`, nil)
	}
	outer := c.dir
	c.dir = outer + "x" // beside it, and no name that MkdirTemp gives
	if err := os.Rename(only, c.dir); err != nil {
		c.dir = outer
		return storeError("cannot move what was unpacked", fsys.Bare(err))
	}
	if err := os.Remove(outer); err != nil {
		return storeError("cannot move what was unpacked", fsys.Bare(err))
	}
	return nil
}

// read checks what was unpacked.
func (c *Candidate) read() error {
	path := filepath.Join(c.dir, hostapi.ManifestName)
	text, err := os.ReadFile(path) // bounded: it was unpacked
	if err != nil {
		return bundleError(c.Origin, "get the plugin from its author again", fsys.Bare(err))
	}
	faulty := func(err error) error {
		return bundleError(filepath.Join(c.Origin, hostapi.ManifestName)+" is not valid", "tell its author", err)
	}
	canonical, err := Canonical(text)
	if err != nil {
		return faulty(err)
	}
	m, unread := readManifest(canonical) // the bundle says better what is wrong with one that cannot be read
	if m.Binary != "" && filepath.IsLocal(m.Binary) && filepath.Base(m.Binary) == m.Binary {
		if err := os.Chmod(filepath.Join(c.dir, m.Binary), 0o555); err != nil && !errors.Is(err, os.ErrNotExist) {
			return storeError("cannot make the binary executable", fsys.Bare(err))
		}
	}
	found := bundle.Read(c.dir)
	if found.Err != nil {
		what := strings.ReplaceAll(found.Err.Message, c.dir, c.Origin)
		return bundleError(what, "tell its author", nil)
	}
	if unread != nil {
		return faulty(unread)
	}
	var wrong string
	if c.Asks, wrong = m.asks(); wrong != "" {
		return faulty(errors.New(wrong))
	}
	if err := c.binaryFits(found); err != nil {
		return err
	}
	c.ID, c.Kind, c.Version, c.binary = m.ID, m.Kind, m.Version, m.Binary
	if c.Contents, err = readContents(c.dir); err != nil {
		return storeError("cannot read what was unpacked", fsys.Bare(err))
	}
	c.Digest = c.Contents.Digest()
	return c.readSignature()
}

// binaryFits holds the binary against its manifest, and that it can run where there
// is no loader and no other program but the one that it asks to be run by.
func (c *Candidate) binaryFits(found bundle.Bundle) error {
	f, fault := found.Open()
	if fault != nil {
		return bundleError(strings.ReplaceAll(fault.Message, c.dir, c.Origin), `have its author pack it anew with "vak plugin pack"`, nil)
	}
	defer f.Close()
	if c.Asks.Interpreter == "" && process.LinkedDynamically(f) {
		return bundleError(filepath.Join(c.Origin, filepath.Base(found.Path))+" is linked dynamically, and there is no loader and no library for it in its sandbox",
			"build it with CGO_ENABLED=0", nil)
	}
	return nil
}

// readSignature checks the signature, where there is one, and takes it out of the
// folder: it is kept in the lock.
func (c *Candidate) readSignature() error {
	path := filepath.Join(c.dir, SignatureName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return storeError("cannot read the signature", fsys.Bare(err))
	}
	s, err := key.ParseSignature(text)
	if err == nil && !s.Verify(c.Contents.Statement()) {
		err = errors.New("it is not the signature of what is in the plugin: something was changed after it was signed")
	}
	if err != nil {
		return bundleError(filepath.Join(c.Origin, SignatureName), "do not install it; get the plugin from its author again", err)
	}
	c.Key, c.signature = s.Key, s.String()
	if err := os.Remove(path); err != nil {
		return storeError("cannot move the signature", fsys.Bare(err))
	}
	return nil
}

// compare holds a candidate against what the home knows of its id.
func (s *Store) compare(c *Candidate) error {
	l, r, err := s.read()
	if err != nil {
		return err
	}
	if err := refuseRevoked(r, c.ID+" "+c.Version, c.Digest, c.Contents[c.binary]); err != nil {
		return err
	}
	if pin := l.Pin(c.ID); pin != "" {
		if c.Pinned, err = key.ParsePublic(pin); err != nil {
			return &Error{ErrStore, fmt.Sprintf("the key that %s pins for %s cannot be read", s.lockPath(), c.ID), "put back a copy of that file", err}
		}
	}
	if now, ok := l.Get(c.ID); ok {
		c.Now = &now
	}
	return nil
}
