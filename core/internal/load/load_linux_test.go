package load

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/outbox"
)

// A plan is how much is sent, for how long, and what is killed meanwhile.
type plan struct {
	messages   int
	during     time.Duration
	within     time.Duration // all of it has arrived, or the test fails
	tempo      outbox.Tempo
	hosts      int // kills
	transports int
	hard       int // messages at which a platform fails so often that its lane passes them
}

const lanes = 100

// planned is a few seconds' work, or as many messages as VAK_LOAD says.
func planned() plan {
	n, err := strconv.Atoi(os.Getenv("VAK_LOAD"))
	if err != nil || n <= 0 {
		return plan{messages: 500, during: 4 * time.Second, within: time.Minute, tempo: 50, hosts: 2, transports: 4}
	}
	during := max(time.Duration(n)*18*time.Millisecond, 5*time.Second)
	return plan{messages: n, during: during, within: 5 * time.Minute, tempo: 5, hosts: max(n/800, 2), transports: max(n/200, 4), hard: 5}
}

// TestLoad has a home deliver to a hundred targets while everything fails that can,
// and looks at what arrived.
func TestLoad(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("VAK_LOAD_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("VAK_LOAD_SEED=%d", seed)
	w := planned()
	dir := filepath.Join(filepath.Dir(binaries.Build(t)), "plugins")
	p := begin(t, seed, w.tempo)
	k := &keeper{t: t, setup: setup{Home: t.TempDir(), Plugins: dir, URLs: p.urls(), Tempo: w.tempo}}
	random := rand.New(rand.NewPCG(seed, 1))

	orders := plannedOrders(w, random)
	accepted := map[string]time.Time{} // by id
	killed := make(chan int)
	stop := make(chan struct{})
	begun := time.Now()
	go func() { killed <- k.havoc(w, rand.New(rand.NewPCG(seed, 2)), stop) }()
	for i, o := range orders {
		time.Sleep(time.Until(begun.Add(w.during * time.Duration(i) / time.Duration(len(orders)))))
		if r := k.ask(o); r.Err != "" {
			t.Fatalf("%s was not accepted: %s", o.ID, r.Err)
		}
		accepted[o.ID] = time.Now()
	}
	close(stop)
	transports := <-killed

	left := -1
	for end := time.Now().Add(w.within); left != 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		r := k.ask(order{Do: "left"})
		if r.Err != "" {
			t.Fatal(r.Err)
		}
		left = r.Left
	}
	took := time.Since(begun)
	if left != 0 {
		t.Errorf("%d jobs are left after %s", left, took)
	}
	s := k.ask(order{Do: "sum"})
	if s.Err != "" {
		t.Error(s.Err)
	}
	k.end()
	none(t, dir)
	repeats := hold(t, p, s.Sum, orders)
	figures(t, p, k, s.Sum, orders, accepted, took, transports, repeats)
}

// plannedOrders are the messages: for each target as many as for any other, in
// random order, most of them short, some of several messages, a few that their
// platform refuses for good.
func plannedOrders(w plan, random *rand.Rand) []order {
	var out []order
	next := map[int]int{}
	for len(out) < w.messages {
		for _, lane := range random.Perm(lanes) {
			n := next[lane]
			next[lane]++
			paragraphs := 1
			switch {
			case random.IntN(40) == 0:
				paragraphs = 40 // more than one message, but for webhooks
			case random.IntN(8) == 0:
				paragraphs = 3
			}
			var text []string
			for p := range paragraphs {
				text = append(text, fmt.Sprintf("x%dx%dx%dx %s", lane, n, p, strings.Repeat("some *words* and `code` for a reader. ", 1+random.IntN(4))))
			}
			if random.IntN(200) == 0 {
				text[0] += refusedWord
			}
			if w.hard > 0 && paragraphs == 1 && len(out)%(w.messages/w.hard) == lanes && !strings.Contains(text[0], refusedWord) {
				text[0] += hardWord
			}
			out = append(out, order{ID: fmt.Sprintf("x%dx%d", lane, n), Target: target(lane), Text: strings.Join(text, "\n\n")})
		}
	}
	return out[:w.messages]
}

// havoc kills the host and transports at random moments, and returns how many
// transports it killed. A transport that dies five times within ten minutes is
// quarantined until somebody mends it, so no host sees so many.
func (k *keeper) havoc(w plan, random *rand.Rand, stop <-chan struct{}) (transports int) {
	type blow struct {
		at   time.Duration
		host bool
	}
	var blows []blow
	for i := range w.hosts { // one in each share of the time, so that each has work in hand
		share := w.during / time.Duration(w.hosts)
		blows = append(blows, blow{share*time.Duration(i) + share/4 + time.Duration(random.Int64N(int64(share/2))), true})
	}
	for range w.transports {
		blows = append(blows, blow{w.during/20 + time.Duration(random.Int64N(int64(w.during*9/10))), false})
	}
	slices.SortFunc(blows, func(a, b blow) int { return int(a.at - b.at) })
	begun := time.Now()
	died := map[string]int{} // transports of this host
	for _, b := range blows {
		select {
		case <-stop:
		case <-time.After(time.Until(begun.Add(b.at))):
		}
		if b.host {
			k.kill()
			clear(died)
			continue
		}
		pids := k.ask(order{Do: "transports"}).PIDs
		names := slices.Sorted(maps.Keys(pids))
		names = slices.DeleteFunc(names, func(n string) bool { return died[n] >= 3 })
		if len(names) == 0 {
			continue
		}
		name := names[random.IntN(len(names))]
		died[name]++
		if syscall.Kill(pids[name], syscall.SIGKILL) == nil {
			transports++
		}
	}
	return transports
}

// hold holds what arrived against what was accepted, and returns how many repeats
// there were.
func hold(t *testing.T, p *platforms, s summary, orders []order) (repeats int) {
	t.Helper()
	got := p.arrived()
	for _, o := range orders {
		if strings.Contains(o.Text, refusedWord) {
			if s.Dead[o.ID] != "refused" {
				t.Errorf("%s is %q, want a dead letter that was refused", o.ID, s.Dead[o.ID])
			}
			delete(s.Dead, o.ID)
		}
	}
	for id, why := range s.Dead {
		t.Errorf("%s is a dead letter: %s", id, why)
	}
	for _, v := range s.Wrong {
		t.Error(v)
	}
	seen := map[string]map[string]bool{} // marks by target
	for to, texts := range got {
		seen[to] = map[string]bool{}
		last := [2]int{-1, -1}
		for _, text := range texts {
			marks := mark.FindAllStringSubmatch(text, -1)
			repeat := false
			for _, m := range marks {
				if seen[to][m[0]] {
					repeat = true
					continue
				}
				seen[to][m[0]] = true
				job, _ := strconv.Atoi(m[2])
				part, _ := strconv.Atoi(m[3])
				if s.Moved["x"+m[1]+"x"+m[2]] {
					continue // others were allowed to pass it
				}
				if job < last[0] || job == last[0] && part < last[1] {
					t.Errorf("%s: %s came behind job %d, part %d", to, m[0], last[0], last[1])
				}
				last = [2]int{job, part}
			}
			if repeat {
				repeats++
				if !strings.Contains(text, "possible duplicate") {
					t.Errorf("%s: a repeat of %v does not say so", to, marks[0][0])
				}
			}
		}
	}
	for _, o := range orders {
		refused := strings.Contains(o.Text, refusedWord)
		for _, m := range mark.FindAllString(o.Text, -1) {
			if !refused && !seen[o.Target][m] {
				t.Errorf("%s did not arrive at %s", m, o.Target)
			}
		}
		for _, m := range mark.FindAllString(o.Text, -1) {
			delete(seen[o.Target], m)
		}
	}
	for to, rest := range seen {
		if len(rest) > 0 {
			t.Errorf("%s got %d paragraphs from nowhere", to, len(rest))
		}
	}
	return repeats
}

// figures prints what was measured.
func figures(t *testing.T, p *platforms, k *keeper, s summary, orders []order, accepted map[string]time.Time, took time.Duration, transports, repeats int) {
	t.Helper()
	var waits []time.Duration
	faults, requests := map[string]int{}, 0
	for _, w := range p.weather {
		w.mu.Lock()
		for id, at := range accepted {
			if first, ok := w.first[id+"x0x"]; ok {
				waits = append(waits, max(first.Sub(at), 0))
			}
		}
		for f, n := range w.faults {
			faults[f] += n
		}
		requests += w.requests
		w.mu.Unlock()
	}
	slices.Sort(waits)
	known := 0 // posts that the receiver of webhooks recognised
	for _, m := range p.webhook.Messages() {
		known += m.Posts - 1
	}
	size := int64(0)
	filepath.WalkDir(filepath.Join(k.setup.Home, "journal"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	failed := 0
	for _, n := range s.Failed {
		failed += n
	}
	percentile := func(p int) time.Duration { return waits[len(waits)*p/100].Round(time.Millisecond) }
	t.Logf("%d messages to %d targets in %s, %.0f a second, at %d times the usual tempo; %d requests, %d overruns %v",
		len(orders), lanes, took.Round(100*time.Millisecond), float64(len(orders))/took.Seconds(), k.setup.Tempo, requests, total(p.overruns()), p.overruns())
	t.Logf("from accepted to arrived: p50 %s, p99 %s, longest %s", percentile(50), percentile(99), waits[len(waits)-1].Round(time.Millisecond))
	t.Logf("%d hosts and %d transports killed; faults %v", k.starts-1, transports, faults)
	t.Logf("%d attempts failed, %d of them with no known outcome; %d said that they may be repeats, %d were; the receiver of webhooks knew %d; %d jobs were passed",
		failed, s.Unknown, s.Marked, repeats, known, len(s.Moved))
	t.Logf("failed: %v", s.Failed)
	t.Logf("peak memory of a host %.0f MB, journal %.1f MB", float64(k.peak)/1024, float64(size)/1e6)
	if want := planned(); k.starts-1 < want.hosts {
		t.Errorf("only %d hosts were killed, want %d", k.starts-1, want.hosts)
	}
	if planned().hard > 0 && len(s.Moved) == 0 {
		t.Error("no lane has passed a job")
	}
	if n := total(p.overruns()); n > 0 {
		t.Errorf("%d requests came faster than the platforms allow", n)
	}
}

func total(all map[string]int) (n int) {
	for _, k := range all {
		n += k
	}
	return n
}
