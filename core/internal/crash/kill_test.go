package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
)

// rounds is how often the host is killed: a few times, or as often as VAK_CRASH
// says.
func rounds(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("VAK_CRASH"))
	if err != nil || n <= 0 {
		if testing.Short() {
			return 5
		}
		return 40
	}
	t.Logf("%d rounds", n)
	return n
}

// TestKill kills a host again and again, in the middle of whatever it does and
// with a message on its way, and has it get to the end of its work at last.
func TestKill(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("VAK_CRASH_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("VAK_CRASH_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	p := newPlatform()
	p.refused, p.rand = 5, rand.New(rand.NewPCG(seed, 2))
	server := httptest.NewServer(p)
	defer server.Close()
	home := t.TempDir()

	var accepted []order
	kills, maybe := 0, []order{} // accepted, or not: the host died before it could say
	for round := range rounds(t) {
		c, err := start(home, server.URL)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		var once sync.Once
		dead := make(chan struct{})
		kill := func() { once.Do(func() { c.kill(); close(dead) }) }
		inHand := rng.IntN(2) == 0
		pause := time.Duration(rng.IntN(40)) * time.Millisecond
		if inHand {
			p.arm(func() { go kill() }, rng.IntN(2) == 0, rng.IntN(6))
			pause = 2 * time.Second // should no message come
		}
		timer := time.AfterFunc(pause, kill)
		for n := 0; ; n++ {
			id := fmt.Sprintf("r%d-%d", round, n)
			o := order{ID: id, Target: fmt.Sprintf("chat:t%d", rng.IntN(lanes)), Text: text(id, 1+rng.IntN(4))}
			if !c.accept(o) {
				maybe = append(maybe, o)
				break
			}
			accepted = append(accepted, o)
			if n >= 30 { // enough to do for one round
				break
			}
		}
		<-dead
		timer.Stop()
		p.arm(nil, false, 0)
		kills++
	}
	l := settle(t, home, server.URL, append(slices.Clone(accepted), maybe...))
	report(t, p, l, accepted, maybe, kills)
}

// lanes is the number of targets: a lane whose message was on its way when the
// host was killed waits for some seconds, and others have to be there.
const lanes = 60

// power has the platform there or away.
func (p *platform) power(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = !on
}

// text has paragraphs of words that are like no others.
func text(id string, paragraphs int) string {
	var out []string
	for i := range paragraphs {
		var words []string
		for w := range 5 {
			words = append(words, fmt.Sprintf("%s:%d:%d", id, i, w))
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "\n\n")
}

// A log is what the histories of the jobs say.
type log struct {
	receipts map[string]int  // by key, the number of the message
	parked   map[string]bool // jobs that others were allowed to pass
}

// settle has a host work off all that is left, and returns what the histories of
// the jobs say.
func settle(t *testing.T, home, url string, submitted []order) log {
	t.Helper()
	c, err := core.Open(t.Context(), core.Config{Home: home, NoControl: true, InProcess: plugins(url)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	until := time.Now().Add(2*time.Minute + time.Duration(len(submitted))*20*time.Millisecond)
	for left := -1; left != 0 && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		left = 0
		for j, err := range c.Jobs(t.Context(), core.JobFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			left++
			if j.State == core.JobHeld || j.State == core.JobPending && time.Until(j.Due) > 0 { // no need to wait for it
				c.Act(context.Background(), core.Retry, j.ID)
			}
		}
	}
	for j := range c.Jobs(t.Context(), core.JobFilter{}) {
		t.Errorf("left: %+v", j)
	}
	l := log{receipts: map[string]int{}, parked: map[string]bool{}}
	for _, o := range submitted {
		history, err := c.JobHistory(t.Context(), o.ID)
		if errors.Is(err, core.ErrNotFound) { // one in doubt that was not accepted
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		l.collect(t, o.ID, history)
	}
	return l
}

// collect adds what one job's history says, and fails where a part was tried
// again that had a receipt.
func (l *log) collect(t *testing.T, id string, history []core.JobEvent) {
	t.Helper()
	keys, done := map[string]string{}, map[string]bool{}
	for _, e := range history {
		var b struct {
			Part string
			Key  string
			Refs []struct{ ID string }
		}
		if err := json.Unmarshal(e.Body, &b); err != nil {
			continue // it has no body
		}
		switch e.Kind {
		case "attempt":
			if done[b.Part] {
				t.Errorf("job %s: part %s was tried again behind its receipt", id, b.Part)
			}
			keys[b.Part] = b.Key
		case "sent":
			done[b.Part] = true
			n, err := strconv.Atoi(strings.TrimPrefix(b.Refs[0].ID, "m"))
			if err != nil {
				t.Errorf("job %s: receipt %+v", id, b.Refs)
			}
			l.receipts[keys[b.Part]] = n
		case "held":
			l.parked[id] = true
		}
	}
}

// report holds what arrived against what was accepted.
func report(t *testing.T, p *platform, l log, accepted, maybe []order, kills int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	known := map[string]order{}
	for _, o := range append(accepted, maybe...) {
		known[o.ID] = o
	}
	first := map[string]map[string]bool{} // words by job, without their marks
	unmarked := map[string]int{}          // by key
	var order []string                    // of first parts, by target
	marked := 0
	for i, m := range p.taken {
		if n, ok := l.receipts[m.Key]; ok && i+1 > n {
			t.Errorf("key %s of job %s came as m%d behind its receipt for m%d", m.Key, m.Job, i+1, n)
		}
		body, isMarked := strings.CutPrefix(m.Text, "(possible duplicate)\n")
		if isMarked {
			marked++
		} else {
			unmarked[m.Key]++
		}
		if first[m.Job] == nil {
			first[m.Job] = map[string]bool{}
			if !l.parked[m.Job] {
				order = append(order, m.Target+" "+m.Job)
			}
		}
		for _, word := range strings.Fields(body) {
			first[m.Job][word] = true
		}
	}
	repeats := 0
	for key, n := range unmarked {
		if n > 1 {
			t.Errorf("key %s came %d times without saying that it may be a duplicate", key, n)
		}
		repeats += p.copies[key] - 1
	}
	for _, o := range accepted {
		if o.arrived(first[o.ID]) {
			continue
		}
		t.Errorf("job %s was accepted and did not arrive: %v", o.ID, first[o.ID])
	}
	for id := range first {
		if _, ok := known[id]; !ok {
			t.Errorf("job %s came from nowhere", id)
		}
	}
	inOrder(t, order)
	share := 100 * p.struck / max(kills, 1)
	t.Logf("%d kills, %d %% of them with a message on its way; %d jobs accepted, %d in doubt; %d messages, %d repeated, %d marked",
		kills, share, len(accepted), len(maybe), len(p.taken), repeats, marked)
	if kills >= 20 && share < 30 {
		t.Errorf("%d %% of the kills hit a message on its way, want 30", share)
	}
}

// arrived reports whether every word came.
func (o order) arrived(got map[string]bool) bool {
	for _, want := range strings.Fields(o.Text) {
		if !got[want] {
			return false
		}
	}
	return true
}

// inOrder checks that the jobs of each target began in the order of their ids:
// rounds, and numbers in them.
func inOrder(t *testing.T, order []string) {
	t.Helper()
	last := map[string][2]int{}
	for _, o := range order {
		target, id, _ := strings.Cut(o, " ")
		var at [2]int
		if _, err := fmt.Sscanf(id, "r%d-%d", &at[0], &at[1]); err != nil {
			t.Fatalf("job %s has no number", id)
		}
		if was, ok := last[target]; ok && (at[0] < was[0] || at[0] == was[0] && at[1] < was[1]) {
			t.Errorf("%s: job %s came behind r%d-%d", target, id, was[0], was[1])
		}
		last[target] = at
	}
}
