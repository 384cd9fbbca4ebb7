package core

import (
	"slices"
	"sync"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// answers keeps what was compiled last: a message is compiled once, however many
// targets it goes to. Its zero value is ready.
type answers struct {
	mu   sync.Mutex
	kept []*keptAnswer // the one used last at the end
	size int
}

// A keptAnswer is one that is compiled by whoever needs it first.
type keptAnswer struct {
	entry ledger.EntryID
	at    *snapshot
	size  int // of the source; 0: it is not compiled yet, or empty
	make  func() (*Answer, error)
}

// The bounds of what is kept, in messages and in bytes of their sources. A document
// takes several times as much as its source.
const (
	keptAnswers = 64
	keptBytes   = 8 << 20
)

// of is the answer that an entry holds, as an epoch has it. What fails is not kept.
func (k *answers) of(entry ledger.EntryID, at *snapshot, compile func() (*Answer, error)) (*Answer, error) {
	kept := k.get(entry, at, compile)
	a, err := kept.make()
	if err != nil {
		k.forget(entry, at)
		return nil, err
	}
	k.weigh(kept, len(a.source))
	return a, nil
}

func (k *answers) get(entry ledger.EntryID, at *snapshot, compile func() (*Answer, error)) *keptAnswer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := k.index(entry, at); i >= 0 {
		a := k.kept[i]
		k.kept = append(slices.Delete(k.kept, i, i+1), a)
		return a
	}
	a := &keptAnswer{entry: entry, at: at, make: sync.OnceValues(compile)}
	k.kept = append(k.kept, a)
	k.trim()
	return a
}

// weigh notes the size of an answer that is kept, once it is known.
func (k *answers) weigh(a *keptAnswer, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.size == 0 && slices.Contains(k.kept, a) {
		a.size = size
		k.size += size
		k.trim()
	}
}

// trim lets go of what was used longest ago. The caller holds k.mu.
func (k *answers) trim() {
	for len(k.kept) > 1 && (len(k.kept) > keptAnswers || k.size > keptBytes) {
		k.size -= k.kept[0].size
		k.kept = slices.Delete(k.kept, 0, 1)
	}
}

func (k *answers) forget(entry ledger.EntryID, at *snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := k.index(entry, at); i >= 0 {
		k.size -= k.kept[i].size
		k.kept = slices.Delete(k.kept, i, i+1)
	}
}

// index is the place of an answer, or -1. The caller holds k.mu.
func (k *answers) index(entry ledger.EntryID, at *snapshot) int {
	return slices.IndexFunc(k.kept, func(a *keptAnswer) bool { return a.entry == entry && a.at == at })
}
