package outbox

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// amend changes the history of a job that is being held, and lets it go.
func (b *bench) amend(id string, entries ...store.Entry) {
	b.t.Helper()
	r := b.row(id)
	r.State, r.Reason, r.Hold, r.Due = store.Pending, "", "", time.Now()
	if _, err := b.store.Commit(context.Background(), store.Commit{Jobs: []store.Put{{Row: r, Entries: entries}}}); err != nil {
		b.t.Fatal(err)
	}
	synctest.Wait()
}

func raw(kind, body string) store.Entry {
	return store.Entry{Time: time.Now(), Kind: kind, Body: json.RawMessage(body)}
}

// TestHistories gives jobs histories that this version did not write.
func TestHistories(t *testing.T) {
	for _, c := range []struct {
		why     string
		entries []store.Entry
		state   store.State
		reason  Reason
	}{
		{"kinds of a later version are skipped", []store.Entry{raw("mused", `{"about":"it"}`), raw("sighed", "")}, store.Delivered, ""},
		{"members of a later version too", []store.Entry{raw(kindReleased, `{"why":"x","mood":"good"}`)}, store.Delivered, ""},
		{"a later submission is not for us", []store.Entry{raw(kindSubmitted, `{"v":2,"job":"x"}`)}, store.Held, NewerVersion},
		{"a body that is no object", []store.Entry{raw(kindHeld, `[1]`)}, store.Held, Unreadable},
		{"a body of the wrong type", []store.Entry{raw(kindRendered, `{"parts":"all"}`)}, store.Held, Unreadable},
		{"a body that is missing", []store.Entry{raw(kindSent, "")}, store.Held, Unreadable},
		{"a receipt for a part that there is not", []store.Entry{raw(kindSent, `{"part":"7"}`)}, store.Held, Unreadable},
		{"an attempt at one that there is not", []store.Entry{raw(kindAttempt, `{"part":"0"}`)}, store.Held, Unreadable},
		{"one that was split while it was open", []store.Entry{raw(kindRendered, `{"parts":[{"id":"0","chunk":{}}]}`), raw(kindAttempt, `{"part":"0"}`), raw(kindSplit, `{"part":"0","into":[]}`)}, store.Held, Unreadable},
		{"a split of what there is not", []store.Entry{raw(kindSplit, `{"part":"9"}`)}, store.Held, Unreadable},
	} {
		t.Run(c.why, func(t *testing.T) {
			inBubble(t, nil, func(b *bench) {
				id := b.submit("chat:a", "1", posture(Digest, Normal))
				next := b.submit("chat:a", "2", posture(Digest, Normal))
				b.amend(id, c.entries...)
				b.apply(Release, next)
				b.is(id, c.state, c.reason)
				b.is(next, store.Delivered, "") // no other job
				time.Sleep(48 * time.Hour)
				b.is(id, c.state, c.reason)
				if c.state == store.Delivered {
					return
				}
				all, _ := b.store.History(context.Background(), id)
				for i, e := range c.entries { // it is left as it is
					if got := all[2+i]; got.Kind != e.Kind || !bytes.Equal(got.Body, e.Body) {
						t.Errorf("entry %d has become %+v", 2+i, got)
					}
				}
				if len(b.logLines()) == 0 || strings.Contains(b.log.String(), "mood") {
					t.Errorf("the log says %q", b.logLines())
				}
				b.apply(Retry, id)
				b.is(id, store.Held, c.reason) // it is still so
				b.apply(Discard, id)
				b.is(id, store.Discarded, ByHand)
			})
		})
	}
	t.Run("no submission at all", func(t *testing.T) {
		inBubble(t, nil, func(b *bench) {
			r := store.Row{Job: "x", Target: "chat:a", State: store.Pending, Kind: "assistant", Due: time.Now(), Created: time.Now(), Updated: time.Now()}
			p := store.Put{Row: r, New: true, Entries: []store.Entry{raw("mused", "{}")}}
			if _, err := b.store.Commit(context.Background(), store.Commit{Jobs: []store.Put{p}}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			b.is("x", store.Held, Unreadable)
		})
	})
}

// FuzzFold gives a history of any entries: it is read or refused, and never more.
func FuzzFold(f *testing.F) {
	f.Add(kindRendered, `{"parts":[{"id":"0","chunk":{"text":"x","plain":"x"}}]}`, kindAttempt, `{"part":"0"}`)
	f.Add(kindFailed, `{"part":"0","class":"unknown"}`, kindSplit, `{"part":"0","into":[{"id":"0a"},{"id":"0a"}]}`)
	f.Fuzz(func(t *testing.T, k1, b1, k2, b2 string) {
		history := []store.Entry{
			raw(kindSubmitted, `{"v":1,"job":"j","target":{"surface":"chat","address":"a"},"kind":"assistant"}`),
			raw(kindRendered, `{"parts":[{"id":"0","chunk":{"text":"x","plain":"x"}}]}`), raw(k1, b1), raw(k2, b2),
		}
		d, err := fold(store.Row{Job: "j", Target: "chat:a", State: store.Pending}, history)
		if err != nil {
			return
		}
		p, _ := d.next()
		if p == nil {
			return
		}
		for _, c := range []surface.Class{surface.Transient, surface.Payload, surface.TooLong, surface.Unknown, surface.Moved, surface.RateLimited} {
			v := judge(d, p, &surface.DeliveryError{Class: c}, setting{now: time.Now()})
			if len(v.entries) == 0 || v.row.State.Live() && v.row.State == store.Held && v.row.Reason == "" {
				t.Errorf("%s: %+v", c, v)
			}
		}
	})
}

// TestUnreadablePlatform keeps what a platform says short, and whole characters.
func TestUnreadablePlatform(t *testing.T) {
	inBubble(t, script(&surface.DeliveryError{Class: surface.Permanent, Code: strings.Repeat("é", 1000), Hint: strings.Repeat("日", 1000)}), func(b *bench) {
		id := b.submit("chat:a", "1")
		all, _ := b.store.History(context.Background(), id)
		f, err := decode[failed](all[3])
		if err != nil || len(f.Code) != maxCode || len(f.Hint) > maxHint || strings.ContainsRune(f.Hint, '�') {
			t.Errorf("kept are %d and %d bytes, %v", len(f.Code), len(f.Hint), err)
		}
	})
}
