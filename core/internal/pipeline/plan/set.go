package plan

import (
	"iter"
	"math/bits"
)

// A set is a set of small numbers, one bit each.
type set []uint64

func (s set) add(i uint32)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i uint32) bool { return s[i/64]&(1<<(i%64)) != 0 }

// hasAll reports whether all of ids are in s.
func (s set) hasAll(ids []uint32) bool {
	for _, i := range ids {
		if !s.has(i) {
			return false
		}
	}
	return true
}

// all yields the members in ascending order.
func (s set) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// names numbers names.
type names struct {
	of []string
	id map[string]uint32
}

// number is the number of name, a new one if it has none.
func (n *names) number(name string) uint32 {
	if id, ok := n.id[name]; ok {
		return id
	}
	if n.id == nil {
		n.id = map[string]uint32{}
	}
	id := uint32(len(n.of))
	n.id[name] = id
	n.of = append(n.of, name)
	return id
}

// words is the length of a set of these names.
func (n *names) words() int { return len(n.of)/64 + 1 }

// in is the set of those of list that have a number.
func (n *names) in(list ...[]string) set {
	s := make(set, n.words())
	for _, l := range list {
		for _, name := range l {
			if id, ok := n.id[name]; ok {
				s.add(id)
			}
		}
	}
	return s
}
