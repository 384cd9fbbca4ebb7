package outbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A guard is a platform that counts as the real ones do, at some moment while it
// has the request, and in storms refuses what it could take.
type guard struct {
	mu            sync.Mutex
	chat, account []Rate
	came          map[string][]time.Time // what counted, by chat, and of all
	random        *rand.Rand
	global        bool          // storms are of the whole account
	wait          time.Duration // that a success asks for, now and then
	quiet         map[string]time.Time
	over          []string // what broke a rule
	stormy        int      // answers that were a storm's
}

const everybody = "everybody"

func (g *guard) chance(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.random.IntN(n)
}

// send is what the transport does with one message.
func (g *guard) send(_ context.Context, r surface.SendRequest, _ int) (surface.Receipt, error) {
	time.Sleep(time.Duration(g.chance(400)) * time.Millisecond) // on its way
	receipt, err := g.count(r.Target.Address)
	time.Sleep(time.Duration(g.chance(400)) * time.Millisecond) // and back
	return receipt, err
}

func (g *guard) count(chat string) (surface.Receipt, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for name, rates := range map[string][]Rate{chat: g.chat, everybody: g.account} {
		for _, rate := range rates {
			n := 0
			for _, at := range g.came[name] {
				if now.Sub(at) < rate.Per {
					n++
				}
			}
			if n >= rate.Messages {
				g.over = append(g.over, fmt.Sprintf("%s: %d in %s", name, n+1, rate.Per))
			}
		}
		if now.Before(g.quiet[name]) {
			g.over = append(g.over, fmt.Sprintf("%s: %s too early", name, g.quiet[name].Sub(now)))
		}
		g.came[name] = append(g.came[name], now)
	}
	if g.random.IntN(3) == 0 && now.Second() < 20 { // a storm in each minute
		g.stormy++
		after := time.Duration(500+g.random.IntN(15_000)) * time.Millisecond
		name := chat
		if g.global {
			name = everybody
		}
		g.hush(name, now.Add(after))
		return surface.Receipt{}, &surface.DeliveryError{Class: surface.RateLimited, RetryAfter: after, Account: g.global}
	}
	receipt := surface.Receipt{Refs: []surface.Ref{{ID: "m"}}}
	if g.wait > 0 && g.random.IntN(4) == 0 {
		receipt.Wait = g.wait
		g.hush(chat, now.Add(g.wait))
	}
	return receipt, nil
}

// hush notes what was asked for. Those that are on their way already come all the
// same, which is no fault: so it is only looked at where one goes at a time.
func (g *guard) hush(name string, until time.Time) {
	if len(g.chat) > 0 && g.chat[0].Messages == 1 && name != everybody && until.After(g.quiet[name]) {
		g.quiet[name] = until
	}
}

// TestRates has jobs of all kinds go to a few chats at once, in several turns and
// threads, while the platform answers in storms that it has too much: nothing
// comes faster than the platform allows, in any span of time, and all of it
// arrives in order.
func TestRates(t *testing.T) {
	telegram := []Rate{{1, time.Second}}
	group := []Rate{{1, time.Second}, {20, time.Minute}}
	discord := []Rate{{5, 5 * time.Second}}
	for _, c := range []struct {
		why           string
		chat, account []Rate
		global        bool
		wait          time.Duration
		restart       bool
	}{
		{why: "a chat of Telegram", chat: telegram, account: []Rate{{30, time.Second}}},
		{why: "a group", chat: group, account: []Rate{{30, time.Second}}},
		{why: "a group, over ends of the process", chat: group, account: []Rate{{30, time.Second}}, restart: true},
		{why: "an account that is too small for its chats", chat: telegram, account: []Rate{{2, time.Second}}, global: true},
		{why: "a channel of Discord, which says when it has enough", chat: discord, account: []Rate{{50, time.Second}}, wait: 3 * time.Second},
		{why: "storms for the whole bot", chat: discord, account: []Rate{{50, time.Second}}, global: true},
		{why: "a success that asks for a long rest", chat: telegram, wait: time.Minute},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := &guard{
				chat: c.chat, account: c.account, global: c.global, wait: c.wait, came: map[string][]time.Time{}, quiet: map[string]time.Time{},
				random: rand.New(rand.NewPCG(1, 2)),
			}
			inBubble(t, nil, func(b *bench) {
				b.platform.receipt = g.send
				b.traits = Traits{Chat: c.chat, Account: c.account}
				var all []string
				for i := range 15 {
					turn := func(s *Submission) { s.Turn.Seq = ledger.Seq(i + 1) }
					for _, chat := range []string{"chat:a", "chat:a/7", "chat:b", "chat:c"} {
						all = append(all,
							b.submit(chat, fmt.Sprintf("p%02d", i), kind(surface.Progress), turn),
							b.submit(chat, fmt.Sprintf("t%02d", i), kind(surface.ToolResult)),
							b.submit(chat, fmt.Sprintf("a%02d.1|a%02d.2", i, i)))
						if i%4 == 0 {
							all = append(all, b.submit(chat, fmt.Sprintf("!%02d", i), kind(surface.Alert)))
						}
					}
					time.Sleep(1700 * time.Millisecond)
					if i%5 == 2 && c.restart {
						b.kill()
					}
				}
				time.Sleep(4 * time.Hour)
				for _, id := range all {
					if r := b.row(id); r.State != store.Delivered {
						t.Errorf("job %s is %s (%s)", id, r.State, r.Reason)
					}
				}
				inLaneOrder(t, b)
			})
			for _, v := range g.over {
				t.Error(v)
			}
			if g.stormy < 10 {
				t.Errorf("only %d answers were a storm's", g.stormy)
			}
		})
	}
}

// inLaneOrder checks that the answers of each lane came in their order, whose
// texts are in the order of the alphabet.
func inLaneOrder(t *testing.T, b *bench) {
	t.Helper()
	lanes := map[string][]string{}
	for _, r := range b.platform.accepted() {
		if text := bare(r.text); strings.HasPrefix(strings.Trim(text, "<>"), "a") && !strings.Contains(r.text, "duplicate") {
			lane := r.Target.String()
			lanes[lane] = append(lanes[lane], text)
		}
	}
	if len(lanes) != 4 {
		t.Errorf("%d lanes", len(lanes))
	}
	for lane, texts := range lanes {
		if !slices.IsSorted(texts) {
			t.Errorf("%s got %v", lane, texts)
		}
	}
}

// TestPutOff has a chat ask for a long rest: its job leaves its place to others,
// waits without a claim, keeps its order, and those that expire do.
func TestPutOff(t *testing.T) {
	inBubble(t, nil, func(b *bench) {
		b.workers = 1
		b.restart()
		b.platform.receipt = func(_ context.Context, r surface.SendRequest, n int) (surface.Receipt, error) {
			if n == 1 {
				return surface.Receipt{Wait: time.Hour}, nil
			}
			return surface.Receipt{}, nil
		}
		id := b.submit("chat:a", "1|2")
		thread := b.submit("chat:a/7", "3")
		ask := b.submit("chat:a", "ok?", kind(surface.Approval), func(s *Submission) { s.Expires = b.now().Add(10 * time.Minute) })
		other := b.submit("chat:b", "4")
		b.is(id, store.Pending, "")
		b.is(thread, store.Pending, "")
		b.is(other, store.Delivered, "")
		if r := b.row(id); r.Part != 1 || r.Attempts != 0 || r.Due.Sub(b.now()) != time.Hour {
			t.Errorf("it is %+v", r)
		}
		time.Sleep(11 * time.Minute)
		b.restart() // it is known behind that too
		time.Sleep(48 * time.Minute)
		b.asked(2)
		time.Sleep(2 * time.Minute)
		b.is(ask, store.DeadLetter, Expired)
		b.is(id, store.Delivered, "")
		b.is(thread, store.Delivered, "")
		b.asked(4)
	})
}

// TestAccountRest has a platform want nothing from a whole account: its other
// chats wait, another account does not, and what expires meanwhile is not sent.
func TestAccountRest(t *testing.T) {
	inBubble(t, func(_ context.Context, _ surface.SendRequest, n int) error {
		if n == 1 {
			return &surface.DeliveryError{Class: surface.RateLimited, RetryAfter: time.Hour, Account: true}
		}
		return nil
	}, func(b *bench) {
		b.traits.Window = 2 * time.Minute
		id, next := b.submit("chat:a", "1"), b.submit("chat:b", "2")
		ask := b.submit("chat:b", "ok?", kind(surface.Approval), func(s *Submission) { s.Expires = b.now().Add(10 * time.Minute) })
		other := b.submit("chat:b:second", "3")
		b.is(other, store.Delivered, "")
		b.is(id, store.Pending, "")
		b.is(next, store.Pending, "")
		time.Sleep(11 * time.Minute)
		b.is(ask, store.DeadLetter, Expired)
		time.Sleep(time.Hour)
		b.is(id, store.Delivered, "")
		b.is(next, store.Delivered, "")
	})
}

// TestMarkedBehindItsWait keeps a message that may have arrived from being sent
// again as one that the platform still knows, when it no longer does because of
// the wait for its turn.
func TestMarkedBehindItsWait(t *testing.T) {
	var b *bench
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		switch {
		case n == 1:
			return errTaken
		case r.Target.Address == "b" && n == 2:
			return &surface.DeliveryError{Class: surface.RateLimited, RetryAfter: 10 * time.Minute, Account: true}
		}
		return nil
	}, func(made *bench) {
		b = made
		b.traits.Window = 2 * time.Minute
		b.submit("chat:a", "1")
		b.submit("chat:b", "2")
		synctest.Wait()
		time.Sleep(time.Hour)
		b.got("a", "<1>", "(possible duplicate) <1>")
	})
}
