package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Env is the environment variable that names the home.
const Env = "VAK_HOME"

// Dir is the absolute path of the home: configured, else what VAK_HOME says,
// else vak in the user's data directory. It looks at nothing on disk.
func Dir(configured string) (string, error) {
	dir := configured
	if dir == "" {
		dir = os.Getenv(Env)
	}
	if dir == "" {
		data, err := dataDir(runtime.GOOS, os.Getenv, os.UserHomeDir)
		if err != nil {
			return "", unusable("cannot tell where the user's data directory is", "name a home with --home or "+Env, err)
		}
		dir = filepath.Join(data, "vak")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", unusable("cannot tell where the home "+dir+" is", "name it with an absolute path", err)
	}
	return abs, nil
}

// PluginStore is the directory of installed plugins in the home dir. Each has a
// folder there, named for its sha256.
func PluginStore(dir string) string { return filepath.Join(dir, "plugins", "store") }

// dataDir is where programs keep a user's data. The standard library knows
// directories for configuration and caches only.
func dataDir(goos string, env func(string) string, userHome func() (string, error)) (string, error) {
	switch goos {
	case "windows":
		if dir := env("LocalAppData"); dir != "" {
			return dir, nil
		}
		return "", errors.New("%LocalAppData% is not set")
	case "darwin":
		dir, err := userHome()
		return filepath.Join(dir, "Library", "Application Support"), err
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) { // a relative one is to be ignored, says the specification
		return dir, nil
	}
	dir, err := userHome()
	return filepath.Join(dir, ".local", "share"), err
}

// ensure makes dir with mode 0700 if it is not there, and refuses one that
// anybody may write to: whoever can replace the ledger owns the answers.
func ensure(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) || isNotDir(dir) {
			return unusable("the home "+dir+" is not a directory", "name another one with --home or "+Env, nil)
		}
		return unusable("cannot make the home", "name a place that you may write to with --home or "+Env, err)
	}
	st, err := os.Stat(dir)
	if err != nil {
		return unusable("cannot look at the home", "check its permissions", err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm()&0o002 != 0 {
		return unusable("the home "+dir+" can be written to by everybody", "chmod 700 "+dir, nil)
	}
	return nil
}

func isNotDir(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && !st.IsDir()
}
