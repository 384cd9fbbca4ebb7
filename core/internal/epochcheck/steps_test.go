package epochcheck

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/epoch"
)

// open takes in the epoch of a child that was just started, or that looked anew.
func (m *model) open(r report) {
	m.t.Helper()
	is := used{m.plugins["pack"].usable(), m.plugins["board"].usable()}
	e := r.Epoch
	switch was, known := m.at[e.Number]; {
	case r.Err != "":
		m.fail("reload: %s", r.Err)
	case e.Number < m.now.Number:
		m.fail("epoch %d comes after %d", e.Number, m.now.Number)
	case known && was != is:
		m.fail("epoch %d had %+v and should have %+v", e.Number, was, is)
	case e.Number == m.now.Number && e.Digest != m.now.Digest:
		m.fail("epoch %d is %s and was %s", e.Number, e.Digest, m.now.Digest)
	}
	m.now, m.at[e.Number] = e, is
	// What the home keeps of it is that, too.
	kept, err := epoch.Open(filepath.Join(m.home, "catalog"))
	if err != nil {
		m.t.Fatal(err)
	}
	data, err := kept.Load(e.Digest)
	if err != nil {
		m.t.Fatal(err)
	}
	var found used
	for _, p := range data.Plugins {
		v := int(p.Version[0] - '0')
		switch {
		case p.Problem != "":
		case p.ID == "pack":
			found.pack = v
		case p.ID == "board":
			found.board = v
		}
	}
	if found != is {
		m.fail("the home keeps epoch %d with %+v, and it should have %+v", e.Number, found, is)
	}
}

func (m *model) reload() {
	m.t.Helper()
	r := m.ask(order{Do: "reload"})
	m.say("reload: epoch %d", r.Epoch.Number)
	m.open(r)
}

func (m *model) begin() {
	m.t.Helper()
	if len(m.turns) > 5 {
		return
	}
	r := m.ask(order{Do: "begin", Session: fmt.Sprint("s", m.rand.IntN(3))})
	m.say("turn %s begins in epoch %d", r.Turn, r.Epoch.Number)
	if r.Err != "" || r.Epoch != m.now {
		m.fail("a turn begins in %+v, want %+v; %s", r.Epoch, m.now, r.Err)
	}
	m.turns = append(m.turns, &turn{r.Turn, r.Epoch, m.at[r.Epoch.Number]})
}

func (m *model) anyTurn() *turn {
	if len(m.turns) == 0 {
		return nil
	}
	return m.turns[m.rand.IntN(len(m.turns))]
}

// render renders in a turn, or outside of all where that is nil.
func (m *model) render(t *turn) {
	m.t.Helper()
	o, want, number := order{Do: "render"}, m.at[m.now.Number], m.now.Number
	if t != nil {
		o.Turn, want, number = t.id, t.used, t.epoch.Number
	}
	r := m.ask(o)
	m.say("render in turn %q: epoch %d, %q by %q, %s", o.Turn, r.Epoch.Number, r.Text, r.By, r.Said)
	if r.Err != "" || r.Epoch.Number != number {
		m.fail("in turn %q a packet of epoch %d, want %d; %s", o.Turn, r.Epoch.Number, number, r.Err)
	}
	m.shown(r, want, false)
}

// shown holds what is shown against what an epoch names. loose says that it may have
// fallen back.
func (m *model) shown(r report, want used, loose bool) {
	m.t.Helper()
	for _, is := range []struct {
		name     string
		version  int
		got      bool
		another  bool
		fellBack bool
	}{
		{"pack", want.pack, strings.Contains(r.Text, fmt.Sprintf("pack %d.0.0 says hello", want.pack)), strings.Contains(r.Text, "pack "), !strings.Contains(r.Text, "pack ")},
		{"board", want.board, r.By == fmt.Sprintf("board %d.0.0", want.board), strings.HasPrefix(r.By, "board"), r.By == "core/plain"},
	} {
		p := m.plugins[is.name]
		banned := p.revoked[is.version]
		switch {
		case !is.got && !is.fellBack:
			m.fail("%s %d is wanted, and another was used: %q by %q", is.name, is.version, r.Text, r.By)
		case is.got && banned && !loose:
			m.fail("%s %d was used, which is revoked with --now: %q by %q", is.name, is.version, r.Text, r.By)
		case is.version == 0 && is.another:
			m.fail("no %s is wanted, and one was used: %q by %q", is.name, r.Text, r.By)
		case is.version > 0 && !is.got && !banned && !p.shaky[is.version] && !loose:
			m.fail("%s %d should have been used: %q by %q, %s", is.name, is.version, r.Text, r.By, r.Said)
		}
	}
	if !strings.Contains(r.Text, "hello") {
		m.fail("the card cannot be read: %q", r.Text)
	}
}

// accept has a job accepted, in a turn or outside; nil: it was not.
func (m *model) accept(do string, t *turn, hold bool) *job {
	j, o := m.offer(do, t, hold)
	return m.accepted(j, o, m.ask(o))
}

// offer is a job, and the order that has it accepted.
func (m *model) offer(do string, t *turn, hold bool) (*job, order) {
	m.count++
	j := &job{id: fmt.Sprint("job", m.count), held: hold, epoch: m.now, used: m.at[m.now.Number]}
	o := order{Do: do, Target: fmt.Sprintf("board:c%d", m.rand.IntN(3)), Job: j.id, Hold: hold}
	if t != nil {
		o.Turn, j.epoch, j.used = t.id, t.epoch, t.used
	}
	return j, o
}

// accepted takes in what came of an offer.
func (m *model) accepted(j *job, o order, r report) *job {
	m.say("%s %s in turn %q of epoch %d, held %v: %s", o.Do, j.id, o.Turn, j.epoch.Number, o.Hold, r.Err)
	if r.Err != "" {
		if known := j.board > 0; known || !strings.Contains(r.Err, "no surface") {
			m.fail("%s: %s", o.Do, r.Err)
		}
		return nil
	}
	m.jobs = append(m.jobs, j)
	return j
}

func (m *model) complete(hold bool) {
	m.t.Helper()
	t := m.anyTurn()
	if t == nil {
		return
	}
	j := m.accept("complete", t, hold)
	if j == nil { // nothing was accepted: the turn goes on
		return
	}
	m.turns = slices.DeleteFunc(m.turns, func(o *turn) bool { return o == t })
	if !hold && m.plugins["board"].usable() > 0 && !m.plugins["board"].shaky[m.plugins["board"].usable()] {
		m.look(j)
	}
}

func (m *model) deliver() {
	do, t := "deliver", m.anyTurn()
	if t == nil {
		do = "notice"
	}
	m.accept(do, t, false)
}

func (m *model) end() {
	t := m.anyTurn()
	if t == nil {
		return
	}
	r := m.ask(order{Do: "end", Turn: t.id})
	m.say("turn %s ends: %s", t.id, r.Err)
	m.turns = slices.DeleteFunc(m.turns, func(o *turn) bool { return o == t })
}

// look waits until a job is delivered and holds its packet against its epoch.
func (m *model) look(j *job) {
	m.t.Helper()
	var r report
	begun := time.Now()
	for end := begun.Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		r = m.ask(order{Do: "job", Job: j.id})
		lost := m.crashes > 0 && time.Since(begun) > time.Second // a crash came before it was written
		if r.State == "delivered" && (len(r.Shown) > 0 || lost) {
			break
		}
		if r.Err != "" || r.State == "" && !j.unsure || time.Now().After(end) {
			m.fail("%s is %q; %s", j.id, r.State, r.Err)
			return
		}
		if r.State == "" {
			m.say("%s was not accepted", j.id)
			m.jobs = slices.DeleteFunc(m.jobs, func(o *job) bool { return o == j })
			return
		}
	}
	m.say("%s is delivered: epoch %d, %q by %q", j.id, r.Epoch.Number, r.Text, r.By)
	if r.Epoch.Number != j.epoch.Number || slices.ContainsFunc(r.Shown, func(n uint64) bool { return n != j.epoch.Number }) {
		m.fail("%s is of epoch %d, its packet of %d and its presentations of %v", j.id, j.epoch.Number, r.Epoch.Number, r.Shown)
	}
	m.shown(r, j.used, j.held || j.shaken || j.seen || m.crashes > 0)
	j.seen = true
	texts, plain := m.wall.of(j.id), 0
	for _, text := range texts {
		if !strings.Contains(text, "possible duplicate") {
			plain++
		}
	}
	if plain > 1 || len(texts) > 1 && m.crashes == 0 || len(texts) == 0 {
		m.fail("%s came %d times, %d of them unmarked, after %d crashes: %q", j.id, len(texts), plain, m.crashes, texts)
	}
}

// killPlugin kills a process of a plugin.
func (m *model) killPlugin() {
	all := m.ask(order{Do: "plugins"}).Plugins
	all = slices.DeleteFunc(all, func(p process) bool { return p.PID == 0 })
	if len(all) == 0 {
		return
	}
	p := all[m.rand.IntN(len(all))]
	m.say("process %d of %s %s is killed", p.PID, p.ID, p.Version)
	syscall.Kill(p.PID, syscall.SIGKILL)
	m.gone(p.PID, "it was killed")
	m.plugins[p.ID].shaky[int(p.Version[0]-'0')] = true
	m.crashes++
	m.shake()
}

// shake says that whatever was not looked at may have fallen back.
func (m *model) shake() {
	for _, j := range m.jobs {
		j.shaken = j.shaken || !j.seen
	}
}

// killHost kills the host, in the middle of accepting something or not.
func (m *model) killHost(midway bool) {
	m.t.Helper()
	if t := m.anyTurn(); midway && t != nil && t.board > 0 {
		m.count++
		j := &job{id: fmt.Sprint("job", m.count), epoch: t.epoch, used: t.used, unsure: true}
		m.tell(order{Do: "complete", Turn: t.id, Target: "board:c0", Job: j.id})
		time.Sleep(time.Duration(m.rand.IntN(4000)) * time.Microsecond) // wherever it is then
		m.jobs = append(m.jobs, j)
	}
	m.crash()
	m.crashes++
	m.shake()
	m.turns = nil // they end as partial
	r := m.start()
	m.say("the host was killed, midway %v; another one begins in epoch %d", midway, r.Epoch.Number)
	m.open(r)
}

// rest sees that nothing has a process that nothing needs. at says that no turn is
// open and every job done.
func (m *model) rest(at bool) {
	m.t.Helper()
	var last string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		r := m.ask(order{Do: "plugins"})
		known, odd := map[int]bool{}, ""
		for _, p := range r.Plugins {
			if p.PID != 0 {
				known[p.PID] = true
			}
			if p.PID != 0 && !p.Current && (at || len(p.Turns) == 0 && len(m.jobs) == 0) {
				odd += fmt.Sprintf("process %d of %s %s, which nothing goes by; ", p.PID, p.ID, p.Version)
			}
			for _, id := range p.Turns {
				if !at && !slices.ContainsFunc(m.turns, func(t *turn) bool { return t.id == id }) && len(m.jobs) == 0 {
					odd += fmt.Sprintf("%s %s is held by turn %s, which is over; ", p.ID, p.Version, id)
				}
			}
		}
		for _, pid := range children(m.cmd.Process.Pid) {
			if !known[pid] {
				odd += fmt.Sprintf("process %d that no plugin has; ", pid)
			}
		}
		if last = odd; odd == "" {
			m.say("at rest: %d processes", len(known))
			return
		}
	}
	m.fail("%s", last)
}

// finish has everything that was accepted arrive.
func (m *model) finish() {
	m.t.Helper()
	m.restore()
	for _, name := range []string{"pack", "board"} {
		if p := m.plugins[name]; p.version == 0 {
			m.install(name, 1)
		} else if !p.enabled {
			p.enabled = true
			if _, err := m.store.Enable(name, true); err != nil {
				m.fail("enable: %v", err)
			}
		}
	}
	m.reload()
	for len(m.turns) > 0 {
		m.end()
	}
	for _, j := range slices.Clone(m.jobs) {
		if j.held {
			m.ask(order{Do: "release", Job: j.id})
		}
	}
	for _, j := range slices.Clone(m.jobs) {
		m.look(j)
	}
	m.rest(true)
	if e := (core.Epoch{}); m.now == e {
		m.fail("there was no epoch")
	}
}
