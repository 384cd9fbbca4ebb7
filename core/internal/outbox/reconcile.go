package outbox

import "context"

// lookEvery is the number of ticks from one search for parked jobs that nobody
// remembers to the next: another process may have parked them.
const lookEvery = 20

// reconcile does what an event should have led to and did not.
func (o *Outbox) reconcile(ctx context.Context, n int) {
	all, err := o.config.Store.Targets(ctx)
	if err != nil {
		return // the engine says so itself
	}
	for _, t := range all {
		if t.Closed && t.Pending+t.Sending+t.Held > 0 {
			if err := o.giveUpAll(ctx, t.Target); err != nil && ctx.Err() == nil {
				o.log.Error("what waits for a target that is gone cannot be given up", "target", t.Target, "cause", err)
			}
		}
		if n%lookEvery == 0 && t.Held > 0 {
			o.waiting.add(t.Target)
		}
	}
	if err := o.TransportsChanged(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("parked jobs cannot be released", "cause", err)
	}
}
