package host

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// openVerified opens the file at path and makes sure that it is the one whose
// hash the manifest names. What is returned is the file that was hashed,
// whatever path names by now.
func openVerified(path, sum string) (*os.File, *Error) {
	fail := func(err error) *Error {
		return &Error{
			Op: "start", Kind: StartFailed, Source: FromHost, Err: err,
			Message: "cannot read the binary: " + err.Error(), Hint: "install the plugin again",
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fail(err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		f.Close()
		return nil, fail(err)
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		f.Close()
		return nil, &Error{
			Op: "start", Kind: Untrusted, Source: FromPlugin,
			Message: path + " is not the file that its manifest names (sha256 differs)",
			Hint:    "install the plugin again; if you built it yourself, make the manifest anew",
		}
	}
	return f, nil
}
