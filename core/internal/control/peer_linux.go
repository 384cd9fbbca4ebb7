package control

import (
	"bytes"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func peerOf(c net.Conn) (p peer, err error) {
	err = control(c, func(fd int) error {
		cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			p = peer{pid: int(cred.Pid), uid: int(cred.Uid)}
		}
		return err
	})
	return p, err
}

// parent is the parent of a process, or 0. The name of a process, in brackets,
// may hold anything, brackets too; behind the last one come state and parent.
func parent(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return n
}
