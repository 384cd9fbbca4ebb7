package outbox

import (
	"context"
	"errors"

	"github.com/seed-1ae66336/vak/core/internal/store"
)

// Content returns what was submitted as a job, and what it was rendered to: nil
// before it is. Parts that were split since are as they are now.
func (o *Outbox) Content(ctx context.Context, id string) (*Submission, *Rendering, error) {
	row, err := o.config.Store.Job(ctx, id)
	if errors.Is(err, store.NotFound) {
		return nil, nil, &Error{Kind: NotFound, Job: id, What: "is not known", Mend: "see \"vak outbox list\""}
	}
	if err != nil {
		return nil, nil, err
	}
	history, err := o.config.Store.History(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	d, err := fold(row, history)
	if err != nil {
		return nil, nil, &Error{Kind: State, Job: id, What: "cannot be read: " + err.Error()}
	}
	if d.rendering != nil {
		d.rendering.Parts = d.rendering.Parts[:0]
		for _, p := range d.parts {
			d.rendering.Parts = append(d.rendering.Parts, p.Part)
		}
	}
	return &d.sub, d.rendering, nil
}

// Waiting are the epochs of the jobs that were accepted and not rendered yet. It
// reads the history of every live job.
func (o *Outbox) Waiting(ctx context.Context) (map[uint64]bool, error) {
	out := map[uint64]bool{}
	for row, err := range o.config.Store.Jobs(ctx, store.Filter{}) {
		if unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		history, err := o.config.Store.History(ctx, row.Job)
		if unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if d, err := fold(row, history); err == nil && d.rendering == nil {
			out[d.sub.Epoch] = true
		}
	}
	return out, nil
}
