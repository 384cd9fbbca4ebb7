package crash

import (
	"strings"
	"sync"
	"testing"
)

// TestTwoHosts starts two hosts on one home at the same moment, again and again:
// one runs, and the other says who does.
func TestTwoHosts(t *testing.T) {
	home := t.TempDir()
	for range 20 {
		var both [2]*child
		var errs [2]error
		var work sync.WaitGroup
		for i := range both {
			work.Go(func() { both[i], errs[i] = start(home, "http://127.0.0.1:1") })
		}
		work.Wait()
		runs := 0
		for i, c := range both {
			switch {
			case errs[i] == nil:
				runs++
				c.kill()
			case !strings.Contains(errs[i].Error(), "is held by process"):
				t.Errorf("the other says %v", errs[i])
			}
		}
		if runs != 1 {
			t.Errorf("%d hosts ran", runs)
		}
	}
}
