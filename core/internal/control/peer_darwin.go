package control

import (
	"net"

	"golang.org/x/sys/unix"
)

func peerOf(c net.Conn) (p peer, err error) {
	err = control(c, func(fd int) error {
		cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err != nil {
			return err
		}
		pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		p = peer{pid: pid, uid: int(cred.Uid)}
		return err
	})
	return p, err
}

// parent is the parent of a process, or 0.
func parent(pid int) int {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(p.Eproc.Ppid)
}
