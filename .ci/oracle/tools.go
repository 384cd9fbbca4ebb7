package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrUnavailable is returned when the machine cannot run a foreign parser.
var ErrUnavailable = errors.New("not available on this machine")

// cacheDir is where packages of others are kept, outside of the tree.
func cacheDir() (string, error) {
	if dir := os.Getenv("VAK_ORACLE_CACHE"); dir != "" {
		return dir, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "vak-oracle"), nil
}

// Node returns the path of the node program.
func Node() (string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("node: %w", ErrUnavailable)
	}
	return node, nil
}

// Modules installs the packages that package-lock.json pins, unless it has done
// so before, and returns their node_modules folder. The lock's hash names the
// folder, so a changed lock never meets old packages; npm checks every package
// against the lock. Scripts of packages never run.
func Modules() (string, error) {
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		return "", err
	}
	manifest, err := os.ReadFile("package.json")
	if err != nil {
		return "", err
	}
	return once("npm-"+digest(lock), func(dir string) error {
		for name, b := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				return err
			}
		}
		return npm(dir, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	}, "node_modules")
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// once makes a folder of the cache with fill, or finds it made, and returns the
// path of sub in it. A folder appears whole or not at all: it is filled under
// another name and renamed.
func once(name string, fill func(dir string) error, sub string) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, name)
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, sub), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(cache, name+".*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, stat := os.Stat(dir); stat != nil {
			return "", err
		}
	}
	return filepath.Join(dir, sub), nil
}

func npm(dir string, args ...string) error {
	path, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm: %w", ErrUnavailable)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s: %w: %v\n%s", args[0], ErrUnavailable, err, tail(out, 2000))
	}
	return nil
}

func tail(b []byte, n int) []byte {
	if len(b) > n {
		return b[len(b)-n:]
	}
	return b
}
