package load

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A keeper keeps a host running: one that was killed is started anew by the next
// who asks it something.
type keeper struct {
	t     *testing.T
	setup setup

	mu     sync.Mutex // one asks at a time
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	starts int

	pid  sync.Mutex // guards what a killer needs, who does not wait for an answer
	live *os.Process
	peak int // kilobytes, of all hosts so far
}

// start starts a host and waits until it has opened its home. The caller holds
// k.mu.
func (k *keeper) start() error {
	text, err := json.Marshal(k.setup)
	if err != nil {
		return err
	}
	k.cmd = exec.Command(os.Args[0])
	k.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	k.cmd.Stderr = os.Stderr
	if k.in, err = k.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	k.out = bufio.NewScanner(out)
	k.out.Buffer(nil, 16<<20)
	if err := k.cmd.Start(); err != nil {
		return err
	}
	k.pid.Lock()
	k.live = k.cmd.Process
	k.pid.Unlock()
	k.starts++
	if !k.out.Scan() {
		return fmt.Errorf("the host did not open its home: %v", k.cmd.Wait())
	}
	return nil
}

// ask gives the host an order, as often as hosts are killed before they answer.
func (k *keeper) ask(o order) reply {
	k.t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		k.t.Fatal(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for range 10 {
		if k.cmd == nil {
			if err := k.start(); err != nil {
				k.t.Logf("a host that was just started: %v", err) // killed while it opened
				k.cmd = nil
				continue
			}
		}
		var r reply
		if _, err := k.in.Write(append(b, '\n')); err == nil && k.out.Scan() && json.Unmarshal(k.out.Bytes(), &r) == nil {
			return r
		}
		k.cmd.Wait()
		k.cmd = nil
	}
	k.t.Errorf("ten hosts ended before they answered")
	return reply{Err: "no host"}
}

// kill kills the host, whatever it does.
func (k *keeper) kill() {
	k.pid.Lock()
	defer k.pid.Unlock()
	if k.live != nil {
		k.measure()
		k.live.Kill()
	}
}

// measure takes in the memory that the host has had. The caller holds k.pid.
func (k *keeper) measure() {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", k.live.Pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) > 0 {
		n, _ := strconv.Atoi(fields[0])
		k.peak = max(k.peak, n)
	}
}

// end has the host close its home, and fails where it does not within its time.
func (k *keeper) end() {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd == nil {
		return
	}
	k.pid.Lock()
	k.measure()
	k.pid.Unlock()
	k.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- k.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			k.t.Errorf("the host ended with %v", err)
		}
	case <-time.After(time.Minute):
		k.t.Error("the host does not end")
		k.cmd.Process.Kill()
		<-ended
	}
	k.cmd = nil
}

// plugins lists the processes whose binary is below dir, but for zombies, which
// have ended.
func plugins(dir string) []string {
	var binaries []os.FileInfo
	all, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	for _, f := range all {
		if st, err := os.Stat(f); err == nil && st.Mode().IsRegular() && st.Mode()&0o100 != 0 {
			binaries = append(binaries, st)
		}
	}
	var out []string
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		st, err := os.Stat(p + "/exe")
		if err != nil {
			continue
		}
		for _, b := range binaries {
			if os.SameFile(st, b) { // a hard link, whatever its name
				out = append(out, filepath.Base(p)+" "+b.Name())
			}
		}
	}
	return out
}

// none fails where a plugin's process outlives its host.
func none(t *testing.T, dir string) {
	t.Helper()
	var left []string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = plugins(dir); len(left) == 0 {
			return
		}
	}
	t.Errorf("processes are left: %v", left)
}
