package fake

import "time"

// A Rate is what a platform takes: so many messages in any span of time.
type Rate struct {
	Messages int
	Per      time.Duration
}

// Rates says what a chat takes, edits included, and for the empty name what all
// chats of the bot take together. What comes faster is refused as the platform
// does it, and counted by [Server.Overruns].
type Rates func(chat string) []Rate

// A meter counts what was taken, by chat. Its zero value is ready.
type meter struct {
	taken map[string][]time.Time
}

// take counts a message of a chat. Where it comes too fast it returns how long to
// wait, and whether it is the bot as a whole that is too fast.
func (m *meter) take(rates Rates, chat string, now time.Time) (wait time.Duration, all bool) {
	if rates == nil {
		return 0, false
	}
	for _, name := range []string{chat, ""} {
		if w := m.wait(rates(name), name, now); w > wait {
			wait, all = w, name == ""
		}
	}
	if wait > 0 {
		return wait, all
	}
	if m.taken == nil {
		m.taken = map[string][]time.Time{}
	}
	for _, name := range []string{chat, ""} {
		m.taken[name] = append(m.taken[name], now)
	}
	return 0, false
}

// wait forgets what is of no use any more, and returns how long a name has to
// wait for its next message.
func (m *meter) wait(rates []Rate, name string, now time.Time) (wait time.Duration) {
	var longest time.Duration
	for _, r := range rates {
		longest = max(longest, r.Per)
	}
	at := m.taken[name]
	for len(at) > 0 && now.Sub(at[0]) >= longest {
		at = at[1:]
	}
	if at != nil {
		m.taken[name] = at
	}
	for _, r := range rates {
		if i := len(at) - r.Messages; i >= 0 {
			wait = max(wait, r.Per-now.Sub(at[i]))
		}
	}
	return wait
}

// left is how many messages a chat takes yet by its first rate, and how long
// until that is full again.
func (m *meter) left(rates Rates, chat string, now time.Time) (n int, reset time.Duration) {
	r := rates(chat)[0]
	n = r.Messages
	for _, at := range m.taken[chat] {
		if rest := r.Per - now.Sub(at); rest > 0 {
			n, reset = n-1, max(reset, rest)
		}
	}
	return n, reset
}
