//go:build linux

// Probe tries what a plugin must not be able to do, and what it must, and says
// how each attempt ended. It is started by the tests, in a sandbox and without.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// surroundings is what the test has put up for the attempts.
type surroundings struct {
	Dir      string // the socket directory
	Outside  string // another directory of the user
	File     string // a file in Outside
	Host     int    // a process of the user
	TCP      string // where somebody listens
	Unix     string // a path where somebody listens
	Abstract string // an abstract name where somebody listens
	Lib      string // granted to read
}

func main() {
	switch os.Args[1] {
	case "nothing":
	case "try":
		var s surroundings
		if err := json.Unmarshal([]byte(os.Args[2]), &s); err != nil {
			panic(err)
		}
		json.NewEncoder(os.Stdout).Encode(try(s))
	case "exec":
		err := syscall.Exec(os.Args[2], os.Args[2:], nil)
		fmt.Println("exec:", err)
	case "guess":
		// the flags of Go's own start of a process, with something in the upper half
		syscall.RawSyscall(syscall.SYS_CLONE, uintptr(unix.SIGCHLD)|0x1234_5678<<32, 0, 0)
		fmt.Println("survived")
	case "int80":
		if int80() == int32(os.Getpid()) {
			fmt.Println("survived")
		}
	case "serve":
		serve(os.Args[2])
	case "wait":
		fmt.Println("waiting")
		time.Sleep(time.Minute)
	}
}

// serve echoes on a unix socket, for one connection.
func serve(path string) {
	l, err := net.Listen("unix", path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("listening")
	conn, err := l.Accept()
	if err != nil {
		fmt.Println(err)
		return
	}
	b := make([]byte, 4)
	if _, err := conn.Read(b); err == nil {
		conn.Write(b)
	}
	conn.Close()
}

// try returns how each attempt ended: 0 for success, an errno, or -1.
func try(s surroundings) map[string]int {
	results := map[string]int{}
	attempt := func(name string, f func() error) {
		err := f()
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			results[name] = int(errno)
		} else if err != nil {
			results[name] = -1
		} else {
			results[name] = 0
		}
	}
	files(s, attempt)
	processes(s, attempt)
	others(s, attempt)
	network(s, attempt)
	return results
}

func read(path string) error { _, err := os.ReadFile(path); return err }

func create(path string) error {
	err := os.WriteFile(path, []byte("x"), 0o600)
	if err == nil {
		err = os.Remove(path)
	}
	return err
}

func files(s surroundings, attempt func(string, func() error)) {
	in := func(name string) string { return filepath.Join(s.Dir, name) }
	attempt("read /etc/passwd", func() error { return read("/etc/passwd") })
	attempt("read /etc/passwd by /proc/self/root", func() error { return read("/proc/self/root/etc/passwd") })
	attempt("read /etc/resolv.conf", func() error { return read("/etc/resolv.conf") })
	attempt("read a granted file", func() error { return read(filepath.Join(s.Lib, "file")) })
	attempt("list a granted directory", func() error { _, err := os.ReadDir(s.Lib); return err })
	attempt("write in a granted directory", func() error { return create(filepath.Join(s.Lib, "new")) })
	attempt("list /", func() error { _, err := os.ReadDir("/"); return err })
	attempt("read environ of the host", func() error { return read(fmt.Sprintf("/proc/%d/environ", s.Host)) })
	attempt("open mem of the host", func() error {
		f, err := os.Open(fmt.Sprintf("/proc/%d/mem", s.Host))
		if err == nil {
			f.Close()
		}
		return err
	})
	attempt("read a file outside", func() error { return read(s.File) })
	attempt("append to a file outside", func() error {
		f, err := os.OpenFile(s.File, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			f.Close()
		}
		return err
	})
	attempt("create outside", func() error { return create(filepath.Join(s.Outside, "new")) })
	attempt("create in /tmp", func() error { return create(fmt.Sprintf("/tmp/vak-probe-%d", os.Getpid())) })
	attempt("truncate by path", func() error { return syscall.Truncate(s.File, 1) })
	attempt("chmod", func() error { return os.Chmod(s.File, 0o600) })
	attempt("chown", func() error { return os.Chown(s.File, os.Getuid(), os.Getgid()) })
	attempt("utimes", func() error { return os.Chtimes(s.File, time.Now(), time.Now()) })
	attempt("setxattr", func() error { return unix.Setxattr(s.File, "user.vak", []byte("x"), 0) })
	attempt("watch", func() error {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err == nil {
			_, err = unix.InotifyAddWatch(fd, s.Outside, unix.IN_ALL_EVENTS)
		}
		return err
	})
	attempt("link in", func() error { return os.Link(s.File, in("linked")) })
	attempt("rename in", func() error { return os.Rename(s.File, in("renamed")) })
	attempt("remove outside", func() error { return os.Remove(filepath.Join(s.Outside, "victim")) })
	attempt("symlink", func() error { return os.Symlink("/etc/passwd", in("symlink")) })
	attempt("mkfifo", func() error { return unix.Mkfifo(in("fifo"), 0o600) })
	attempt("memfd_create", func() error { _, err := unix.MemfdCreate("m", 0); return err })

	attempt("create in its directory", func() error { return create(in("new")) })
	attempt("read back", func() error {
		if err := os.WriteFile(in("kept"), []byte("x"), 0o600); err != nil {
			return err
		}
		return read(in("kept"))
	})
	attempt("mkdir in its directory", func() error {
		d, err := os.MkdirTemp(s.Dir, "d")
		if err == nil {
			err = create(filepath.Join(d, "f"))
		}
		if err == nil {
			err = os.RemoveAll(d)
		}
		return err
	})
	attempt("list its directory", func() error { _, err := os.ReadDir(s.Dir); return err })
	attempt("write /dev/null", func() error { return os.WriteFile("/dev/null", []byte("x"), 0) })
}

// child ends a process that was made by a raw call.
func child(pid uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
	unix.Wait4(int(pid), nil, 0, nil)
	return nil
}

func processes(s surroundings, attempt func(string, func() error)) {
	attempt("clone", func() error {
		pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		return child(pid, errno)
	})
	attempt("clone3", func() error {
		args := struct {
			flags, pidfd, childTID, parentTID, exit, stack, stackSize, tls uint64
		}{exit: uint64(unix.SIGCHLD)}
		pid, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
		return child(pid, errno)
	})
	attempt("os/exec", func() error { return exec.Command("/bin/sh", "-c", "exit 0").Run() })
	attempt("os/exec of itself", func() error { return exec.Command("/proc/self/exe", "nothing").Run() })
	attempt("threads", func() error {
		var here, all sync.WaitGroup
		here.Add(20)
		for range 20 {
			all.Go(func() {
				runtime.LockOSThread() // not unlocked: one thread each
				here.Done()
				here.Wait()
			})
		}
		all.Wait()
		return nil
	})
	attempt("unshare", func() error {
		runtime.LockOSThread()
		return unix.Unshare(unix.CLONE_FS)
	})
	attempt("mount", func() error {
		err := unix.Mount("none", s.Dir, "tmpfs", 0, "")
		if err == nil {
			err = unix.Unmount(s.Dir, 0)
		}
		return err
	})
	attempt("setsid", func() error { _, err := unix.Setsid(); return err })
	attempt("setpgid to the host's", func() error {
		group, err := unix.Getpgid(s.Host)
		if err != nil {
			return err
		}
		return unix.Setpgid(0, group)
	})
	attempt("setpgid to its own", func() error { return unix.Setpgid(0, 0) })
	attempt("outlive the host", func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) })
	attempt("die with the host", func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) })
	attempt("have capabilities", func() error {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var have [2]unix.CapUserData
		if err := unix.Capget(&head, &have[0]); err != nil {
			return err
		}
		if have[0].Effective|have[0].Permitted|have[1].Effective|have[1].Permitted == 0 {
			return unix.EPERM
		}
		return nil
	})
	attempt("setresuid", func() error {
		u := os.Getuid()
		_, _, errno := syscall.RawSyscall(unix.SYS_SETRESUID, uintptr(u), uintptr(u), uintptr(u))
		return zero(errno)
	})
}

func zero(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

func others(s surroundings, attempt func(string, func() error)) {
	host := uintptr(s.Host)
	raw := func(call uintptr, args ...uintptr) error {
		a := append(args, make([]uintptr, 6)...)
		_, _, errno := syscall.Syscall6(call, a[0], a[1], a[2], a[3], a[4], a[5])
		return zero(errno)
	}
	attempt("kill the host", func() error { return unix.Kill(s.Host, 0) })
	attempt("kill its group", func() error {
		group, err := unix.Getpgid(s.Host)
		if err != nil {
			return err
		}
		return unix.Kill(-group, 0)
	})
	attempt("tgkill the host", func() error { return unix.Tgkill(s.Host, s.Host, 0) })
	attempt("pidfd_send_signal to the host", func() error {
		fd, err := unix.PidfdOpen(s.Host, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	})
	attempt("pidfd_getfd of the host", func() error {
		fd, err := unix.PidfdOpen(s.Host, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 1, 0)
		return err
	})
	attempt("ask for a signal to the host", func() error {
		r, _, err := os.Pipe()
		if err != nil {
			return err
		}
		_, err = unix.FcntlInt(r.Fd(), unix.F_SETOWN, s.Host)
		return err
	})
	attempt("ptrace the host", func() error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := raw(unix.SYS_PTRACE, unix.PTRACE_SEIZE, host)
		if err == nil {
			raw(unix.SYS_PTRACE, unix.PTRACE_DETACH, host)
		}
		return err
	})
	attempt("process_vm_readv of the host", func() error {
		// nothing to read is success for who may, and EPERM for who may not
		b := make([]byte, 1)
		local := unix.Iovec{Base: &b[0], Len: 1}
		remote := unix.RemoteIovec{Base: 0x1000, Len: 1}
		_, err := unix.ProcessVMReadv(s.Host, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
		if err == unix.EFAULT {
			err = nil
		}
		return err
	})
	attempt("limit the host", func() error {
		var have unix.Rlimit
		return unix.Prlimit(s.Host, unix.RLIMIT_NOFILE, nil, &have)
	})
	attempt("schedule the host", func() error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(s.Host, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(s.Host, &set)
	})
	attempt("nice the host", func() error {
		biased, _, errno := syscall.Syscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, host, 0)
		if errno != 0 {
			return errno
		}
		return raw(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, host, 20-biased)
	})
	attempt("keyctl", func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_PROCESS_KEYRING, true); return err })
	attempt("shmget", func() error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
		if err == nil {
			_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
		return err
	})
	attempt("io_uring", func() error {
		params := make([]byte, 120)
		fd, _, errno := syscall.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params[0])), 0)
		if errno == 0 {
			unix.Close(int(fd))
		}
		return zero(errno)
	})
	attempt("bpf", func() error { return raw(unix.SYS_BPF, 0) })
	attempt("perf_event_open", func() error { return raw(unix.SYS_PERF_EVENT_OPEN) })
	attempt("userfaultfd", func() error { return raw(unix.SYS_USERFAULTFD, 1) })
	attempt("a call newer than the filter", func() error { return raw(1000) })
	attempt("x32", func() error { return raw(0x4000_0000 | 39) })
}

func network(s surroundings, attempt func(string, func() error)) {
	sock := func(family, kind, protocol int) func() error {
		return func() error {
			fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}
	}
	pair := func(kind int) func() error {
		return func() error {
			fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				unix.Close(fds[0])
				unix.Close(fds[1])
			}
			return err
		}
	}
	dial := func(network, address string) func() error {
		return func() error {
			c, err := net.DialTimeout(network, address, 5*time.Second)
			if err == nil {
				c.Close()
			}
			return err
		}
	}
	listen := func(network, address string) func() error {
		return func() error {
			l, err := net.Listen(network, address)
			if err == nil {
				l.Close()
			}
			return err
		}
	}
	attempt("dial TCP", dial("tcp", s.TCP))
	attempt("dial UDP", dial("udp", s.TCP))
	attempt("listen on TCP", listen("tcp", "127.0.0.1:0"))
	attempt("listen on a TCP port of the kernel's choice", func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			err = unix.Listen(fd, 1)
			unix.Close(fd)
		}
		return err
	})
	attempt("socket mptcp", sock(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP))
	attempt("socket inet", sock(unix.AF_INET, unix.SOCK_STREAM, 0))
	attempt("socket inet6", sock(unix.AF_INET6, unix.SOCK_STREAM, 0))
	attempt("socket udp", sock(unix.AF_INET, unix.SOCK_DGRAM, 0))
	attempt("socket sctp", sock(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP))
	attempt("socket raw", sock(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP))
	attempt("socket packet", sock(unix.AF_PACKET, unix.SOCK_RAW, 0))
	attempt("socket netlink", sock(unix.AF_NETLINK, unix.SOCK_RAW, 0))
	attempt("socket vsock", sock(unix.AF_VSOCK, unix.SOCK_STREAM, 0))
	attempt("socket alg", sock(unix.AF_ALG, unix.SOCK_SEQPACKET, 0))
	attempt("socket unix datagram", sock(unix.AF_UNIX, unix.SOCK_DGRAM, 0))
	attempt("socket unix packet", sock(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0))
	attempt("pair of datagram sockets", pair(unix.SOCK_DGRAM))
	attempt("pair of stream sockets", pair(unix.SOCK_STREAM))
	attempt("connect to a unix socket", dial("unix", s.Unix))
	attempt("connect to an abstract unix socket", dial("unix", s.Abstract))
	attempt("listen in its directory", listen("unix", filepath.Join(s.Dir, "l")))
	attempt("listen on an abstract name", listen("unix", s.Abstract+"-2"))
	attempt("listen on a unix socket outside", listen("unix", filepath.Join(s.Outside, "l")))
}
