package home

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	if is, err := Claimed(path); is || err != nil {
		t.Fatalf("nobody's: %v, %v", is, err)
	}
	release, got, err := Claim(path)
	if err != nil || !got {
		t.Fatalf("%v, %v", got, err)
	}
	if is, err := Claimed(path); !is || err != nil {
		t.Errorf("claimed: %v, %v", is, err)
	}
	if _, got, err := Claim(path); got || err != nil {
		t.Errorf("claimed twice: %v, %v", got, err)
	}
	release()
	if is, err := Claimed(path); is || err != nil {
		t.Errorf("released: %v, %v", is, err)
	}
	release, got, err = Claim(path)
	if err != nil || !got {
		t.Fatalf("again: %v, %v", got, err)
	}
	release()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file went: %v", err)
	}

	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Claimed(dir); !errors.Is(err, ErrUnusable) {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := Claim(dir); !errors.Is(err, ErrUnusable) {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := Claim(filepath.Join(dir, "none", "x")); !errors.Is(err, ErrUnusable) {
		t.Errorf("no place: %v", err)
	}
}
