package archive

import (
	"io/fs"
	"os"
	"runtime"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// readFolder copies a folder. Links in it are refused like those of an archive:
// what they point to may be anything.
func readFolder(src string, s *sink) error {
	root, err := os.OpenRoot(src)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return &Error{Entry: name, What: "it cannot be read", Mend: "check its rights", Err: fsys.Bare(err)}
		}
		if name == "." {
			return nil
		}
		st, err := d.Info()
		if err != nil {
			return &Error{Entry: name, What: "it cannot be looked at", Mend: "check its rights", Err: fsys.Bare(err)}
		}
		switch {
		case st.Mode()&fs.ModeSymlink != 0:
			return refuse(name, "it is a link", "put the file itself there")
		case st.Mode().Type() != 0 && !st.IsDir():
			return refuse(name, "it is a device", "remove it")
		}
		if runtime.GOOS != "windows" {
			mode := unixMode(st.Mode())
			if st.IsDir() {
				mode &^= 0o2000 // many have folders of a group, whose files get that group
			}
			if what := wrongMode(mode); what != "" {
				return refuse(name, what, "chmod u-s,g-s,o-w "+shown(name))
			}
		}
		if st.IsDir() {
			return s.dir(name)
		}
		f, err := root.Open(name)
		if err != nil {
			return &Error{Entry: name, What: "it cannot be read", Mend: "check its rights", Err: fsys.Bare(err)}
		}
		defer f.Close()
		if now, err := f.Stat(); err != nil || !os.SameFile(st, now) {
			return refuse(name, "it was changed while it was read", "try again")
		}
		return s.file(name, f)
	})
}
