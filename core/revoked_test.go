package core

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRevokedWhileADirectoryIsGone: what must not run is killed whatever else cannot
// be read.
func TestRevokedWhileADirectoryIsGone(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	other := filepath.Join(t.TempDir(), "plugins")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	s.open(Config{Plugins: []string{other}})
	turn := s.begin("chat")
	s.want(turn, "before", "edition 1")
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	s.revoke(true)
	if _, err := s.Reload(t.Context()); err == nil {
		t.Error("nobody is told of a directory that is gone")
	}
	if got := s.processes(); len(got) > 0 {
		t.Errorf("processes %v run though they are to stop at once", got)
	}
	s.want(turn, "revoked", "edition.note", "card_lower_failed", "revoked")
	if now := s.Epoch(); now.Number <= turn.Epoch().Number {
		t.Errorf("what was revoked is still of epoch %d", now.Number)
	}
	s.config("[surfaces.log]\ngrid = 40\n")
	before := s.Epoch()
	if now, err := s.Reload(t.Context()); err == nil || now.Number <= before.Number {
		t.Errorf("the configuration has changed, and the epoch is %d, %v", now.Number, err)
	}
}
