package sandbox

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights to a file, and to a directory and all below it.
const (
	readFile    = unix.LANDLOCK_ACCESS_FS_READ_FILE
	executeFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	writeFile   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

	// listDir is not a right to a file; the kernel refuses a rule that says so.
	listDir = unix.LANDLOCK_ACCESS_FS_READ_DIR

	// useDir leaves out symbolic links, which could lead the host astray, and
	// everything that is no file, directory or socket.
	useDir = writeFile | listDir |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR
)

// handled returns all rights to files that a version of Landlock knows: what is
// handled and not granted is refused.
func handled(abi int) uint64 {
	all := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1) // the 13 of the first version
	for _, later := range []struct {
		abi   int
		right uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER}, // never granted before that, either
		{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if abi >= later.abi {
			all |= later.right
		}
	}
	return all
}

// ruleset returns what a version of Landlock is asked to refuse. Connecting over
// TCP stays out with a network; without one, no process has a socket for it.
func ruleset(abi int, network bool) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: handled(abi)}
	if abi >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP
		if !network {
			a.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return a
}

// rules are a policy with its files opened.
type rules struct {
	network bool
	grants  []grant
}

type grant struct {
	fd     int
	rights uint64
	close  bool
}

// rules opens the files of a policy.
func (p Policy) rules() (*rules, error) {
	r := &rules{network: p.Network}
	err := r.add("/dev/null", writeFile)
	read, execute, binary := p.Read, p.Execute, uint64(executeFile)
	if p.Interpreter != "" {
		read = append(InterpreterReadSet(p.Interpreter), read...)
		execute = append([]string{p.Interpreter}, execute...)
		if l := loader(p.Interpreter); l != "" {
			execute = append(execute, l)
		}
		binary = readFile
	}
	for _, path := range read {
		if err == nil {
			err = r.add(path, readFile|listDir)
		}
	}
	for _, path := range execute {
		if err == nil {
			err = r.add(path, executeFile|listDir)
		}
	}
	if err == nil && p.Socket != "" {
		err = r.addDir(p.Socket)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	if p.Binary != nil {
		// Fd would make the file blocking, which means nothing for a file on a disk.
		r.grants = append(r.grants, grant{fd: int(p.Binary.Fd()), rights: binary})
	}
	return r, nil
}

// add grants rights to path, without those that only a directory has if it is
// none. What does not exist needs no right.
func (r *rules) add(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if missing(err) {
		return nil
	}
	var st unix.Stat_t
	if err == nil {
		r.grants = append(r.grants, grant{fd: fd, close: true})
		err = unix.Fstat(fd, &st)
	}
	if err != nil {
		return &Error{Op: "open", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= listDir
	}
	r.grants[len(r.grants)-1].rights = rights
	return nil
}

func (r *rules) addDir(path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return &Error{Op: "open", Path: path, Err: err}
	}
	r.grants = append(r.grants, grant{fd: fd, rights: useDir, close: true})
	return nil
}

func (r *rules) close() {
	for _, g := range r.grants {
		if g.close {
			unix.Close(g.fd)
		}
	}
}

// enforce puts the calling thread into a new domain.
func (r *rules) enforce(abi int) error {
	attr := ruleset(abi, r.network)
	// The structure is longer than old kernels know it, which they accept as long
	// as the rest is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	for _, g := range r.grants {
		beneath := unix.LandlockPathBeneathAttr{Allowed_access: g.rights & attr.Handled_access_fs, Parent_fd: int32(g.fd)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, fd, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); errno != 0 {
			return os.NewSyscallError("landlock_add_rule", errno)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// landlockABI asks for the version of Landlock: 0 where there is none, where it
// was not enabled at boot, and where a container refuses the question.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}
