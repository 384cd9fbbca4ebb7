package key

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"strings"
)

// A Signature is a text that was signed, without that text: who signed, and the
// proof.
type Signature struct {
	Key   Public
	proof string
}

// signatureHead is the first line of a signature, with its version.
const signatureHead = "vak plugin signature 1"

// MaxSignature bounds the text of a signature, in bytes.
const MaxSignature = 1024

// Sign signs text.
func (p Private) Sign(text []byte) Signature {
	return Signature{p.Public(), string(ed25519.Sign(p.key, text))}
}

// Verify reports whether s is the signature of text by s.Key.
func (s Signature) Verify(text []byte) bool {
	return !s.Key.IsZero() && len(s.proof) == ed25519.SignatureSize && ed25519.Verify(ed25519.PublicKey(s.Key.bytes), text, []byte(s.proof))
}

// String is the signature as it stands in a file: three lines, with its version,
// the key and the proof in base64.
func (s Signature) String() string {
	return signatureHead + "\n" + s.Key.String() + "\n" + base64.StdEncoding.EncodeToString([]byte(s.proof)) + "\n"
}

// ParseSignature reads what String wrote. It does not verify it.
func ParseSignature(b []byte) (Signature, error) {
	if len(b) > MaxSignature {
		return Signature{}, errors.New("not a signature: it is too long")
	}
	lines := strings.Split(string(b), "\n")
	if lines[0] != signatureHead {
		if strings.HasPrefix(lines[0], strings.TrimSuffix(signatureHead, "1")) {
			return Signature{}, errors.New("a signature of a later version; update vak")
		}
		return Signature{}, errors.New("not a signature: want " + signatureHead + " in its first line")
	}
	if len(lines) != 4 || lines[3] != "" {
		return Signature{}, errors.New("not a signature: want three lines")
	}
	k, err := ParsePublic(lines[1])
	if err != nil {
		return Signature{}, err
	}
	proof, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	s := Signature{k, string(proof)}
	if err != nil || len(proof) != ed25519.SignatureSize || s.String() != string(b) {
		return Signature{}, errors.New("not a signature: want 64 bytes in base64 in its third line")
	}
	return s, nil
}
