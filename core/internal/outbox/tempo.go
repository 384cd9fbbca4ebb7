package outbox

import (
	"context"
	"time"
)

// A Tempo is how many times as fast as usual an outbox lives: its rates, the times
// between attempts and those of its breakers. 0 and 1 are as usual. What a
// platform asks for is kept as it is.
//
// It is for tests that cannot wait for hours; nobody outside core can name it.
type Tempo int

type tempoKey struct{}

// WithTempo returns a context with which [New] makes an outbox that lives at t.
func WithTempo(ctx context.Context, t Tempo) context.Context {
	return context.WithValue(ctx, tempoKey{}, t)
}

func tempoOf(ctx context.Context) Tempo {
	t, _ := ctx.Value(tempoKey{}).(Tempo)
	return t
}

// of is a time at this tempo.
func (t Tempo) of(d time.Duration) time.Duration { return d / time.Duration(max(t, 1)) }

// rates are rates at this tempo.
func (t Tempo) rates(all []Rate) []Rate {
	out := make([]Rate, len(all))
	for i, r := range all {
		out[i] = Rate{r.Messages, t.of(r.Per)}
	}
	return out
}
