package plan

import (
	"cmp"
	"slices"
	"strings"
)

// A finding is the search for the recipe of one answer on one target.
type finding struct {
	p       *Planner
	signals set
	types   set
	surface string
	matches []uint32 // the best recipes that match, in their order, but those of last resort
	near    ranking  // the best of the others that have all of their signals
}

// carries notes that a type of card occurs.
func (f *finding) carries(name string) {
	for ; name != ""; name = standsFor[name] {
		if id, ok := f.p.types.id[name]; ok {
			f.types.add(id)
		}
	}
}

// match finds the best recipes and returns the one that wins. It looks at those
// only whose rarest signal is there.
func (f *finding) match() (best uint32) {
	const most = MaxRejected + 1
	for id := range f.signals.all() {
		for _, e := range f.p.first[id] {
			i := e.recipe
			if len(f.matches) == most && i > f.matches[most-1] {
				break // the lists are in order: nothing better follows
			}
			if !f.signals.has(e.second) {
				continue
			}
			r := &f.p.recipes[i]
			switch {
			case !f.signals.hasAll(r.signals):
			case !f.types.hasAll(r.types):
				f.near.add(lacksTypes, f.lacking(f.types, r.types), i)
			case !r.on(f.surface):
				f.near.add(elsewhere, 0, i)
			default:
				at, _ := slices.BinarySearch(f.matches, i)
				f.matches = slices.Insert(f.matches, at, i)
				f.matches = f.matches[:min(len(f.matches), most)]
			}
		}
	}
	if len(f.matches) > 0 {
		return f.matches[0]
	}
	// Those of last resort stand at the end, and one of them is for all surfaces.
	i := f.p.basic
	for !f.p.recipes[i].on(f.surface) {
		i++
	}
	return uint32(i)
}

// on reports whether r is for a surface.
func (r *recipe) on(surface string) bool {
	return len(r.surfaces) == 0 || slices.Contains(r.surfaces, surface)
}

func (f *finding) lacking(have set, of []uint32) int {
	n := 0
	for _, id := range of {
		if !have.has(id) {
			n++
		}
	}
	return n
}

// Why a recipe does not match, the slightest reason first.
type lack byte

const (
	elsewhere lack = iota
	lacksTypes
	lacksSignals
)

// A ranking holds the best candidates that it was given. What lacks less comes
// first, then what is first in the order of recipes.
type ranking struct {
	keys []uint64
}

func (r *ranking) add(why lack, missing int, recipe uint32) {
	key := uint64(why)<<48 | uint64(missing)<<32 | uint64(recipe)
	n := len(r.keys)
	if n == MaxRejected && key > r.keys[n-1] {
		return
	}
	at, _ := slices.BinarySearch(r.keys, key)
	r.keys = slices.Insert(r.keys, at, key)
	r.keys = r.keys[:min(len(r.keys), MaxRejected)]
}

// maxNamed bounds how many times recipes are counted that have a signal in common
// with the answer, and not all. The rarest signals are counted first.
const maxNamed = 2048

// rejected are the best recipes but the one that was taken and those of last resort.
func (f *finding) rejected(best uint32) []Candidate {
	out := []Candidate{}
	won := &f.p.recipes[best]
	for _, i := range f.matches {
		if i != best && len(out) < MaxRejected {
			out = append(out, Candidate{Recipe: f.p.recipes[i].Ref, Reason: won.beats(&f.p.recipes[i])})
		}
	}
	if len(out)+len(f.near.keys) < MaxRejected {
		f.count()
	}
	for _, key := range f.near.keys[:min(len(f.near.keys), MaxRejected-len(out))] {
		out = append(out, f.candidate(lack(key>>48), &f.p.recipes[uint32(key)]))
	}
	return out
}

// count adds those that have some of their signals.
func (f *finding) count() {
	var present []uint32
	for id := range f.signals.all() {
		if len(f.p.naming[id]) > 0 {
			present = append(present, id)
		}
	}
	slices.SortFunc(present, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(len(f.p.naming[a]), len(f.p.naming[b])), strings.Compare(f.p.names.of[a], f.p.names.of[b]))
	})
	// A recipe that was counted as often as it has signals has all of them. Where the
	// count had to end early, what one lacks is looked up instead.
	counts := make([]uint16, len(f.p.recipes))
	left := maxNamed
	for at, id := range present {
		of := f.p.naming[id]
		if left -= len(of); left < 0 {
			present = present[:at+1]
			break
		}
		for _, i := range of {
			counts[i]++
		}
	}
	whole := left >= 0
	left = maxNamed
	for _, id := range present {
		of := f.p.naming[id]
		of = of[:min(len(of), left)]
		left -= len(of)
		for _, i := range of {
			if counts[i] == done {
				continue
			}
			missing := int(f.p.sizes[i] - counts[i])
			if !whole {
				missing = f.lacking(f.signals, f.p.recipes[i].signals)
			}
			if missing > 0 {
				f.near.add(lacksSignals, missing, i)
			}
			counts[i] = done
		}
	}
}

// done marks a recipe that was looked at. None has so many signals.
const done = 1<<16 - 1

// candidate says why r does not match.
func (f *finding) candidate(why lack, r *recipe) Candidate {
	c := Candidate{Recipe: r.Ref}
	switch why {
	case elsewhere:
		c.Reason = "not for this surface"
	case lacksTypes:
		for _, id := range r.types {
			if !f.types.has(id) {
				c.Missing = append(c.Missing, f.p.types.of[id])
			}
		}
		slices.Sort(c.Missing)
		c.Reason = needs("card type", c.Missing)
	case lacksSignals:
		for _, id := range r.signals {
			if !f.signals.has(id) {
				c.Missing = append(c.Missing, f.p.names.of[id])
			}
		}
		slices.Sort(c.Missing)
		c.Reason = needs("signal", c.Missing)
	}
	return c
}

// beats says why r was taken and not another that matches as well.
func (r *recipe) beats(other *recipe) string {
	switch {
	case len(r.signals) > len(other.signals), len(r.types) > len(other.types):
		return "a more specific recipe matched"
	case r.priority > other.priority:
		return "a recipe of higher priority matched"
	}
	return "a recipe that matched as well comes first by its name"
}
