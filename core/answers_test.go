package core

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/seed-1ae66336/vak/core/ledger"
)

func TestAnswersAreCompiledOnce(t *testing.T) {
	var k answers
	var mu sync.Mutex
	compiled := map[ledger.Seq]int{}
	get := func(seq ledger.Seq, size int) *Answer {
		a, err := k.of(ledger.EntryID{Session: "s", Seq: seq}, nil, func() (*Answer, error) {
			mu.Lock()
			defer mu.Unlock()
			compiled[seq]++
			return &Answer{source: strings.Repeat("x", size)}, nil
		})
		if err != nil {
			t.Error(err)
		}
		return a
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { get(1, 10) })
	}
	wg.Wait()
	if compiled[1] != 1 {
		t.Errorf("compiled %d times for 100 targets", compiled[1])
	}
	for seq := ledger.Seq(2); seq < 2+keptAnswers; seq++ {
		get(seq, 10)
	}
	get(1, 10)
	if compiled[1] != 2 || len(k.kept) != keptAnswers || k.size != 10*keptAnswers {
		t.Errorf("it was kept past the bound: %d, %d answers of %d bytes", compiled[1], len(k.kept), k.size)
	}
	get(1000, keptBytes+1) // larger than all that may be kept: it is the only one
	get(1000, keptBytes+1)
	if len(k.kept) != 1 || compiled[1000] != 1 {
		t.Errorf("%d answers, compiled %d times", len(k.kept), compiled[1000])
	}
	bad := errors.New("bad")
	for range 2 {
		if _, err := k.of(ledger.EntryID{Session: "s", Seq: 5000}, nil, func() (*Answer, error) { return nil, bad }); !errors.Is(err, bad) {
			t.Error(err)
		}
	}
	if len(k.kept) > 1 || k.size > keptBytes+1 {
		t.Errorf("what failed was kept: %d answers of %d bytes", len(k.kept), k.size)
	}
}
