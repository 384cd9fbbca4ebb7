package compile

import "slices"

// A delim is a run of delimiters that may open or close something. The list of
// them is linked by prev and next, in the order of the text.
type delim struct {
	token     int32
	prev      int32
	next      int32
	n, length int32 // characters left, and at first
	c         byte
	opens     bool
	closes    bool
	soft      bool // would close, but for the letter behind it

	// The pairs that it closes, innermost first, and those that it opens,
	// outermost first. What is left of the run stands between the two.
	closed, closedEnd, opened int32
}

// A pair is an opening and a closing run, of one style.
type pair struct {
	kind                   contKind
	nextOpened, nextClosed int32 // in the lists of the two runs
}

// delimiter reads the run at i: stars and underscores of any length, two tildes,
// two bars.
//
// The rules of CommonMark decide what may open and close, with two relaxations.
// A letter or mark of Chinese, Japanese or Korean beside the run counts as a
// space would, since these scripts have none. And "**Total:**42" closes if the
// strict rules leave both halves over, see emphasis.
func (p *inliner) delimiter(i int) int {
	s := p.s
	c := s[i]
	n := runLength(s, i)
	if (c == '~' || c == '|') && n != 2 {
		return i + n
	}
	before, after := charBefore(s, i), charAfter(s, i+n)
	const edge = charSpace | charPunct | charWide
	left := after&charSpace == 0 && (after&charPunct == 0 || before&edge != 0)
	right := before&charSpace == 0 && (before&charPunct == 0 || after&edge != 0)
	d := delim{c: c, opens: left, closes: right, n: int32(n), length: int32(n), next: -1}
	switch c {
	case '_':
		d.opens = left && (!right || before&charPunct != 0)
		d.closes = right && (!left || after&charPunct != 0)
	case '|':
		// "a||b" in the midst of words is an operator.
		d.opens = after&charSpace == 0 && before&charAlnum == 0
		d.closes = before&charSpace == 0 && after&charAlnum == 0
	case '*':
		d.soft = n == 2 && left && !right && before&charClose != 0 && after&charAlnum != 0
	}
	if !d.opens && !d.closes {
		return i + n
	}
	at := int32(len(p.delims))
	p.add(i, tokenDelim, at).end = int32(i + n)
	p.from = i + n
	d.token = int32(len(p.tokens) - 1)
	d.prev = p.last
	d.closed, d.opened = -1, -1
	if p.last >= 0 {
		p.delims[p.last].next = at
	}
	p.last = at
	if len(p.delims) == cap(p.delims) {
		p.delims = slices.Grow(p.delims, p.more(len(p.delims)))
	}
	p.delims = append(p.delims, d)
	return i + n
}

// emphasis pairs the delimiters above bottom, and takes them off the list. It is
// the algorithm of CommonMark; bottoms keep it from looking twice in vain.
func (p *inliner) emphasis(bottom int32) {
	if p.last <= bottom {
		return
	}
	ds := p.delims
	first := p.last
	leftover := false
	for ds[first].prev > bottom {
		first = ds[first].prev
	}
	var bottoms [4 * 6]int32
	for i := range bottoms {
		bottoms[i] = bottom
	}
	for at := first; at >= 0; {
		d := &ds[at]
		if d.soft && p.endsBold(at, bottom) {
			d.opens, d.closes = false, true
		}
		if !d.closes {
			leftover = leftover || d.soft
			at = d.next
			continue
		}
		key := styleIndex(d.c)*6 + int(d.length)%3
		if d.opens {
			key += 3
		}
		open := d.prev
		for open > bottoms[key] {
			o := &ds[open]
			if o.c == d.c && o.opens && (d.c == '~' || d.c == '|' ||
				!((d.opens || o.closes) && d.length%3 != 0 && (o.length+d.length)%3 == 0)) {
				break
			}
			open = o.prev
		}
		if open <= bottoms[key] {
			bottoms[key] = d.prev
			next := d.next
			if !d.opens {
				p.unlink(at)
			}
			at = next
			continue
		}
		n := int32(1)
		if d.n >= 2 && ds[open].n >= 2 {
			n = 2
		}
		for ds[at].prev != open {
			p.unlink(ds[at].prev)
		}
		p.pair(open, at, n)
		if ds[open].n == 0 {
			p.unlink(open)
		}
		if d.n == 0 {
			next := d.next
			p.unlink(at)
			at = next
		}
	}
	if leftover && p.last > bottom {
		p.soften(bottom)
	}
	if p.last > bottom {
		for p.last > bottom {
			p.last = ds[p.last].prev
		}
		if p.last >= 0 {
			ds[p.last].next = -1
		}
	}
}

// endsBold reports whether the soft run at at can only be meant to close: two
// stars are open, and the next run of stars, if there is one, opens.
func (p *inliner) endsBold(at, bottom int32) bool {
	const far = 8 // looking further would cost more than it could mend
	n := 0
	for open := p.delims[at].prev; ; open = p.delims[open].prev {
		if n++; open <= bottom || n > far {
			return false
		}
		if o := &p.delims[open]; o.c == '*' {
			if !o.opens || o.n != 2 || o.length != 2 {
				return false
			}
			break
		}
	}
	n = 0
	for next := p.delims[at].next; next >= 0; next = p.delims[next].next {
		if n++; n > far {
			return false
		}
		if d := &p.delims[next]; d.c == '*' {
			return d.opens && !d.closes && !d.soft
		}
	}
	return true
}

// soften pairs what the strict rules left over: "**Total (net):**42" can only be
// meant as bold, though the letter behind the last run makes it an opening one.
func (p *inliner) soften(bottom int32) {
	first := p.last
	for p.delims[first].prev > bottom {
		first = p.delims[first].prev
	}
	open := int32(-1)
	for at := first; at >= 0; {
		d := &p.delims[at]
		next := d.next
		if d.c == '*' && d.opens && d.n == 2 && d.length == 2 {
			if d.soft && open >= 0 {
				for p.delims[at].prev != open {
					p.unlink(p.delims[at].prev)
				}
				p.pair(open, at, 2)
				p.unlink(open)
				p.unlink(at)
				open = -1
			} else {
				open = at
			}
		}
		at = next
	}
}

func styleIndex(c byte) int {
	switch c {
	case '*':
		return 0
	case '_':
		return 1
	case '~':
		return 2
	}
	return 3
}

// pair takes n characters of both runs to enclose what is between them.
func (p *inliner) pair(open, closed, n int32) {
	o, d := &p.delims[open], &p.delims[closed]
	kind := contStrong
	switch {
	case o.c == '~':
		kind = contStrike
	case o.c == '|':
		kind = contSpoiler
	case n == 1:
		kind = contEmphasis
	}
	o.n -= n
	d.n -= n
	at := int32(len(p.pairs))
	if len(p.pairs) == cap(p.pairs) {
		p.pairs = slices.Grow(p.pairs, 8+cap(p.pairs))
	}
	p.pairs = append(p.pairs, pair{kind: kind, nextOpened: o.opened, nextClosed: -1})
	o.opened = at
	if d.closed < 0 {
		d.closed = at
	} else {
		p.pairs[d.closedEnd].nextClosed = at
	}
	d.closedEnd = at
	p.tokens[o.token].end -= n
	p.tokens[d.token].end -= n
}

func (p *inliner) unlink(at int32) {
	d := &p.delims[at]
	if d.prev >= 0 {
		p.delims[d.prev].next = d.next
	}
	if d.next >= 0 {
		p.delims[d.next].prev = d.prev
	} else {
		p.last = d.prev
	}
}
