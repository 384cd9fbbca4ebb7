package operations

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/control"
)

// couriers are the processes whose binary is the courier's, whoever started them.
func couriers(t *testing.T) (pids []int) {
	t.Helper()
	want, err := os.Stat(filepath.Join(binaries.Courier(t), "courier", "courier"))
	if err != nil {
		t.Fatal(err)
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		if st, err := os.Stat(p + "/exe"); err == nil && os.SameFile(st, want) {
			pid, _ := strconv.Atoi(filepath.Base(p))
			pids = append(pids, pid)
		}
	}
	return pids
}

// noneLeft waits until no courier runs.
func noneLeft(t *testing.T) {
	t.Helper()
	var left []int
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = couriers(t); len(left) == 0 {
			return
		}
	}
	t.Errorf("processes left: %v", left)
}

// plugin is what the status says of a process of the courier.
func (v *vak) plugin(role, account string) control.Plugin {
	v.t.Helper()
	var all []control.Plugin
	if err := json.Unmarshal([]byte(v.api("GET", "/v1/plugins")), &all); err != nil {
		v.t.Fatal(err)
	}
	for _, p := range all {
		if p.ID == "courier" && p.Role == role && p.Account == account {
			return p
		}
	}
	return control.Plugin{}
}

// PLG-02: nobody read a plugin's standard error, and it stood still.
func TestFiveMegabytesOfLog(t *testing.T) {
	o := newOffice(t, nil)
	v := begin(t, o, o.account("loud", "stderr_5mb"))
	v.send("j", "courier:a:loud", "hello")
	v.until("j", state(core.JobDelivered))
	v.Close()
	said := v.log.String()
	if len(said) > 3<<20 || !strings.Contains(said, "plugin log lines dropped") || !strings.Contains(said, "courier.transport") {
		t.Errorf("the log has %d bytes", len(said))
	}
}

// PLG-05: a transport that is killed in the middle of an answer, and then each time
// it starts. It never came back.
func TestKilledInTheMiddle(t *testing.T) {
	killed := false
	var o *office
	o = newOffice(t, func(p post) int {
		o.mu.Lock()
		defer o.mu.Unlock()
		if p.Part == 1 && !killed {
			killed = true
			syscall.Kill(p.PID, syscall.SIGKILL)
			return 0
		}
		return http.StatusOK
	})
	v := begin(t, o, o.account("other", ""))
	v.send("before", "courier:b:other", "hello")
	v.until("before", state(core.JobDelivered))
	v.until("before", func(core.Job) bool { return v.plugin("transport", "other").PID != 0 })
	spared := []int{v.plugin("transport", "other").PID, v.plugin("render", "").PID}

	v.send("j", "courier:a", parts(3))
	v.send("behind", "courier:a", "behind")
	v.until("j", waits(1)) // the outcome of its second part is not known
	v.hurry("j")
	var backoffs []time.Duration
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, pid := range couriers(t) { // each that starts
			if !slices.Contains(spared, pid) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		p := v.plugin("transport", "")
		if p.State == control.BackingOff {
			d := time.Until(p.NextTry)
			if n := len(backoffs); n == 0 || p.Failures > n {
				backoffs = append(backoffs, d)
			}
		}
		if p.State == control.Quarantined {
			break
		}
	}
	p := v.plugin("transport", "")
	if p.State != control.Quarantined || p.Failures != 5 || p.Error == nil {
		t.Fatalf("the transport is %+v", p)
	}
	if n := len(backoffs); n < 3 || backoffs[n-1] < 2*backoffs[0] {
		t.Errorf("it backed off for %v: ever longer", backoffs)
	}
	j := v.until("j", state(core.JobHeld))
	if j.Reason != "no_transport" || !j.Parked || j.Attempts > 1 || j.Sent != 1 {
		t.Errorf("what it was to send is %+v", j)
	}
	for _, target := range must(v.Targets(t.Context())) {
		if target.Why == "breaker" || target.Closed {
			t.Errorf("the target is blamed: %+v", target)
		}
	}
	v.send("other", "courier:b:other", "unharmed")
	v.until("other", state(core.JobDelivered))
	v.send("log", "log:a", "unharmed")
	v.until("log", state(core.JobDelivered))
	if p := v.plugin("transport", "other"); p.PID != spared[0] {
		t.Errorf("the other account's process is %+v, was %d", p, spared[0])
	}

	v.api("POST", "/v1/plugins/courier/restart")
	v.until("j", state(core.JobDelivered))
	v.until("behind", state(core.JobDelivered))
	var got []string
	for _, p := range o.all() {
		if p.Target.Address == "a" {
			part := fmt.Sprint(p.Job, p.Part)
			if p.possibleCopy {
				part += " again"
			}
			got = append(got, part)
		}
	}
	if want := []string{"j0", "j1", "j1 again", "j2", "behind0"}; !slices.Equal(got, want) {
		t.Errorf("it came as %q, want %q", got, want)
	}
}

// PLG-06, PLG-07: whoever a transport has started, or however it hangs, a host ends
// in time and leaves nobody behind.
func TestEndsInTime(t *testing.T) {
	for _, c := range []struct{ why, mode string }{
		{"it starts a child that holds its log open", "grandchild"},
		{"it hangs in a call", "hang"},
		{"its platform hangs", ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			var o *office
			o = newOffice(t, func(p post) int {
				if c.mode == "" {
					<-o.end
				}
				return http.StatusOK
			})
			v := begin(t, o, o.account("x", c.mode))
			v.send("j", "courier:a:x", "hello")
			switch c.mode {
			case "grandchild":
				v.until("j", state(core.JobDelivered))
			default:
				v.until("j", func(j core.Job) bool { return j.State == core.JobSending && v.plugin("transport", "x").PID != 0 })
			}
			began := time.Now()
			v.Close()
			if took := time.Since(began); took > 12*time.Second { // what is under way has five seconds
				t.Errorf("it took %v", took)
			}
			noneLeft(t)
		})
	}
}

const hostEnv = "VAK_TEST_OPERATIONS_HOME"

// host is a process that delivers until its standard input ends.
func host(home string) {
	dir := os.Getenv("VAK_TEST_OPERATIONS_PLUGINS")
	settings, _ := json.Marshal(map[string]string{"url": os.Getenv("VAK_TEST_OPERATIONS_URL")})
	c, err := core.Open(context.Background(), core.Config{
		Home: home, NoControl: true, Plugins: []string{dir}, FirstParty: []string{dir},
		Accounts: []core.Account{{Surface: "courier", Settings: settings}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("open")
	go func() {
		for n := 0; ; n++ {
			c.Deliver(context.Background(), core.Draft{Markdown: "hello"}, core.Delivery{Target: fmt.Sprint("courier:", n%5)})
			time.Sleep(5 * time.Millisecond)
		}
	}()
	bufio.NewReader(os.Stdin).ReadByte()
	c.Close()
}

// PLG-12: plugins went on without the host that was interrupted.
func TestInterrupted(t *testing.T) {
	noneLeft(t)
	o := newOffice(t, nil)
	home, dir := t.TempDir(), binaries.Courier(t)
	rng := rand.New(rand.NewPCG(7, 7))
	ran := 0
	for n := range 20 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), hostEnv+"="+home, "VAK_TEST_OPERATIONS_PLUGINS="+dir, "VAK_TEST_OPERATIONS_URL="+o.url)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
			t.Fatalf("host %d does not open", n)
		}
		time.Sleep(time.Duration(rng.IntN(250)) * time.Millisecond)
		if len(couriers(t)) > 0 {
			ran++
		}
		switch rng.IntN(4) {
		case 0:
			in.Close()
		case 1:
			cmd.Process.Signal(syscall.SIGINT)
		case 2:
			cmd.Process.Signal(syscall.SIGTERM)
		case 3:
			cmd.Process.Kill()
		}
		timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		if !timer.Stop() {
			t.Errorf("host %d did not end", n)
		}
	}
	noneLeft(t)
	if ran < 5 {
		t.Errorf("only %d hosts had a plugin: this tests nothing", ran)
	}
}
