package crash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFailedSync has the n-th sync of a host fail, for every n: from then on
// nothing is acknowledged, and what was before is there. The kernel counts the
// syncs of each thread, so that some runs see several of them fail.
func TestFailedSync(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		cannot(t, "there is no strace")
	}
	most, whole := failSync(t, 0)
	if whole == 0 {
		cannot(t, "strace cannot trace here")
	}
	if testing.Short() {
		most = min(most, 4)
	}
	failed := 0
	for n := 1; n <= most; n++ {
		if _, faults := failSync(t, n); faults > 0 {
			failed++
		}
	}
	t.Logf("%d of %d runs saw a sync fail", failed, most)
	if failed == 0 {
		t.Error("no sync failed: this tests nothing")
	}
}

// failSync runs a host in which each thread's n-th sync fails; 0: none does. It
// returns the most syncs that one thread made, and the number of those that failed
// or, with 0, of all.
func failSync(t *testing.T, n int) (most, count int) {
	t.Helper()
	p, url := takeAll(t)
	dir := t.TempDir()
	home, trace := filepath.Join(dir, "home"), filepath.Join(dir, "trace")
	args := []string{"strace", "-f", "-qq", "-o", trace, "-e", "trace=fsync,fdatasync,write", "-e", "signal=none"}
	if n > 0 {
		args = append(args, "-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", n))
	}
	args = append(args, "env", "GOMAXPROCS=1")
	var accepted, refused []order
	c, err := start(home, url, args...)
	switch {
	case err != nil && n == 0:
		return 0, 0
	case err != nil:
		if !strings.Contains(err.Error(), "; ") || !strings.Contains(err.Error(), "input/output error") {
			t.Errorf("sync %d: it does not open, and does not say why and what to do: %v", n, err)
		}
	default:
		bound(t, c)
		for i := range 6 {
			id := fmt.Sprintf("r0-%d", i)
			o := order{ID: id, Target: "chat:" + id, Text: text(id, 2)}
			switch said := c.ask(o); {
			case said == o.ID && len(refused) == 0:
				accepted = append(accepted, o)
			case strings.HasPrefix(said, "!store ") && strings.Contains(said, "; "):
				refused = append(refused, o)
			default:
				t.Errorf("sync %d: behind %d refusals the host says %q", n, len(refused), said)
			}
		}
		if len(refused) > 0 {
			if said := c.ask(order{Do: "doctor"}); !strings.Contains(said, "nothing can be written") {
				t.Errorf("sync %d: a doctor says %s", n, said)
			}
		} else if n == 0 {
			p.waitFor(t, accepted)
		}
		c.in.Close()
		for c.out.Scan() {
		}
		c.cmd.Wait() // it may well complain
	}
	syncs, faults, late := traced(t, trace)
	if late > 1 { // one may have been on its way
		t.Errorf("sync %d: %d acknowledgements behind the fault", n, late)
	}
	kept(t, home, accepted, nil)
	l := settle(t, home, url, append(accepted, refused...))
	report(t, p, l, accepted, refused, 0)
	for _, c := range syncs {
		most, count = max(most, c), count+c
	}
	if n > 0 {
		count = faults
	}
	return most, count
}

var acknowledged = regexp.MustCompile(`write\(1, "r0-\d+\\n"`)

// traced reads what strace saw: the syncs of each thread, how many failed, and
// how many acknowledgements were written behind the first that failed.
func traced(t *testing.T, name string) (syncs map[string]int, faults, late int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	syncs = map[string]int{}
	for line := range strings.Lines(string(b)) {
		thread, call, _ := strings.Cut(line, " ")
		call = strings.TrimLeft(call, " ")
		switch {
		case strings.HasPrefix(call, "fsync(") || strings.HasPrefix(call, "fdatasync("):
			syncs[thread]++
		case faults > 0 && acknowledged.MatchString(call):
			late++
		}
		if strings.Contains(call, "(INJECTED)") {
			faults++
		}
	}
	return syncs, faults, late
}
