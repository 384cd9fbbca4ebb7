package process

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

// isScript reports whether a file asks the kernel for an interpreter.
func isScript(file io.ReaderAt) bool {
	var mark [2]byte
	n, _ := file.ReadAt(mark[:], 0)
	return string(mark[:n]) == "#!"
}

// runnable refuses to run the file at path where it would fail in a way that says less.
// An interpreter is the operator's to grant, not the first line's of a file to choose.
func runnable(file io.ReaderAt, path, interpreter string) *fault.Error {
	e := &fault.Error{Op: "start", Kind: fault.StartFailed}
	if interpreter == "" {
		if !isScript(file) {
			return nil
		}
		e.Source, e.Message = fault.FromPlugin, path+" is a script, and no program to run it was granted"
		e.Hint = `it gets one by "grants": {"interpreter": "/usr/bin/python3"} in its plugin.json when it is installed, or by "vak plugin dev --interpreter"`
		return e
	}
	e.Source, e.Hint = fault.FromHost, "grant a program by its absolute path, such as /usr/bin/python3"
	if !filepath.IsAbs(interpreter) {
		e.Message = fmt.Sprintf("the interpreter %q is not an absolute path", interpreter)
		return e
	}
	program, err := os.Open(interpreter)
	if err != nil {
		e.Message, e.Err = "cannot read the interpreter that was granted: "+err.Error(), err
		return e
	}
	defer program.Close()
	if isScript(program) {
		e.Message = "the interpreter that was granted, " + interpreter + ", is a script itself"
		e.Hint = "grant the program that it runs in the end"
		return e
	}
	return nil
}

// command is what is executed to run an open file, whose path that is, and its
// arguments, of which the last says what for. The files in inherited are the process's
// own from descriptor 3 on.
func command(file *os.File, path, interpreter, role string) (program string, args []string, inherited []*os.File) {
	if interpreter == "" {
		return executablePath(file, path), []string{path, role}, nil
	}
	name, inherited := inheritedPath(file, path)
	return interpreter, []string{interpreter, name, role}, inherited
}
