package store

import (
	"container/heap"
	"time"
)

// A Pick is a job that was claimed.
type Pick struct {
	Key   Key
	Place Place
	Lease Lease
	Probe bool // it passes one before it that is not due
}

// Claim hands out at most max jobs that may go at now, one a lane, those lanes
// first that were served longest ago. busy names jobs that are left out for the
// moment. holds are held jobs whose time has come, next is when to ask again.
func (x *Index) Claim(now time.Time, max int, busy func(Key) bool) (picks []Pick, holds []Place, next time.Time) {
	at := now.UnixMilli()
	var again []*lane
	for len(picks) < max && len(x.lanes) > 0 && x.lanes[0].wake <= at {
		l := x.lanes[0]
		s, probe := x.candidate(l, at)
		if busy != nil && busy(x.jobs[s].key) {
			heap.Pop(&x.lanes)
			again = append(again, l)
			continue
		}
		x.issued++
		x.leases[s] = lease{token: x.issued, end: now.Add(LeaseTime).UnixMilli()}
		l.claimed, l.served = s, at
		x.settle(l)
		picks = append(picks, Pick{Key: x.jobs[s].key, Place: x.jobs[s].place, Lease: x.issued, Probe: probe})
	}
	for _, l := range again {
		x.settle(l)
	}
	for x.holds.Len() > 0 && len(holds) < max && x.holds.job(0).due <= at {
		j := x.holds.job(0)
		holds = append(holds, j.place)
		j.due = now.Add(LeaseTime).UnixMilli() // to be told again, should nobody do anything about it
		heap.Fix(&x.holds, 0)
	}
	wake := int64(never)
	if len(x.lanes) > 0 {
		wake = x.lanes[0].wake
	}
	if x.holds.Len() > 0 {
		wake = min(wake, x.holds.job(0).due)
	}
	if wake != never {
		next = time.UnixMilli(wake).UTC()
	}
	return picks, holds, next
}

// candidate is the job of a lane that may go at now, if l.wake says that one may.
func (x *Index) candidate(l *lane, now int64) (s slot, probe bool) {
	if s := l.claimed; s != 0 { // its lease has ended
		return s, s != l.jobs.first
	}
	head := &x.jobs[l.jobs.first]
	if head.due <= now || head.attempts < ProbeAfter || head.next == 0 {
		return l.jobs.first, false
	}
	return head.next, true
}

// settle finds out when something of a lane may go, after anything changed in it.
func (x *Index) settle(l *lane) {
	wake := int64(never)
	switch {
	case l.target.row.Closed || l.jobs.n == 0:
	case l.claimed != 0:
		wake = x.leases[l.claimed].end
	default:
		head := &x.jobs[l.jobs.first]
		wake = head.due
		if head.attempts >= ProbeAfter && head.next != 0 {
			wake = min(wake, x.jobs[head.next].due)
		}
		wake = max(wake, l.target.until, l.served)
	}
	l.wake = wake
	switch {
	case wake == never && l.at >= 0:
		heap.Remove(&x.lanes, l.at)
	case wake == never:
	case l.at >= 0:
		heap.Fix(&x.lanes, l.at)
	default:
		heap.Push(&x.lanes, l)
	}
}

// arm sets the timer of a held job that has a time.
func (x *Index) arm(s slot) {
	j := &x.jobs[s]
	switch {
	case states[j.state] != Held || j.due == 0:
		x.disarm(s)
	case j.timer >= 0:
		heap.Fix(&x.holds, int(j.timer))
	default:
		heap.Push(&x.holds, s)
	}
}

func (x *Index) disarm(s slot) {
	if i := x.jobs[s].timer; i >= 0 {
		heap.Remove(&x.holds, int(i))
	}
}

// A laneHeap has the lane first whose time comes first.
type laneHeap []*lane

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i].wake < h[j].wake }
func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}
func (h *laneHeap) Push(v any) {
	l := v.(*lane)
	l.at = len(*h)
	*h = append(*h, l)
}
func (h *laneHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	l.at = -1
	return l
}

// A holdHeap has the held job first whose time comes first, and of several with
// the same time the one that was held first.
type holdHeap struct {
	index *Index
	slots []slot
}

func (h *holdHeap) job(i int) *job { return &h.index.jobs[h.slots[i]] }
func (h *holdHeap) Len() int       { return len(h.slots) }
func (h *holdHeap) Less(i, j int) bool {
	a, b := h.job(i), h.job(j)
	return a.due < b.due || a.due == b.due && a.place < b.place
}
func (h *holdHeap) Swap(i, j int) {
	h.slots[i], h.slots[j] = h.slots[j], h.slots[i]
	h.job(i).timer, h.job(j).timer = int32(i), int32(j)
}
func (h *holdHeap) Push(v any) {
	s := v.(slot)
	h.index.jobs[s].timer = int32(len(h.slots))
	h.slots = append(h.slots, s)
}
func (h *holdHeap) Pop() any {
	s := h.slots[len(h.slots)-1]
	h.slots = h.slots[:len(h.slots)-1]
	h.index.jobs[s].timer = -1
	return s
}
