package journal_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/seed-1ae66336/vak/core/internal/journal"
	"github.com/seed-1ae66336/vak/core/internal/journal/memfs"
	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
)

// A stalled journal has its disk hold the next write to the journal until it is
// told how that ends.
func stalled(t *testing.T) (j *journal.Journal, end chan error) {
	t.Helper()
	fs := memfs.New()
	j, err := open(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	end = make(chan error)
	fs.Hook(func(op memfs.Op) error {
		if op.Kind == memfs.Write && strings.Contains(op.Name, "journal/0") {
			return <-end
		}
		return nil
	})
	return j, end
}

// TestInvisible has a commit on its way to the disk: nobody sees it.
func TestInvisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, end := stalled(t)
		done := make(chan error)
		go func() {
			_, err := j.Commit(ctx, store.Commit{ID: "c", Session: "a", Begin: "a/1", Records: []ledger.Record{message("x")},
				Jobs: []store.Put{pending("j", "t")}, Targets: []store.TargetRow{{Target: "u", Closed: true}}})
			done <- err
		}()
		synctest.Wait()
		claims, err := j.Claim(ctx, start, 10)
		if err != nil || len(claims.Jobs) != 0 {
			t.Errorf("claimed %v, %v", claims, err)
		}
		if _, err := j.Job(ctx, "j"); !errors.Is(err, store.NotFound) {
			t.Errorf("job: %v", err)
		}
		if got, err := texts(j, "a", 1); len(got) != 0 || err != nil {
			t.Errorf("read %v, %v", got, err)
		}
		if head, err := j.Head(ctx, "a"); head != 0 || err != nil {
			t.Errorf("head is %d, %v", head, err)
		}
		if names, _ := j.Sessions(ctx); len(names) != 0 {
			t.Errorf("sessions are %v", names)
		}
		if all, _ := j.Targets(ctx); len(all) != 0 {
			t.Errorf("targets are %v", all)
		}
		if open, _ := j.OpenTurns(ctx); len(open) != 0 {
			t.Errorf("open turns are %v", open)
		}
		end <- nil
		if err := <-done; err != nil {
			t.Error(err)
		}
		if claims, _ := j.Claim(ctx, start, 10); len(claims.Jobs) != 1 {
			t.Errorf("afterwards %v", claims)
		}
		j.Close()
	})
}

// TestExpectInFlight relies on where a session is while somebody else's record is
// on its way: the answer waits for what becomes of that.
func TestExpectInFlight(t *testing.T) {
	for _, c := range []struct {
		why  string
		end  error
		want error
	}{
		{"it arrives", nil, store.Conflict},
		{"it fails", syscall.ENOSPC, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j, end := stalled(t)
				first, second := make(chan error), make(chan error)
				commit := func(text string, done chan error) {
					none := ledger.Seq(0)
					_, err := j.Commit(ctx, store.Commit{Session: "a", Expect: &none, Records: []ledger.Record{message(text)}})
					done <- err
				}
				go commit("one", first)
				synctest.Wait()
				go commit("two", second)
				synctest.Wait()
				select {
				case err := <-second:
					t.Fatalf("answered before it could be known: %v", err)
				default:
				}
				end <- c.end
				if err := <-first; (err == nil) != (c.end == nil) {
					t.Errorf("the first one: %v", err)
				}
				if c.end != nil {
					end <- nil
				}
				if err := <-second; !errors.Is(err, c.want) {
					t.Errorf("the second one: %v", err)
				}
				j.Close()
			})
		})
	}
}

// TestReleaseInFlight releases a turn whose job is on its way to be held for it.
func TestReleaseInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, end := stalled(t)
		done := make(chan error, 3)
		go func() {
			_, err := j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message("x")}})
			done <- err
		}()
		synctest.Wait()
		go func() {
			p := pending("j", "t")
			p.Row.State, p.Row.Hold = store.Held, "turn"
			_, err := j.Commit(ctx, store.Commit{Jobs: []store.Put{p}})
			done <- err
		}()
		synctest.Wait()
		go func() {
			_, err := j.Commit(ctx, store.Commit{Release: "turn"})
			done <- err
		}()
		synctest.Wait()
		go func() {
			for range 3 {
				end <- nil
			}
		}()
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if r, err := j.Job(ctx, "j"); err != nil || r.State != store.Pending {
			t.Errorf("the job is %s, %v", r.State, err)
		}
		j.Close()
	})
}

// TestRefusedIsGone has a write fail for want of room after all of it was
// written: the commit was refused, so it must not be there later.
func TestRefusedIsGone(t *testing.T) {
	for _, c := range []struct {
		why string
		cut int
	}{{"all of it", 0}, {"all but the newline", 1}, {"a part", 90}} {
		t.Run(c.why, func(t *testing.T) {
			fs := memfs.New()
			j, err := open(fs, 0)
			if err != nil {
				t.Fatal(err)
			}
			commit := func(text string) error {
				_, err := j.Commit(ctx, store.Commit{Session: "a", Records: []ledger.Record{message(text)}})
				return err
			}
			if err := commit("one"); err != nil {
				t.Fatal(err)
			}
			fs.Hook(func(op memfs.Op) error {
				if op.Kind == memfs.Write && strings.Contains(op.Name, "journal/0") {
					return &memfs.Short{N: int(op.Size) - c.cut, Err: syscall.ENOSPC}
				}
				return nil
			})
			if err := commit("two"); !errors.Is(err, store.Full) {
				t.Fatalf("got %v", err)
			}
			fs.Hook(nil)
			j.Close()
			if j, err = open(fs, 0); err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			if got, err := texts(j, "a", 1); len(got) != 1 || err != nil || j.Health(ctx).Torn != nil {
				t.Errorf("read %v, %v, torn %v", got, err, j.Health(ctx).Torn)
			}
		})
	}
}
