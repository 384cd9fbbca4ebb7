package process

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// peerChecked says that the kernel names the peer of a connection.
const peerChecked = true

// executablePath names the open file, so that what was hashed is what runs.
func executablePath(f *os.File, _ string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
}

// inheritedPath names the open file to a process that gets it as descriptor 3, so
// that what was hashed is what its interpreter reads. It is a file of the process's
// own: opened by that name it is read from its beginning.
func inheritedPath(f *os.File, _ string) (string, []*os.File) {
	return "/proc/self/fd/3", []*os.File{f}
}

func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// closeInherited keeps files that this process got from its own parent without
// the close-on-exec flag (a shell's, say) from going on to plugins. Files that a
// Go program opens have the flag anyway. Before Linux 5.11 they go on.
func closeInherited() { unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

// onLaunchThread runs f on a thread of its own, which ends with f. The kernel
// sends Pdeathsig when the *thread* that started a process ends, so f starts
// the process and stays until that has ended (golang/go#27505). The main thread
// will not do: it is never ended, and it must not be blocked.
func onLaunchThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return // still locked, so the thread ends
		}
		held := make(chan struct{})
		go func() { // cannot be on the main thread, which is held here
			runtime.LockOSThread()
			close(held)
			f()
		}()
		<-held
		runtime.UnlockOSThread()
	}()
}

// awaitDeath returns when the process is dead and not yet reaped.
func awaitDeath(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// reap calls last while the process is a zombie and its pid is still its own,
// then reaps it.
func reap(cmd *exec.Cmd, last func()) error {
	last()
	return cmd.Wait()
}

// maxMemory is what a renderer or a pack can have of memory that is its own and writable.
// One that is idle has 72 MiB, nearly all of it mapped by Go and not used; the
// worst answer of 4 MiB that was found, 100,000 paragraphs, takes 730 MiB, and
// 1040 without memoryGoal. A limit of the address space (RLIMIT_AS) would not do:
// Go sets aside far more of that than it uses.
const maxMemory = 1 << 30

// limit bounds what a process can take from the machine beside time. It needs a
// handful of descriptors and writes nothing but its socket's entry. The process
// runs by now, but what it has by then is little.
func limit(pid int, role string) {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 256, unix.RLIMIT_FSIZE: 1 << 20}
	if role != hostapi.RoleTransport {
		limits[unix.RLIMIT_DATA] = maxMemory
	}
	for what, most := range limits {
		unix.Prlimit(pid, what, &unix.Rlimit{Cur: most, Max: most}, nil) // it fails where less is allowed already
	}
}

// memory says of a process that has ended how much it had, if it says itself that
// it wanted more, or if it had so much that this may be why it ended.
func (r *runner) memory(state *os.ProcessState) string {
	use, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || r.role == hostapi.RoleTransport || !r.pump.starved() && use.Maxrss < maxMemory>>10/2 { // KiB
		return ""
	}
	return fmt.Sprintf(" (it had %d MiB of memory and can have %d)", use.Maxrss>>10, maxMemory>>20)
}

// socket is where the process listens.
func (r *runner) socket() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peerPath
}

// dialOptions connect to the process's own socket and to nobody else's.
func dialOptions(r *runner) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return dialPeer(ctx, r)
	})}
}

// dialPeer makes sure that it is the process itself that answers.
func dialPeer(ctx context.Context, r *runner) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", r.socket())
	if err != nil {
		return nil, err
	}
	pid, err := peerPID(conn.(*net.UnixConn))
	if err == nil && pid != r.pid() {
		err = fmt.Errorf("process %d answers in place of %d", pid, r.pid())
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func peerPID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, credErr
	}
	return int(cred.Pid), nil
}
