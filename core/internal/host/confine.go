package host

import (
	"os"
	"sync"
	"syscall"

	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/core/internal/host/sandbox"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// SandboxLevel is what this system has to confine a process with.
type SandboxLevel struct {
	Level string   `json:"level"`          // in words for a person
	Whole bool     `json:"whole"`          // enough for plugins of other people
	Gaps  []string `json:"gaps,omitempty"` // what a renderer can do all the same, a sentence each
}

// Sandbox says what plugins are confined by on this system.
func Sandbox() SandboxLevel {
	l := supported()
	return SandboxLevel{Level: inWords(l), Whole: l.Sandboxed(), Gaps: l.Gaps(false)}
}

// supported asks the kernel once: it does not change.
var supported = sync.OnceValue(sandbox.Supported)

// inWords names a level. What does not make a sandbox is named behind that.
func inWords(l sandbox.Level) string {
	switch {
	case l.Sandboxed():
		return l.String()
	case l == sandbox.Level{}:
		return process.NotConfined
	}
	return process.NotConfined + " (" + l.String() + ")"
}

// confine says what a process in a role may do: a renderer or a pack has its socket
// and itself, a transport a network and what it takes to use one, and each what it was
// given. What it returns is called on the thread that starts the process. Where the
// kernel has only a part of the sandbox, that part is used.
func confine(role string, g Grants) process.Confine {
	p := sandbox.Policy{Interpreter: g.Interpreter, Read: g.Read}
	if role == hostapi.RoleTransport {
		p.Network, p.Read = true, append(sandbox.TransportReadSet(), g.Read...)
	}
	return func(binary *os.File, dir string, attr *syscall.SysProcAttr) (string, error) {
		p := p
		p.Socket, p.Binary = dir, binary
		l, err := sandbox.Restrict(p, attr)
		if err != nil {
			return "", unsandboxed("its sandbox could not be set up: "+err.Error(), err)
		}
		return inWords(l), nil
	}
}
