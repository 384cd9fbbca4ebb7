package outbox

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestReceipts is a second part that fails five times: the attempts after that
// begin at it, whatever happens to the process.
func TestReceipts(t *testing.T) {
	for _, c := range []struct {
		why  string
		then func(*bench)
	}{
		{"the process goes on", func(*bench) {}},
		{"it is restarted", (*bench).restart},
		{"it is killed", (*bench).kill},
	} {
		t.Run(c.why, func(t *testing.T) {
			fails := 5
			inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
				if r.Part == 1 && fails > 0 {
					fails--
					return server()
				}
				return nil
			}, func(b *bench) {
				id := b.submit("chat:a", "1|2|3")
				if r := b.row(id); r.Part != 1 || r.Of != 3 {
					t.Errorf("%d of %d parts are on disk as sent while the second is tried", r.Part, r.Of)
				}
				for range 6 {
					time.Sleep(30 * time.Minute)
					c.then(b)
				}
				b.is(id, store.Delivered, "")
				b.got("a", "<1>", "<2>", "<3>")
				b.asked(8)
				if b.renderer.calls != 1 {
					t.Errorf("it was rendered %d times", b.renderer.calls)
				}
			})
		})
	}
}

// TestOnDiskFirst looks at what is written down while a request is under way.
func TestOnDiskFirst(t *testing.T) {
	var b *bench
	var seen []string
	inBubble(t, func(_ context.Context, r surface.SendRequest, _ int) error {
		seen = append(seen, b.history(r.Job))
		return nil
	}, func(bench *bench) {
		b = bench
		id := b.submit("chat:a", "1|2")
		want := []string{"submitted rendered attempt", "submitted rendered attempt sent attempt"}
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("on disk were %q, want %q", seen, want)
		}
		if got := b.history(id); got != want[1]+" sent" {
			t.Errorf("at the end: %s", got)
		}
	})
}

// TestCutOff kills the process at every request, before and after the platform
// took it: what has a receipt is not sent again, the rest says so.
func TestCutOff(t *testing.T) {
	for at := 1; at <= 4; at++ {
		for _, taken := range []bool{false, true} {
			t.Run(fmt.Sprintf("at request %d, taken %v", at, taken), func(t *testing.T) {
				var b *bench
				inBubble(t, func(ctx context.Context, _ surface.SendRequest, n int) error {
					if n != at {
						return nil
					}
					_ = b.store.Close()
					if taken {
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				}, func(bench *bench) {
					b = bench
					id := b.submit("chat:a", "1|2|3|4")
					b.kill()
					time.Sleep(time.Minute)
					b.is(id, store.Delivered, "")
					var want []string
					for i := 1; i <= 4; i++ {
						text := fmt.Sprintf("<%d>", i)
						if i == at {
							if taken {
								want = append(want, text)
							}
							text = "(possible duplicate) " + text
						}
						want = append(want, text)
					}
					b.got("a", want...)
					b.asked(5)
					if got := b.row(id).Attempts + b.target("chat:a").Failures; got != 0 {
						t.Error("our own end counts as a failure of the platform")
					}
				})
			})
		}
	}
}

// TestReceiptThatIsNotWritten is a disk that fails at the one write that counts,
// and three restarts: one repeat, not one for each.
func TestReceiptThatIsNotWritten(t *testing.T) {
	var b *bench
	inBubble(t, func(_ context.Context, _ surface.SendRequest, n int) error {
		if n == 1 {
			_ = b.store.Close()
		}
		return nil
	}, func(bench *bench) {
		b = bench
		id := b.submit("chat:a", "1")
		for range 3 {
			b.kill()
			time.Sleep(time.Hour)
		}
		b.is(id, store.Delivered, "")
		b.got("a", "<1>", "(possible duplicate) <1>")
	})
}

// TestKeys has parts with keys of their own, the same over restarts.
func TestKeys(t *testing.T) {
	var b *bench
	inBubble(t, func(_ context.Context, r surface.SendRequest, n int) error {
		switch n {
		case 1:
			return server()
		case 3:
			_ = b.store.Close()
		}
		return nil
	}, func(bench *bench) {
		b = bench
		b.traits.Window = -1
		b.submit("chat:a", "1|2|3|4")
		time.Sleep(time.Minute)
		b.kill()
		time.Sleep(time.Minute)
		b.got("a", "<1>", "<2>", "<2>", "<3>", "<4>")
		keys := map[string][]string{}
		for _, r := range b.platform.all() {
			if len(r.Key) == 0 || len(r.Key) > 25 || strings.Trim(r.Key, "abcdefghijklmnopqrstuvwxyz234567") != "" {
				t.Errorf("%q is no key for every platform", r.Key)
			}
			keys[r.Key] = append(keys[r.Key], r.text)
		}
		if len(keys) != 4 {
			t.Errorf("the keys are %v, want one for each part", keys)
		}
	})
	if a, b := key("j", "1", surface.FormText), key("j", "1", surface.FormPlain); a == b {
		t.Error("two forms of a part have one key: the platform would swallow the second")
	}
	if a, b := key("j1", "1", surface.FormText), key("j", "11", surface.FormText); a == b {
		t.Error("two jobs have one key")
	}
}

// TestFullDisk has no room for a receipt for a while: nobody forgets it.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		b.stop()
		full := &fullStore{Store: b.store}
		o, err := New(t.Context(), Config{Store: full, Renderer: b.renderer, Transports: b.platform, Log: b.outbox.log, Now: b.now, Chance: func() float64 { return 0.5 }})
		if err != nil {
			t.Fatal(err)
		}
		b.outbox = o
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); o.Run(ctx) }()
		b.platform.how = func(context.Context, surface.SendRequest, int) error { full.set(true); return nil }
		id := b.submit("chat:a", "1")
		time.Sleep(time.Hour)
		b.is(id, store.Sending, "")
		full.set(false)
		time.Sleep(time.Minute)
		b.is(id, store.Delivered, "")
		b.got("a", "<1>")
		cancel()
		<-done
	})
}

// TestPacketKey has a receiver of packets know one again whatever form of its text
// is tried: the packet is the same. Elsewhere another form is another message.
func TestPacketKey(t *testing.T) {
	for to, same := range map[string]bool{"hook:a": true, "chat:a": false} {
		inBubble(t, func(_ context.Context, _ surface.SendRequest, n int) error {
			if n == 1 {
				return &surface.DeliveryError{Class: surface.Payload}
			}
			return nil
		}, func(b *bench) {
			b.is(b.submit(to, "1"), store.Delivered, "")
			all := b.platform.all()
			if len(all) != 2 || all[0].Form == all[1].Form || (all[0].Key == all[1].Key) != same {
				t.Errorf("%s: %+v", to, all)
			}
		})
	}
}
