package sandbox

import "path/filepath"

// InterpreterReadSet returns what Policy.Interpreter lets a process read beside the
// program itself and its loader: where systems keep shared libraries, and with them
// the modules of the languages that came with the system; how the loader finds
// those; and time zones. No file of a person and none of a service is among them,
// nor what tells of the users of the machine.
//
// Where the program, with symbolic links followed, is in a folder called bin, the
// folder lib beside it is in the set, too: that is where one that was built or
// unpacked by hand has its modules.
//
// Of all that, only the program and its loader can be executed.
func InterpreterReadSet(program string) []string {
	set := []string{
		"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib32", "/usr/local/lib64",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
		"/usr/share/zoneinfo", "/etc/localtime",
	}
	musl, _ := filepath.Glob("/etc/ld-musl-*.path") // its loader gives up where it is there and cannot be read
	set = append(set, musl...)
	if path, err := filepath.EvalSymlinks(program); err == nil {
		if dir := filepath.Dir(path); filepath.Base(dir) == "bin" {
			set = append(set, filepath.Join(filepath.Dir(dir), "lib"))
		}
	}
	return set
}
