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
	size  int
	make  func() (*Answer, error)
}

// The bounds of what is kept, in messages and in bytes of their sources. A document
// takes several times as much as its source.
const (
	keptAnswers = 64
	keptBytes   = 8 << 20
)

// of is the answer that an entry holds, as an epoch has it, whose source has so many
// bytes. What fails is not kept.
func (k *answers) of(entry ledger.EntryID, at *snapshot, size int, compile func() (*Answer, error)) (*Answer, error) {
	a, err := k.get(entry, at, size, compile).make()
	if err != nil {
		k.forget(entry, at)
	}
	return a, err
}

func (k *answers) get(entry ledger.EntryID, at *snapshot, size int, compile func() (*Answer, error)) *keptAnswer {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, a := range k.kept {
		if a.entry == entry && a.at == at {
			k.kept = append(slices.Delete(k.kept, i, i+1), a)
			return a
		}
	}
	a := &keptAnswer{entry: entry, at: at, size: size, make: sync.OnceValues(compile)}
	k.kept = append(k.kept, a)
	for k.size += size; len(k.kept) > 1 && (len(k.kept) > keptAnswers || k.size > keptBytes); {
		k.size -= k.kept[0].size
		k.kept = slices.Delete(k.kept, 0, 1)
	}
	return a
}

func (k *answers) forget(entry ledger.EntryID, at *snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, a := range k.kept {
		if a.entry == entry && a.at == at {
			k.kept, k.size = slices.Delete(k.kept, i, i+1), k.size-a.size
			return
		}
	}
}
