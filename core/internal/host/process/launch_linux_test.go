package process

import (
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLaunchThread: the main thread never ends, so what is bound to its end never
// happens, and it would stay confined. In a simple program a locked goroutine
// lands on it nearly every time.
func TestLaunchThread(t *testing.T) {
	var wg sync.WaitGroup
	for range 200 {
		wg.Add(1)
		onLaunchThread(func() {
			defer wg.Done()
			if unix.Gettid() == unix.Getpid() {
				t.Error("on the main thread")
			}
		})
	}
	wg.Wait()
}
