package core

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// editions builds the skill pack of testdata/edition in versions 1 and 2, each in a
// folder of its own, once for all tests.
var editions = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "vak-test-"); err != nil {
		return "", err
	}
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	for _, v := range []string{"1", "2"} {
		folder := filepath.Join(dir, v)
		binary := filepath.Join(folder, "edition"+exe)
		cmd := exec.Command("go", "build", "-ldflags", "-X main.version="+v+".0.0", "-o", binary, "./testdata/edition")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", &Error{What: string(out), Err: err}
		}
		manifest, err := exec.Command(binary, "manifest").Output()
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, "plugin.json"), manifest, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
})

// A shelf is a home, and what a test does with the pack in it.
type shelf struct {
	*testing.T
	home  string
	store *install.Store
	*Core
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	runtimeDir(t)
	home := t.TempDir()
	s := &shelf{T: t, home: home, store: install.New(home)}
	t.Cleanup(func() {
		if s.Core != nil {
			s.Core.Close()
		}
	})
	return s
}

// open opens the core, anew if it is open.
func (s *shelf) open(c Config) {
	s.Helper()
	if s.Core != nil {
		if err := s.Core.Close(); err != nil {
			s.Fatal(err)
		}
	}
	c.Home, c.NoControl, c.AllowUnsandboxed = s.home, true, true
	var err error
	if s.Core, err = Open(context.Background(), c); err != nil {
		s.Fatal(err)
	}
}

// install installs a version, in place of another if there is one.
func (s *shelf) install(version string) {
	s.Helper()
	built, err := editions()
	if err != nil {
		s.Fatal(err)
	}
	c, err := s.store.Prepare(filepath.Join(built, version))
	if err != nil {
		s.Fatal(err)
	}
	defer c.Close()
	if _, err := s.store.Install(c, install.Consent{AllowUnverified: true, Upgrade: c.Now != nil, To: version + ".0.0"}); err != nil {
		s.Fatal(err)
	}
}

// revoke revokes what is installed.
func (s *shelf) revoke(now bool) (hash string) {
	s.Helper()
	r, err := s.store.Revoke("edition", "a test", now)
	if err != nil {
		s.Fatal(err)
	}
	return r.Hash
}

// reload has the core take over what has changed.
func (s *shelf) reload() Epoch {
	s.Helper()
	e, err := s.Reload(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return e
}

func (s *shelf) begin(session string) *Turn {
	s.Helper()
	in, err := s.Session(s.Context(), session)
	if err != nil {
		s.Fatal(err)
	}
	turn, err := in.Begin(s.Context(), TurnOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return turn
}

const note = `{"semantic_type":"edition.note","payload":{"say":"hello"}}`

// shows is what a turn, or the core where that is nil, makes of a note, and the codes
// and words of what is said of it.
func (s *shelf) shows(turn *Turn) (text string, said string) {
	s.Helper()
	render := s.Core.Render
	if turn != nil {
		render = turn.Render
	}
	p, err := render(s.Context(), Draft{Markdown: note}, surface.Target{Surface: "log"})
	if err != nil {
		s.Fatal(err)
	}
	for _, c := range p[0].Chunks {
		text += c.Text
	}
	for _, d := range p[0].Diagnostics {
		said += d.Code + ": " + d.Message + "\n"
	}
	if turn != nil && p[0].Epoch != turn.Epoch().Number {
		s.Errorf("a packet of epoch %d in a turn of epoch %d", p[0].Epoch, turn.Epoch().Number)
	}
	return text, said
}

// want holds what is shown against what should be.
func (s *shelf) want(turn *Turn, why, begin string, words ...string) {
	s.Helper()
	text, said := s.shows(turn)
	if !strings.HasPrefix(text, begin) || !strings.Contains(text, "hello") {
		s.Errorf("%s: shown is %q, want what begins with %q", why, text, begin)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			s.Errorf("%s: said is %q, want %q", why, said, w)
		}
	}
	if len(words) == 0 && strings.Contains(said, "card_lower_failed") {
		s.Errorf("%s: said is %q", why, said)
	}
}

// processes are those of the pack, by version.
func (s *shelf) processes() (versions []string) {
	for _, p := range s.host.Status() {
		if p.ID == "edition" && p.PID != 0 {
			versions = append(versions, p.Version[:1])
		}
	}
	slices.Sort(versions)
	return versions
}

// wantProcesses waits until no others are left.
func (s *shelf) wantProcesses(versions ...string) {
	s.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !slices.Equal(s.processes(), versions) {
		if time.Now().After(deadline) {
			s.Fatalf("processes of the versions %v, want %v", s.processes(), versions)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestTurnKeepsItsEpoch has a pack upgraded in the middle of a turn.
func TestTurnKeepsItsEpoch(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	s.open(Config{})
	first := s.Epoch()
	if first.Number == 0 || first.Digest == "" {
		t.Fatalf("epoch %+v", first)
	}
	if again := s.reload(); again != first {
		t.Errorf("nothing has changed, and epoch %+v became %+v", first, again)
	}
	old := s.begin("chat")
	s.want(old, "before", "edition 1")
	s.install("2")
	second := s.reload()
	if second.Number <= first.Number || second.Digest == first.Digest {
		t.Errorf("after the upgrade epoch %+v, before %+v", second, first)
	}
	young := s.begin("chat")
	s.want(old, "begun before the upgrade", "edition 1")
	s.want(young, "begun after the upgrade", "edition 2")
	s.want(nil, "outside of turns", "edition 2")
	s.wantProcesses("1", "2")
	done, err := old.Complete(t.Context(), Draft{Markdown: note}, Delivery{Target: "log:chat"})
	if err != nil {
		t.Fatal(err)
	}
	s.delivered(done.Jobs[0])
	p, err := s.Packet(t.Context(), done.Jobs[0])
	if err != nil || p.Epoch != first.Number || !strings.Contains(p.Chunks[0].Text, "edition 1") {
		t.Errorf("the packet is of epoch %d, %v: %+v", p.Epoch, err, p.Chunks)
	}
	s.wantProcesses("2")

	begun, err := old.session.Entry(t.Context(), old.ID().Seq)
	if err != nil {
		t.Fatal(err)
	}
	if b := begun.Body.(*ledger.Turn); b.Epoch != first.Number || b.Digest != first.Digest {
		t.Errorf("the turn's record is of epoch %d %s, want %+v", b.Epoch, b.Digest, first)
	}
	var shown []*ledger.Presentation
	for end := time.Now().Add(20 * time.Second); len(shown) == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) { // nobody waits for it
		if shown, err = old.session.presentations(t.Context(), done.Entry); err != nil {
			t.Fatal(err)
		}
	}
	if len(shown) != 1 {
		t.Fatalf("%d presentations", len(shown))
	}
	r := shown[0]
	if r.Epoch != first.Number || r.Target != "log:chat" || r.Job != done.Jobs[0] || len(r.ProfileDigest) != 64 || len(r.Trees) != 1 || !strings.Contains(string(r.Trees[0].Tree), "edition 1") {
		t.Errorf("the presentation is %+v", r)
	}
	if b, err := s.catalog.Blob(r.ProfileDigest); err != nil || !strings.Contains(string(b), "log") {
		t.Errorf("its profile is %s, %v", b, err)
	}

	// History needs no plugin.
	if err := young.End(t.Context(), ledger.Cancelled, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Remove("edition"); err != nil {
		t.Fatal(err)
	}
	s.reload()
	s.wantProcesses()
	why, err := s.WhyEntry(t.Context(), done.Entry, "log")
	if err != nil || len(why) != 1 || why[0].Epoch != first.Number || why[0].Target != "log:chat" || !slices.ContainsFunc(why[0].Renderers, func(b BlockRenderer) bool { return b.Renderer == "edition" && b.Why != "" }) {
		t.Errorf("why = %+v, %v", why, err)
	}
	if got := s.processes(); len(got) > 0 {
		t.Errorf("history started %v", got)
	}
}

// delivered waits until a job is.
func (s *shelf) delivered(job string) {
	s.Helper()
	s.reaches(job, JobDelivered)
}

// reaches waits until a job is in a state.
func (s *shelf) reaches(job string, state JobState) {
	s.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		j, err := s.Job(s.Context(), job)
		if err != nil {
			s.Fatal(err)
		}
		if j.State == state {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("job %+v", j)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestRevoked has a pack revoked, at the next turn and at once.
func TestRevoked(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	s.open(Config{})
	turn := s.begin("chat")
	s.want(turn, "before", "edition 1")
	hash := s.revoke(false)
	s.reload()
	s.want(turn, "a turn that holds it", "edition 1")
	later := s.begin("chat")
	if text, _ := s.shows(later); strings.Contains(text, "edition 1") {
		t.Errorf("a turn that began since shows %q", text)
	}
	held := slices.DeleteFunc((backend{s.Core}).Plugins(), func(p control.Plugin) bool { return p.ID != "edition" })
	if len(held) != 1 || held[0].Current || held[0].PID == 0 || !slices.Equal(held[0].Turns, []string{turn.ID().String()}) {
		t.Errorf("the list shows %+v", held)
	}

	s.revoke(true)
	s.reload()
	if got := s.processes(); len(got) > 0 {
		t.Errorf("processes %v run though they are to stop at once", got)
	}
	s.want(turn, "a turn that holds it", "edition.note", "card_lower_failed", "revoked")

	s.open(Config{})                    // what was revoked stays so
	s.want(nil, "after a restart", "{") // nobody knows the type
	if _, err := s.store.Restore(hash); err != nil {
		t.Fatal(err)
	}
	s.reload()
	s.want(nil, "restored", "edition 1")
}

// TestHeldJobs has what is held while a pack is upgraded, or revoked, rendered with
// the epoch in which it was accepted, as far as that may be.
func TestHeldJobs(t *testing.T) {
	s := newShelf(t)
	s.config("[policy]\njson_appendix = 'never'\n[surfaces.log]\nmax_chars = 500\n")
	s.install("1")
	s.open(Config{})
	turn := s.begin("chat")
	later := s.begin("chat")
	var jobs []string
	for _, t := range []*Turn{turn, later} {
		held, err := t.Complete(s.Context(), Draft{Markdown: note}, Delivery{Target: "log:a", Posture: Posture{Cadence: Digest}})
		if err != nil {
			s.Fatal(err)
		}
		jobs = append(jobs, held.Jobs...)
	}
	epoch := turn.Epoch()
	s.install("2")
	s.config("[surfaces.log]\nmax_chars = 900\n")
	if now := s.reload(); now.Number <= epoch.Number {
		t.Errorf("epoch %+v", now)
	}
	s.wantProcesses()
	s.open(Config{})
	p := s.release(jobs[0])
	if p.Epoch != epoch.Number || p.Chunks[0].Text != "edition 1 says hello" {
		t.Errorf("epoch %d shows %q", p.Epoch, p.Chunks[0].Text)
	}
	s.wantProcesses()

	built, _ := editions()
	c, err := s.store.Prepare(filepath.Join(built, "1"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := s.store.Revoke(c.Digest, "", false); err != nil {
		t.Fatal(err)
	}
	s.reload()
	if p = s.release(jobs[1]); strings.Contains(p.Chunks[0].Text, "edition 1") || !strings.Contains(p.Chunks[0].Text, "hello") {
		t.Errorf("a job that waited while its pack was revoked shows %q", p.Chunks[0].Text)
	}
}

// release has a held job delivered, and returns its packet.
func (s *shelf) release(job string) packet.Packet {
	s.Helper()
	if _, err := s.Act(s.Context(), Release, job); err != nil {
		s.Fatal(err)
	}
	s.delivered(job)
	p, err := s.Packet(s.Context(), job)
	if err != nil || len(p.Chunks) == 0 {
		s.Fatalf("%+v, %v", p, err)
	}
	return p
}

// config writes vak.toml.
func (s *shelf) config(text string) {
	s.Helper()
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.home, "vak.toml"), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// TestEpochIsKept has a core opened again and again.
func TestEpochIsKept(t *testing.T) {
	s := newShelf(t)
	s.open(Config{})
	first := s.Epoch()
	s.open(Config{})
	if again := s.Epoch(); again != first {
		t.Errorf("nothing has changed, and %+v became %+v", first, again)
	}
	s.config("[surfaces.log]\nmax_chars = 500\n")
	second := s.reload()
	if second.Number != first.Number+1 {
		t.Errorf("the configuration has changed: %+v, then %+v", first, second)
	}
	s.config("[surfaces.log]\nmax_chars = 'many'\n")
	if now, err := s.Reload(t.Context()); err == nil || now != second {
		t.Errorf("a configuration that cannot be used: %+v, %v", now, err)
	}
	s.config("") // as it was first
	if now := s.reload(); now.Number != second.Number+1 || now.Digest != first.Digest {
		t.Errorf("back to the first: %+v, want the digest of %+v", now, first)
	}
	reader, err := Open(t.Context(), Config{Home: s.home, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := reader.Epoch(); got != s.Epoch() {
		t.Errorf("who only reads sees %+v, want %+v", got, s.Epoch())
	}
	if b, err := json.Marshal(s.Epoch()); err != nil || !strings.Contains(string(b), `"number":3`) {
		t.Errorf("%s, %v", b, err)
	}
}

// TestTurnMax has a turn be older than a turn may be.
func TestTurnMax(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	s.open(Config{TurnMax: time.Hour})
	turn := s.begin("chat")
	s.want(turn, "before", "edition 1")
	s.revoke(false)
	s.reload()
	s.leases.expire(time.Now().Add(-time.Minute))
	s.want(turn, "younger than that", "edition 1")
	s.leases.expire(time.Now().Add(time.Minute))
	s.want(turn, "older than that", "edition.note", "card_lower_failed")
	s.wantProcesses()
	if _, err := turn.Complete(t.Context(), Draft{Markdown: note}, Delivery{Target: "log:chat"}); err != nil {
		t.Error(err)
	}
}

// TestDamagedRevocations has the file with what is revoked become unreadable while
// the home is held.
func TestDamagedRevocations(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	s.open(Config{})
	turn := s.begin("chat")
	s.want(turn, "before", "edition 1")
	s.revoke(true)
	s.reload()
	s.want(turn, "revoked at once", "edition.note", "revoked")
	path := filepath.Join(s.home, "revoked.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.reload()
	s.want(turn, "nobody can tell what is revoked", "edition.note", "revoked")
	if got := s.processes(); len(got) > 0 {
		t.Errorf("processes %v run", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.reload()
	s.want(nil, "nothing is revoked", "edition 1")
}

// TestChangesWhileTurnsRun has turns begin, render and end at the same time as the pack
// that they use is upgraded, revoked and restored. None meets two versions, and nothing
// is left at the end.
func TestChangesWhileTurnsRun(t *testing.T) {
	s := newShelf(t)
	s.install("1")
	s.open(Config{})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for n := range 4 {
		wg.Go(func() {
			in, err := s.Session(context.Background(), fmt.Sprint("chat", n))
			if err != nil {
				t.Error(err)
				return
			}
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				turn, err := in.Begin(context.Background(), TurnOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				seen := map[string]bool{}
				for range 3 {
					p, err := turn.Render(context.Background(), Draft{Markdown: note}, surface.Target{Surface: "log"})
					if err != nil || p[0].Epoch != turn.Epoch().Number {
						t.Errorf("%v, epoch %d in %d", err, p[0].Epoch, turn.Epoch().Number)
						return
					}
					if text := p[0].Chunks[0].Text; strings.HasPrefix(text, "edition") && !strings.HasPrefix(text, "edition.note") {
						seen[text] = true
					}
				}
				if len(seen) > 1 {
					t.Errorf("one turn met %v", seen)
				}
				if i%2 == 0 {
					err = turn.End(context.Background(), ledger.Cancelled, "")
				} else {
					_, err = turn.Complete(context.Background(), Draft{Markdown: note}, Delivery{Target: fmt.Sprint("log:c", n)})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 12 {
		switch i % 4 {
		case 0:
			s.install("2")
		case 1:
			hash := s.revoke(i%8 == 1)
			s.reload()
			if _, err := s.store.Restore(hash); err != nil {
				t.Error(err)
			}
		case 2:
			s.install("1")
		case 3:
			s.config(fmt.Sprintf("[surfaces.log]\ngrid = %d\n", 40+i))
		}
		s.reload()
	}
	close(stop)
	wg.Wait()
	s.leases.expire(time.Now().Add(time.Hour)) // of jobs that were accepted last
	s.want(nil, "at the end", "edition 1")
	s.wantProcesses("1")
	if n := s.current.Load().pins.Load(); n != 1 {
		t.Errorf("the current epoch has %d pins where nothing runs", n)
	}
}
