package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"os"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// A Binary is an open file that has the hash which its manifest names.
type Binary struct {
	*os.File
	sum    string
	opened string
}

// Open opens the binary and makes sure that it is the one whose hash the
// manifest names. What is returned is the file that was hashed, whatever the
// path names by now. The caller closes it.
func (b Bundle) Open() (*Binary, *fault.Error) {
	fail := func(err error) (*Binary, *fault.Error) {
		return nil, &fault.Error{
			Op: "start", Kind: fault.StartFailed, Source: fault.FromHost, Err: err,
			Message: "cannot read the binary: " + err.Error(), Hint: "install the plugin again",
		}
	}
	f, err := os.Open(b.Path)
	if err != nil {
		return fail(err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return fail(err)
	}
	sum, err := hash(f)
	if err != nil {
		f.Close()
		return fail(err)
	}
	if sum != b.SHA256 {
		f.Close()
		return nil, untrusted(b.Path + " is not the file that its manifest names (sha256 differs)")
	}
	return &Binary{File: f, sum: sum, opened: fileStamp(st)}, nil
}

// hash reads f from its beginning.
func hash(f *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, io.NewSectionReader(f, 0, math.MaxInt64), make([]byte, 256<<10)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Unchanged fails if somebody wrote to the file since it was opened. Called
// after the start it closes the gap that an open file leaves: its path may name
// another file by then, but its contents could have been overwritten in place.
// A file that is being executed takes no writes.
func (b *Binary) Unchanged() *fault.Error {
	st, err := b.Stat()
	if err == nil && fileStamp(st) == b.opened {
		return nil
	}
	// A new link to it changes its times, too.
	if sum, err := hash(b.File); err == nil && sum == b.sum {
		return nil
	}
	return untrusted("the binary was changed while it was being started")
}

func untrusted(message string) *fault.Error {
	return &fault.Error{
		Op: "start", Kind: fault.Untrusted, Source: fault.FromPlugin, Message: message,
		Hint: "install the plugin again; if you built it yourself, make the manifest anew",
	}
}
