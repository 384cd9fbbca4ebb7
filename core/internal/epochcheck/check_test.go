package epochcheck

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
	"github.com/seed-1ae66336/vak/core/internal/install"
)

// The number of schedules of a test run, and of steps in each.
const (
	fewSchedules = 4
	steps        = 45
)

func TestSchedules(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it looks for processes in /proc")
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	seed := number("VAK_CHECK_SEED", 0)
	if seed != 0 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { schedule(t, seed) })
		return
	}
	few := fewSchedules
	if testing.Short() {
		few = 1
	}
	first := int(time.Now().UnixNano() % 1e9)
	for i := range number("VAK_CHECK_SCHEDULES", few) {
		t.Run(fmt.Sprint("seed ", first+i), func(t *testing.T) { schedule(t, first+i) })
		if t.Failed() {
			return
		}
	}
}

// A plugin is what the model knows of one: what is wanted, and what was done to it.
type plugin struct {
	name    string
	version int          // installed; 0: none
	enabled bool         //
	revoked map[int]bool // versions; true: with --now
	shaky   map[int]bool // versions whose processes were killed: they may be given a rest
}

// usable is the version that what begins now goes by; 0: none.
func (p *plugin) usable() int {
	if _, is := p.revoked[p.version]; is || !p.enabled {
		return 0
	}
	return p.version
}

// used are the versions of an epoch.
type used struct{ pack, board int }

// A turn is one that is open.
type turn struct {
	id    string
	epoch core.Epoch
	used
}

// A job is one that was accepted, or may have been.
type job struct {
	id    string
	epoch core.Epoch
	used
	held   bool
	unsure bool // the host was killed while it was asked
	seen   bool // its packet was looked at
	shaken bool // a plugin, or the host, was killed, or something revoked, before it was rendered
}

// A model is what must be.
type model struct {
	*world
	rand    *rand.Rand
	trace   []string
	plugins map[string]*plugin
	now     core.Epoch
	at      map[uint64]used
	turns   []*turn
	jobs    []*job
	crashes int // of hosts and of boards
	count   int
}

func schedule(t *testing.T, seed int) {
	m := &model{
		world: newWorld(t), rand: rand.New(rand.NewPCG(uint64(seed), 7)), at: map[uint64]used{},
		plugins: map[string]*plugin{
			"pack":  {name: "pack", revoked: map[int]bool{}, shaky: map[int]bool{}},
			"board": {name: "board", revoked: map[int]bool{}, shaky: map[int]bool{}},
		},
	}
	defer func() {
		if t.Failed() {
			log := ""
			if m.log != nil {
				log = m.log.String()
			}
			t.Logf("VAK_CHECK_SEED=%d; the last steps:\n%s\nthe host's log:\n%s", seed, strings.Join(m.trace[max(0, len(m.trace)-40):], "\n"), log)
		}
	}()
	m.configure(0)
	m.open(m.start())
	m.install("pack", 1)
	m.install("board", 1)
	m.reload()
	for range steps {
		m.step()
		if t.Failed() {
			return
		}
	}
	m.finish()
}

func (m *model) say(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf("%3d ", len(m.trace)+1)+fmt.Sprintf(format, args...))
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Errorf(format, args...)
}

// step does one thing.
func (m *model) step() {
	p := m.plugins["pack"]
	if m.rand.IntN(3) == 0 {
		p = m.plugins["board"]
	}
	switch n := m.rand.IntN(100); {
	case n < 14:
		m.begin()
	case n < 34:
		m.render(m.anyTurn())
	case n < 38:
		m.render(nil)
	case n < 48:
		m.complete(m.rand.IntN(4) == 0)
	case n < 50:
		m.deliver()
	case n < 53:
		m.end()
	case n < 59:
		m.together(p)
	case n < 67:
		m.install(p.name, 1+m.rand.IntN(versions))
		m.reload()
	case n < 71 && p.version > 0:
		p.enabled = !p.enabled
		if _, err := m.store.Enable(p.name, p.enabled); err != nil && p.enabled {
			p.enabled = false // it is revoked
		}
		m.say("%s %d is enabled: %v", p.name, p.version, p.enabled)
		m.reload()
	case n < 80 && p.version > 0:
		now := m.rand.IntN(2) == 0
		m.revoke(p, now)
	case n < 86:
		m.restore()
	case n < 88 && p.version > 0:
		if _, err := m.store.Remove(p.name); err != nil {
			m.fail("remove: %v", err)
		}
		m.say("%s %d is removed", p.name, p.version)
		p.version, p.enabled = 0, false
		m.reload()
	case n < 92:
		m.configure(100 + m.rand.IntN(900))
		m.reload()
	case n < 96:
		m.killPlugin()
	case n < 98:
		m.killHost(m.rand.IntN(2) == 0)
	default:
		m.rest(false)
	}
}

// configure writes vak.toml.
func (m *model) configure(most int) {
	text := fmt.Sprintf("[surfaces.board]\naccount.url = %q\n", m.wall.url)
	if most > 0 {
		text += fmt.Sprintf("max = %d\n", most)
	}
	text += "[policy]\njson_appendix = 'never'\n"
	if err := os.WriteFile(filepath.Join(m.home, "vak.toml"), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.say("messages may have %d characters", most)
}

func (m *model) install(name string, v int) {
	p := m.plugins[name]
	c, err := m.store.Prepare(folder(name, v))
	if err == nil {
		defer c.Close()
		_, err = m.store.Install(c, install.Consent{AllowUnverified: true, Upgrade: c.Now != nil, To: fmt.Sprint(v, ".0.0")})
	}
	_, revoked := p.revoked[v]
	m.say("%s %d is installed: %v", name, v, err)
	switch {
	case (err != nil) != revoked:
		m.fail("%s %d, of which the revocation is %v, is installed: %v", name, v, revoked, err)
	case err == nil:
		p.enabled = p.version == 0 || p.enabled
		p.version = v
	}
}

func (m *model) revoke(p *plugin, now bool) {
	m.takeAway(p, now)
	m.reload()
	m.noneBanned()
}

// takeAway revokes a plugin; the host is not told.
func (m *model) takeAway(p *plugin, now bool) {
	if _, err := m.store.Revoke(p.name, "", now); err != nil {
		m.fail("revoke: %v", err)
	}
	before := p.revoked[p.version]
	p.revoked[p.version] = now || before
	m.say("%s %d is revoked, at once: %v", p.name, p.version, now)
	m.shake()
}

// noneBanned sees that nothing runs that was revoked with --now.
func (m *model) noneBanned() {
	for _, r := range m.ask(order{Do: "plugins"}).Plugins {
		if r.PID != 0 && m.plugins[r.ID].revoked[int(r.Version[0]-'0')] {
			m.fail("process %d of %s %s runs, which was revoked with --now", r.PID, r.ID, r.Version)
		}
	}
}

func (m *model) restore() {
	m.giveBack()
	m.reload()
}

// giveBack restores everything; the host is not told.
func (m *model) giveBack() {
	all, err := m.store.Revoked()
	if err != nil {
		m.fail("revoked: %v", err)
	}
	for _, r := range all {
		if _, err := m.store.Restore(r.Hash); err != nil {
			m.fail("restore: %v", err)
		}
	}
	for _, p := range m.plugins {
		p.revoked = map[int]bool{}
	}
	m.say("everything is restored")
}
