package key

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// publicPrefix begins the text of a public key.
const publicPrefix = "vak-ed25519 "

// fingerprintPrefix begins a fingerprint.
const fingerprintPrefix = "SHA256:"

// maxFile bounds the file of a private key, in bytes.
const maxFile = 4096

// pemType is the kind of PEM block that a private key is in.
const pemType = "PRIVATE KEY"

// A Public is a public key. The zero value is none.
type Public struct{ bytes string }

// A Private is a private key. It prints as nothing of itself.
type Private struct{ key ed25519.PrivateKey }

// String hides the key from what prints values.
func (Private) String() string { return "a private key" }

// GoString hides the key from %#v, too.
func (p Private) GoString() string { return p.String() }

// IsZero reports whether p is no key.
func (p Public) IsZero() bool { return p.bytes == "" }

// String is the key in one line, as ParsePublic reads it; of no key it is empty.
func (p Public) String() string {
	if p.IsZero() {
		return ""
	}
	return publicPrefix + base64.StdEncoding.EncodeToString([]byte(p.bytes))
}

// Fingerprint is what people compare: SHA256: and the hash of the key, 43
// characters of base64. Of no key it is empty.
func (p Public) Fingerprint() string {
	if p.IsZero() {
		return ""
	}
	sum := sha256.Sum256([]byte(p.bytes))
	return fingerprintPrefix + base64.RawStdEncoding.EncodeToString(sum[:])
}

// ParsePublic reads what String wrote.
func ParsePublic(s string) (Public, error) {
	text, ok := strings.CutPrefix(s, publicPrefix)
	if !ok {
		return Public{}, fmt.Errorf("not a public key: want %q and 44 characters", publicPrefix)
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != ed25519.PublicKeySize || (Public{string(b)}).String() != s {
		return Public{}, errors.New("not a public key: want 32 bytes in base64")
	}
	return Public{string(b)}, nil
}

// IsFingerprint reports whether s has the form of a fingerprint.
func IsFingerprint(s string) bool {
	text, ok := strings.CutPrefix(s, fingerprintPrefix)
	b, err := base64.RawStdEncoding.Strict().DecodeString(text)
	return ok && err == nil && len(b) == sha256.Size && fingerprintPrefix+base64.RawStdEncoding.EncodeToString(b) == s
}

// Generate makes a key.
func Generate() (Private, error) {
	_, k, err := ed25519.GenerateKey(rand.Reader)
	return Private{k}, err
}

// Public is the public half.
func (p Private) Public() Public {
	return Public{string(p.key.Public().(ed25519.PublicKey))}
}

// Write makes the file name, which must not be there, with mode 0600.
func (p Private) Write(name string) error {
	b, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		return errors.New("the key cannot be encoded")
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and a key is not written over; name another file", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: b}))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(name)
	}
	return err
}

// Read reads what Write wrote: PKCS #8 in PEM, which openssl makes, too. It
// refuses a file that others than its owner may read.
func Read(name string) (Private, error) {
	st, err := os.Stat(name)
	if err != nil {
		return Private{}, err
	}
	switch {
	case !st.Mode().IsRegular() || st.Size() > maxFile: // opening a pipe would block
		return Private{}, fmt.Errorf("%s is no private key; \"vak plugin keygen\" makes one", name)
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0:
		return Private{}, fmt.Errorf("%s is open to others than its owner; run chmod 600 on it, and make a new key if others may have read it", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return Private{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return Private{}, err
	}
	p, ok := parsePrivate(b)
	if !ok {
		return Private{}, fmt.Errorf("%s is no private key of ed25519 in PEM; \"vak plugin keygen\" makes one", name)
	}
	return p, nil
}

// parsePrivate says no more than whether b is a key: the errors of the decoders
// could hold some of it.
func parsePrivate(b []byte) (Private, bool) {
	block, rest := pem.Decode(b)
	if block == nil || block.Type != pemType || len(block.Headers) > 0 || strings.TrimSpace(string(rest)) != "" {
		return Private{}, false
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return Private{}, false
	}
	own, ok := k.(ed25519.PrivateKey)
	return Private{own}, ok && len(own) == ed25519.PrivateKeySize
}
