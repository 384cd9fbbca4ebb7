package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-1ae66336/vak/core"
)

// TestPowerCut takes the disk away from a host in the middle of its work: what was
// not synced by then is lost, as with the machine's power. It models no disk that
// lies about what it has synced.
func TestPowerCut(t *testing.T) {
	for _, fs := range []string{"ext4", "xfs"} {
		t.Run(fs, func(t *testing.T) { powerCut(t, fs) })
	}
}

func powerCut(t *testing.T, fs string) {
	d := newDisk(t, fs)
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("VAK_CRASH_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("VAK_CRASH_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	p := newPlatform()
	server := httptest.NewServer(p)
	defer server.Close()
	home := filepath.Join(d.dir, "home")
	most := 6
	if n, err := strconv.Atoi(os.Getenv("VAK_CRASH")); err == nil && n > 0 {
		most = n
	}
	var accepted, maybe []order
	for round := range most {
		d.mount(t)
		p.power(true)
		c := begin(t, home, server.URL)
		var mu sync.Mutex
		off := false
		timer := time.AfterFunc(time.Duration(rng.IntN(60))*time.Millisecond, func() {
			mu.Lock()
			off = true // what is acknowledged from now on may have been so too late
			mu.Unlock()
			p.power(false) // nor is anything sent without power: a sync that meets the cut may lie
			d.cut(t)
		})
		for n, alive := 0, true; alive; n++ {
			id := fmt.Sprintf("r%d-%d", round, n)
			o := order{ID: id, Target: fmt.Sprintf("chat:t%d", rng.IntN(lanes)), Text: text(id, 1+rng.IntN(4))}
			said := c.ask(o)
			mu.Lock()
			switch {
			case said == o.ID && !off:
				accepted = append(accepted, o)
			case off:
				maybe = append(maybe, o)
				alive = said == o.ID && n < 5000
			default:
				t.Errorf("with the power on the host says %q", said)
				alive = false
			}
			mu.Unlock()
		}
		timer.Stop()
		if said := c.ask(order{Target: "chat:x", ID: "late", Text: "late"}); !strings.HasPrefix(said, "!store ") || !strings.Contains(said, "; ") {
			t.Errorf("without a disk the host says %q", said)
		}
		c.kill()
		d.unmount(t)
		d.mount(t)
		kept(t, home, accepted, nil)
		attempted(t, home, p)
		d.unmount(t)
	}
	d.mount(t)
	p.power(true)
	l := settle(t, home, server.URL, append(append([]order{}, accepted...), maybe...))
	report(t, p, l, accepted, maybe, 0)
	if len(accepted) < most {
		t.Errorf("only %d jobs were accepted in %d rounds: this tests nothing", len(accepted), most)
	}
}

// attempted checks that what reached the platform is known to have been tried, and
// that of every part but the last that did the receipt is there: the next one
// waited for it.
func attempted(t *testing.T, home string, p *platform) {
	t.Helper()
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, NoDelivery: true, InProcess: plugins("http://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	last := map[string]int{}
	for _, m := range p.taken {
		last[m.Job] = max(last[m.Job], m.Part)
	}
	tried, done := map[string]map[string]bool{}, map[string]int{}
	for job := range last {
		history, err := c.JobHistory(t.Context(), job)
		if err != nil {
			t.Errorf("job %s reached the platform: %v", job, err)
			continue
		}
		tried[job] = map[string]bool{}
		for _, e := range history {
			var b struct{ Key string }
			switch json.Unmarshal(e.Body, &b); e.Kind {
			case "attempt":
				tried[job][b.Key] = true
			case "sent":
				done[job]++
			}
		}
	}
	for _, m := range p.taken {
		if !tried[m.Job][m.Key] {
			t.Errorf("job %s, part %d reached the platform, and no attempt is known", m.Job, m.Part)
		}
	}
	for job, n := range last {
		if done[job] < n {
			t.Errorf("job %s has %d receipts, and its part %d was sent", job, done[job], n)
		}
	}
}

// A disk is a file system in a file.
type disk struct{ image, dir string }

// newDisk makes a disk, or skips the test.
func newDisk(t *testing.T, fs string) *disk {
	if os.Getuid() != 0 {
		cannot(t, "only root can mount a disk")
	}
	if _, err := exec.LookPath("mkfs." + fs); err != nil {
		if fs == "xfs" {
			t.Skip("there is no mkfs.xfs")
		}
		cannot(t, "there is no mkfs."+fs)
	}
	d := &disk{image: filepath.Join(t.TempDir(), "image"), dir: t.TempDir()}
	f, err := os.Create(d.image)
	if err != nil {
		t.Fatal(err)
	}
	size, args := int64(96<<20), []string{"-q", "-F", d.image}
	if fs == "xfs" { // which makes no smaller ones
		size, args = 320<<20, []string{"-q", "-f", d.image}
	}
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if out, err := exec.Command("mkfs."+fs, args...).CombinedOutput(); err != nil {
		cannot(t, fmt.Sprintf("mkfs.%s: %v %s", fs, err, out))
	}
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.dir).CombinedOutput(); err != nil {
		cannot(t, fmt.Sprintf("a file cannot be mounted here: %v %s", err, out))
	}
	t.Cleanup(func() { unmount(t, d.dir) })
	d.unmount(t)
	return d
}

func (d *disk) mount(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.dir).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v %s", err, out)
	}
}

// unmount unmounts the disk. It is busy for a moment behind a process that was
// killed.
func (d *disk) unmount(t *testing.T) {
	t.Helper()
	err := unix.Unmount(d.dir, 0)
	for until := time.Now().Add(10 * time.Second); err == unix.EBUSY && time.Now().Before(until); err = unix.Unmount(d.dir, 0) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("unmount: %v", err)
	}
}

// cut shuts the file system down at once, its log unwritten.
func (d *disk) cut(t *testing.T) {
	const shutdown, noLogFlush = 0x8004587D, 2
	f, err := os.Open(d.dir)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if err := unix.IoctlSetPointerInt(int(f.Fd()), shutdown, noLogFlush); err != nil {
		t.Errorf("the file system does not shut down: %v", err)
	}
}
