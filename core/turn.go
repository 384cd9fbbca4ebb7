package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-1ae66336/vak/core/internal/store"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TurnOptions say how a turn begins.
type TurnOptions struct {
	// Key makes it idempotent: beginning a turn again under the key of an earlier
	// one of the session gives that one, open or ended, for 30 days. A program that
	// tries an answer again after a crash has it delivered once by that. Empty: it
	// is a new turn.
	Key string

	request string // the same for who repeats one request; not kept in the ledger
}

// A Turn is one exchange, from what was asked to the answer. It is safe for
// concurrent use.
type Turn struct {
	session *Session
	id      ledger.TurnID
	at      *snapshot // the epoch that it goes by
	ended   bool      // guarded by session.mu
}

// Begin begins a turn. It goes by the current epoch, to its end: what is installed,
// upgraded, revoked or configured meanwhile is for the turns after it. A plugin that
// was revoked with --now, and all that were revoked once the turn is older than
// Config.TurnMax, it does without: its answer is plain then, and says so.
func (s *Session) Begin(ctx context.Context, o TurnOptions) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(o.Key) > maxKey {
		return nil, &Error{Kind: ErrSession, What: fmt.Sprintf("a turn's key has more than %d bytes", maxKey)}
	}
	id := ""
	switch {
	case o.Key != "":
		id = "turn\x00" + s.id + "\x00" + o.Key
	case o.request != "":
		id = "turn by request\x00" + s.id + "\x00" + o.request
	}
	at := s.core.pinned()
	done, turn, err := s.commit(ctx, func(next ledger.Seq) store.Commit {
		t := ledger.TurnID{Session: s.id, Seq: next}
		return store.Commit{ID: id, Begin: t.String(), Records: []ledger.Record{s.record(t, &ledger.Turn{Phase: ledger.Begin, Key: o.Key, Epoch: at.Number, Digest: at.Digest})}}
	})
	if err != nil {
		at.unpin()
		return nil, err
	}
	t := &Turn{session: s, id: ledger.TurnID{Session: s.id, Seq: turn}, at: at}
	if done.Repeated {
		at.unpin()
		if same, ok := s.open[t.id]; ok { // for everybody who begins it, it ends once
			return same, nil
		}
		if err := t.resume(ctx); err != nil {
			return nil, err
		}
		return t, nil
	}
	s.core.leases.begin(t.id, at, s.core.now())
	if s.open == nil {
		s.open = map[ledger.TurnID]*Turn{}
	}
	s.open[t.id] = t
	return t, nil
}

// resume takes up a turn that was begun before.
func (t *Turn) resume(ctx context.Context) error {
	s := t.session
	open, err := s.core.store.OpenTurns(ctx)
	if err != nil {
		return storeError(err)
	}
	t.ended = !slices.Contains(open, t.id.String())
	t.at, err = s.epochOf(ctx, t.id)
	return err
}

// Epoch is the one that the turn goes by.
func (t *Turn) Epoch() Epoch { return t.at.Epoch }

// Render renders d in the turn's epoch, whether the turn has ended or not. It is
// [Core.Render] otherwise.
func (t *Turn) Render(ctx context.Context, d Draft, targets ...surface.Target) ([]packet.Packet, error) {
	c := t.session.core
	defer c.use(t.at)()
	return c.render(ctx, t.at, d, targets)
}

// close is called once the turn's end is kept. The caller holds session.mu.
func (t *Turn) close() {
	t.ended = true
	delete(t.session.open, t.id)
	t.session.core.leases.end(t.id)
}

// maxKey bounds a turn's key in bytes.
const maxKey = 256

// ID is the turn's id, that of the record that began it.
func (t *Turn) ID() ledger.TurnID { return t.id }

// Append keeps records of the turn, and returns the seq of the first. A turn
// ends by Complete or End alone. Errors are of kind ErrTurn or ErrStore.
func (t *Turn) Append(ctx context.Context, bodies ...ledger.Body) (ledger.Seq, error) {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ended {
		return 0, t.over()
	}
	records := make([]ledger.Record, len(bodies))
	for i, b := range bodies {
		if _, ok := b.(*ledger.Turn); ok || b == nil {
			return 0, &Error{Kind: ErrTurn, What: "a turn is begun and ended by its methods, not by a record"}
		}
		records[i] = s.record(t.id, b)
	}
	if len(records) == 0 {
		return 0, nil
	}
	_, first, err := s.commit(ctx, func(ledger.Seq) store.Commit { return store.Commit{Records: records} })
	return first, err
}

// End ends the turn without an answer. What was held for it goes. Ending a turn
// that has ended is an error of kind ErrTurn.
func (t *Turn) End(ctx context.Context, status ledger.Status, reason string) error {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ended {
		return t.over()
	}
	if err := s.end(ctx, t.id, status, reason); err != nil {
		return err
	}
	t.close()
	return nil
}

func (t *Turn) over() error {
	return &Error{Kind: ErrTurn, What: "turn " + t.id.String() + " has ended", Mend: "begin another"}
}

// end ends a turn. The caller holds s.mu.
func (s *Session) end(ctx context.Context, id ledger.TurnID, status ledger.Status, reason string) error {
	_, _, err := s.commit(ctx, func(ledger.Seq) store.Commit {
		return store.Commit{
			ID: ending(id), End: id.String(), Release: id.String(), Settles: true,
			Records: []ledger.Record{s.record(id, &ledger.Turn{Phase: ledger.End, Status: status, Reason: reason})},
		}
	})
	return err
}

// ending is the id of the commit that ends a turn: a turn ends once.
func ending(id ledger.TurnID) string { return "end\x00" + id.String() }

// tools are the calls of tools in a turn that led to the answer which entry answer
// holds. Only what ends a turn has them: what goes out in the middle of one would
// show its cards twice.
func (s *Session) tools(ctx context.Context, turn ledger.TurnID, answer ledger.Seq) ([]ToolUse, error) {
	end, err := s.Entry(ctx, answer+1)
	switch body, ok := end.Body.(*ledger.Turn); {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !ok || end.Turn != turn || body.Phase != ledger.End:
		return nil, nil
	}
	var calls []*ledger.ToolCall
	results := map[string]*ledger.ToolResult{}
	for b, err := range s.core.store.Read(ctx, s.id, turn.Seq) {
		if err != nil {
			return nil, storeError(err)
		}
		r, err := ledger.Parse(b)
		if err != nil {
			continue // of whatever turn: the answer itself can be read
		}
		if r.Seq >= answer {
			break
		}
		if r.Turn != turn {
			continue
		}
		switch body := r.Body.(type) {
		case *ledger.ToolCall:
			if len(calls) < MaxTools {
				calls = append(calls, body)
			}
		case *ledger.ToolResult:
			results[body.CallID] = body
		}
	}
	out := make([]ToolUse, len(calls))
	for i, c := range calls {
		out[i] = used(c, results[c.CallID])
	}
	return out, nil
}

// endOpenTurns ends the turns that a crash left open, so that what was held for
// them goes.
func (c *Core) endOpenTurns(ctx context.Context) error {
	open, err := c.store.OpenTurns(ctx)
	if err != nil {
		return err
	}
	for _, text := range open {
		id, err := ledger.ParseTurnID(text)
		if err != nil {
			continue
		}
		s, err := c.Session(ctx, id.Session)
		if err != nil {
			continue
		}
		s.mu.Lock()
		err = s.end(ctx, id, ledger.Partial, "the process ended before the turn did")
		s.mu.Unlock()
		if err != nil {
			return err
		}
		c.log.Warn("a turn that was open when the process ended is ended as partial", "turn", text)
	}
	return nil
}
