package control

import (
	"context"
	"errors"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/seed-1ae66336/vak/core/ledger"
)

func (k *kept) WhyJob(_ context.Context, id string) (Why, error) {
	if id != "a/1" {
		return Why{}, &Error{Kind: NotFound, What: "there is no job"}
	}
	w := Why{Target: "log:x", Job: id}
	w.Recipe.ID, w.Summary = "answer.basic", "markdown:native"
	return w, nil
}

func (k *kept) WhyEntry(_ context.Context, e ledger.EntryID, surfaces []string) (out []Why, _ error) {
	for _, s := range surfaces {
		out = append(out, Why{Target: s, Entry: e.String()})
	}
	return out, nil
}

func TestWhy(t *testing.T) {
	for name, c := range clients(t, hclog.NewNullLogger()) {
		w, err := c.WhyJob(t.Context(), "a/1")
		if err != nil || w.Recipe.ID != "answer.basic" || w.Job != "a/1" {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
		if _, err := c.WhyJob(t.Context(), "b"); !errors.Is(err, NotFound) {
			t.Errorf("%s: %v", name, err)
		}
		all, err := c.WhyEntry(t.Context(), "demo/12", []string{"log", "slack"})
		if err != nil || len(all) != 2 || all[1].Target != "slack" || all[1].Entry != "demo/12" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		if _, err := c.WhyEntry(t.Context(), "no entry", nil); !errors.Is(err, Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
