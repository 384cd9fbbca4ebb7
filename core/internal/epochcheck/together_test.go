package epochcheck

import (
	"slices"
	"time"

	"github.com/seed-1ae66336/vak/core"
)

// together has an operator change something while turns begin, render and deliver: all
// of it at the same time, in an order that nobody knows.
func (m *model) together(p *plugin) {
	m.t.Helper()
	before := m.now
	loose := m.change(p)

	after := func() time.Duration { return time.Duration(m.rand.IntN(30)) * time.Millisecond }
	many := []order{{Do: "reload", After: after()}}
	for range 3 {
		many = append(many, order{Do: "render", After: after()})
	}
	for n := len(m.turns); n < 6; n += 3 {
		many = append(many, order{Do: "begin", Session: "s0", After: after()})
	}
	jobs := map[int]*job{}
	offer := func(do string, t *turn) {
		j, o := m.offer(do, t, false)
		j.shaken = loose
		jobs[len(many)] = j
		o.After = after()
		many = append(many, o)
	}
	turns := slices.Clone(m.turns)
	if len(turns) > 1 { // one ends meanwhile, and renders nothing
		offer("complete", turns[0])
		turns = turns[1:]
	}
	of := map[int]*turn{}
	for _, t := range turns {
		for range 3 {
			of[len(many)] = t
			many = append(many, order{Do: "render", Turn: t.id, After: after()})
		}
		offer("deliver", t)
	}

	m.say("all at once: %d orders", len(many))
	reports := m.ask(order{Do: "many", Many: many}).Many
	m.say("reload: epoch %d", reports[0].Epoch.Number)
	m.open(reports[0])
	m.noneBanned()
	either := func(e core.Epoch) bool { return e.Number == before.Number || e.Number == m.now.Number }
	for i, o := range many {
		r := reports[i]
		switch {
		case o.Do == "begin":
			m.say("turn %s begins in epoch %d", r.Turn, r.Epoch.Number)
			if r.Err != "" || r.Epoch != before && r.Epoch != m.now {
				m.fail("a turn begins in %+v, want %+v or %+v; %s", r.Epoch, before, m.now, r.Err)
			}
			m.turns = append(m.turns, &turn{r.Turn, r.Epoch, m.at[r.Epoch.Number]})
		case o.Do == "render":
			m.say("render in turn %q: epoch %d, %q by %q, %s", o.Turn, r.Epoch.Number, r.Text, r.By, r.Said)
			t, want := of[i], m.at[r.Epoch.Number]
			if t != nil {
				want = t.used
			}
			if r.Err != "" || t != nil && r.Epoch.Number != t.epoch.Number || t == nil && !either(r.Epoch) {
				m.fail("in turn %q a packet of epoch %d; %s", o.Turn, r.Epoch.Number, r.Err)
			}
			m.shown(r, want, loose)
		case jobs[i] != nil:
			if m.accepted(jobs[i], o, r) != nil && o.Do == "complete" {
				m.turns = slices.DeleteFunc(m.turns, func(t *turn) bool { return t.id == o.Turn })
			}
		}
	}
}

// change changes what is wanted; the host is not told. loose says that what runs now may
// be taken away, or come back, at once.
func (m *model) change(p *plugin) (loose bool) {
	switch n := m.rand.IntN(10); {
	case n < 4:
		m.install(p.name, 1+m.rand.IntN(versions))
	case n < 7 && p.version > 0:
		loose = m.rand.IntN(2) == 0
		m.takeAway(p, loose)
	case n < 9:
		for _, p := range m.plugins {
			for _, now := range p.revoked {
				loose = loose || now
			}
		}
		m.giveBack()
	default:
		m.configure(100 + m.rand.IntN(900))
	}
	return loose
}
