package key

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func generate(t testing.TB) Private {
	t.Helper()
	p, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFile(t *testing.T) {
	p := generate(t)
	name := filepath.Join(t.TempDir(), "key")
	if err := p.Write(name); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	got, err := Read(name)
	if err != nil || got.Public() != p.Public() {
		t.Errorf("read another key, %v", err)
	}
	if err := p.Write(name); err == nil || !strings.Contains(err.Error(), "not written over") {
		t.Errorf("written over: %v", err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.Split(string(text), "\n")[1]
	for _, c := range []struct {
		why, content string
		mode         os.FileMode
	}{
		{"open to others", string(text), 0o640},
		{"no PEM", secret, 0o600},
		{"another kind of PEM", strings.ReplaceAll(string(text), "PRIVATE KEY", "EC PRIVATE KEY"), 0o600},
		{"something behind it", string(text) + secret, 0o600},
		{"cut off", string(text[:len(text)/2]), 0o600},
		{"too long", strings.Repeat(string(text), 50), 0o600},
	} {
		other := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(other, []byte(c.content), c.mode); err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "windows" && c.mode != 0o600 {
			continue
		}
		if _, err := Read(other); err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), other) {
			t.Errorf("%s: err = %v", c.why, err)
		}
	}
	if s := fmt.Sprintf("%v %+v %#v %s", p, p, p, p); strings.ContainsAny(s, "0123456789[]{}") {
		t.Errorf("the key prints as %s", s)
	}
}

func TestSignature(t *testing.T) {
	p, text := generate(t), []byte("what is signed")
	s := p.Sign(text)
	read, err := ParseSignature([]byte(s.String()))
	if err != nil || read != s || !read.Verify(text) {
		t.Fatalf("%v, %v", read, err)
	}
	if read.Verify([]byte("what is signeD")) || (Signature{}).Verify(text) || (Signature{generate(t).Public(), s.proof}).Verify(text) {
		t.Error("verifies what was not signed")
	}
	k := p.Public()
	if again, err := ParsePublic(k.String()); err != nil || again != k || !IsFingerprint(k.Fingerprint()) || k.Fingerprint() == generate(t).Public().Fingerprint() {
		t.Errorf("%v, %v, %s", again, err, k.Fingerprint())
	}
	whole := s.String()
	for n := range len(whole) {
		if _, err := ParseSignature([]byte(whole[:n])); err == nil {
			t.Errorf("cut off at %d it passes", n)
		}
		changed := []byte(whole)
		changed[n] ^= 1
		if got, err := ParseSignature(changed); err == nil && got.Verify(text) {
			t.Errorf("changed at %d it verifies", n)
		}
	}
	if _, err := ParseSignature([]byte(strings.Replace(whole, "1\n", "2\n", 1))); err == nil || !strings.Contains(err.Error(), "update vak") {
		t.Errorf("of a later version: %v", err)
	}
	for _, bad := range []string{"", "SHA256:", k.String(), k.Fingerprint() + "=", k.Fingerprint()[:49], "sha256:" + k.Fingerprint()[7:]} {
		if IsFingerprint(bad) {
			t.Errorf("%q is a fingerprint", bad)
		}
	}
}

// FuzzParseSignature holds that a signature has one form.
func FuzzParseSignature(f *testing.F) {
	f.Add(generate(f).Sign(nil).String())
	f.Add(signatureHead + "\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSignature([]byte(text)); err == nil && s.String() != text {
			t.Errorf("%q is also %q", s, text)
		}
		if k, err := ParsePublic(text); err == nil && k.String() != text {
			t.Errorf("%q is also %q", k, text)
		}
	})
}

// FuzzRead holds that no file panics, and that what is read is a key.
func FuzzRead(f *testing.F) {
	name := filepath.Join(f.TempDir(), "key")
	if err := generate(f).Write(name); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := parsePrivate(b); ok && !p.Sign(b).Verify(b) {
			t.Error("a key that does not sign")
		}
	})
}
