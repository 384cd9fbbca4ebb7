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
	found, asks, err := examine(c.dir, c.Origin, text, wording{
		filepath.Join(c.Origin, hostapi.ManifestName) + " is not valid", "tell its author", `have its author pack it anew with "vak plugin pack"`,
	})
	if err != nil {
		return err
	}
	c.ID, c.Kind, c.Version, c.Asks, c.binary = found.Info.ID, found.Kind, found.Info.Version, asks, filepath.Base(found.Path)
	if c.Contents, err = readContents(c.dir); err != nil {
		return storeError("cannot read what was unpacked", fsys.Bare(err))
	}
	c.Digest = c.Contents.Digest()
	return c.readSignature()
}

// A wording is how errors about a plugin put it to those who can mend it.
type wording struct {
	manifest string // what they begin with where that is wrong
	mend     string // what to do about it
	build    string // what to do about the binary
}

// examine reads the plugin in a folder as a host does, whose manifest is text and lies
// there, and what it asks for. It makes the binary executable, and holds that against
// the manifest, and to it that it can run where there is no loader and no other program
// but the one that it asks to be run by. Origin is what errors call the folder.
func examine(dir, origin string, text []byte, w wording) (found bundle.Bundle, asks lock.Grants, _ error) {
	fail := func(what, mend string, err error) (bundle.Bundle, lock.Grants, error) {
		return bundle.Bundle{}, lock.Grants{}, bundleError(strings.ReplaceAll(what, dir, origin), mend, err)
	}
	canonical, err := Canonical(text)
	if err != nil {
		return fail(w.manifest, w.mend, err)
	}
	m, unread := readManifest(canonical) // the bundle says better what is wrong with one that cannot be read
	if m.Binary != "" && filepath.IsLocal(m.Binary) && filepath.Base(m.Binary) == m.Binary {
		os.Chmod(filepath.Join(dir, m.Binary), 0o555) // whether it could is found out now
	}
	if found = bundle.Read(dir); found.Err != nil {
		return fail(found.Err.Message, w.mend, nil)
	}
	asks, wrong := m.asks()
	if unread == nil && wrong != "" {
		unread = errors.New(wrong)
	}
	if unread != nil {
		return fail(w.manifest, w.mend, unread)
	}
	f, fault := found.Open()
	if fault != nil {
		return fail(fault.Message, w.build, nil)
	}
	defer f.Close()
	if asks.Interpreter == "" && process.LinkedDynamically(f) {
		return fail(found.Path+linkedDynamically, buildStatic, nil)
	}
	return found, asks, nil
}

// What is said of a binary that is linked dynamically, behind its name, and what to do
// about it.
const (
	linkedDynamically = " is linked dynamically, and there is no loader and no library for it in its sandbox"
	buildStatic       = "build it with CGO_ENABLED=0, or have its linker make a static binary"
)

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
