package cover

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A matcher finds parts in a haystack, in order. The cursor only moves forward.
type matcher struct {
	hay    haystack
	blocks []block
	strict bool // a word stands right behind the one before it
	near   bool // look no further ahead than window: for finding where a loss is

	pos    int // everything before it is used up
	mark   int // the first start of a target from pos on; -1: not known
	work   int // bytes that were looked at in vain
	losses []Loss
}

func newMatcher(h haystack, bs []block) matcher { return matcher{hay: h, blocks: bs, mark: -1} }

// window is how far ahead, in bytes, a matcher that is near looks for a word.
const window = 96

// spent reports whether more was looked at in vain than decorations between
// words account for: the text repeats itself over and over.
func (m *matcher) spent() bool { return m.work > 1<<16+16*len(m.hay.text) }

func (m *matcher) lose(block int, w What) {
	l := Loss{Block: m.blocks[block].id, Chunk: -1, What: w}
	if n := len(m.losses); n == 0 || m.losses[n-1] != l {
		m.losses = append(m.losses, l)
	}
}

// run looks for all parts. Only a matcher that is near goes on behind a loss.
func (m *matcher) run(parts []part) {
	for i := range parts {
		p := &parts[i]
		lo, hi := m.region(p.block)
		if m.part(p, max(m.pos, lo), hi) {
			continue
		}
		switch {
		case m.spent():
			m.lose(p.block, TooCostly)
			return
		case m.near && m.elsewhere(p, hi):
			m.lose(p.block, WrongChunk)
		default:
			m.lose(p.block, missing(p.role))
		}
		if !m.near || len(m.losses) > maxLosses {
			return
		}
	}
}

func missing(r doc.Role) What {
	switch r {
	case doc.RoleTarget:
		return MissingTarget
	case doc.RoleNumber:
		return MissingNumber
	case doc.RoleTask:
		return MissingTask
	case roleTable:
		return MissingCell
	}
	return MissingText
}

// region is the part of the haystack that blocks[i] must be in: nothing, where
// no chunk names the block.
func (m *matcher) region(i int) (lo, hi int) {
	b := &m.blocks[i]
	if b.first < 0 {
		return m.pos, m.pos
	}
	return m.hay.start[b.first], m.hay.start[b.last+1]
}

// elsewhere reports whether p stands whole behind the chunks that name its
// block.
func (m *matcher) elsewhere(p *part, hi int) bool {
	if p.role == roleTable {
		return false
	}
	probe := newMatcher(m.hay, m.blocks)
	from, end := max(m.pos, hi), len(m.hay.text)
	m.work += end - from
	return probe.part(p, from, end)
}

// part looks for p in [from, hi) and moves the cursor behind it.
func (m *matcher) part(p *part, from, hi int) bool {
	if hi < from {
		return false
	}
	m.pos = from
	switch p.role {
	case doc.RoleTarget:
		return m.target(p.text, hi)
	case doc.RoleNumber:
		return m.number(p.text, hi)
	case doc.RoleTask:
		return m.task(p.text, hi)
	case roleTable:
		return m.table(p.block, hi)
	}
	return m.text(p.text, hi)
}

// text looks for the words of s in [m.pos, hi), each behind the one before.
func (m *matcher) text(s string, hi int) bool {
	t := m.hay.text
	all := true
	i, j := 0, m.pos
	word := 0   // where the word at hand starts in s
	since := j  // from where in t it is looked for
	begin := -1 // where in t it starts, if some of it has been found
	for {
		if n := common(s[i:], t[j:hi]); n > 0 {
			if w := lastSpace(s[i : i+n]); w >= 0 {
				word, begin, since = i+w+1, j+w+1, j+w+1
			} else if i == word {
				begin = j
			}
			i, j = i+n, j+n
		}
		if i == len(s) {
			break
		}
		// Two characters may differ in their second byte.
		for i > word && !utf8.RuneStart(s[i]) {
			i, j = i-1, j-1
		}
		if n := ignorable(s[i:]); n > 0 {
			i += n
			if !joins(s[i-n : i]) {
				word, since = i, j // a space ends a word
			} else if word == i-n {
				word = i // none starts with what need not be there
			}
			continue
		}
		if j < hi {
			if n := ignorable(t[j:hi]); n > 0 {
				j += n
				continue
			}
			switch t[j] {
			case dialect.TargetStart:
				j = min(j+m.hay.markLen(j), hi)
				continue
			case border:
				j++
				if i > word {
					word, since = i, j // a chunk may end within a word
				}
				continue
			}
		}
		if i == word {
			begin = j
		} else if back, n := m.closes(s[word:i], j); n > 0 && j-back+n < hi && (m.strict || !m.within(s[word:], begin+1, j-back+n)) {
			i, j = i-back, j-back+n
			continue
		}
		m.work += j - begin + 1
		if m.strict {
			// What was taken for the start of the word may be such a mark.
			if n := m.reopens(begin, hi); n > 0 && word > 0 {
				i, j = word, begin+n
				continue
			}
			return false
		}
		next := m.next(s[word], begin+1, since, hi)
		if next >= 0 && !m.spent() {
			i, j = word, next
			continue
		}
		if !m.near || m.spent() {
			return false
		}
		// Go on without the word, from where it was looked for.
		all = false
		for i = word; i < len(s) && (ignorable(s[i:]) == 0 || joins(s[i:])); {
			i++
		}
		j, word = since, i
	}
	m.pos = j
	return all
}

// reopens returns the length of what stands at j between two words of one text:
// the mark of a quote at the start of a line, what closes constructs at the end
// of a chunk, and what opens them again in the next.
func (m *matcher) reopens(j, hi int) int {
	t := m.hay.text
	if n := m.hay.closing(j); n > 0 && j+n < hi {
		return n
	}
	line := j
	for line > 0 {
		n := len("›")
		if t[line-1] == ' ' || t[line-1] == '>' {
			n = 1
		} else if !bytes.HasSuffix(t[:line], []byte("›")) {
			break
		}
		line -= n
	}
	switch {
	case line == 0 || t[line-1] == '\n':
		return mark(t[j:hi])
	case t[line-1] == border:
		return max(mark(t[j:hi]), filler(t[j:hi]))
	}
	return 0
}

// closes looks for what closes constructs at the end of a chunk, at j or a few
// bytes before: these may have been taken for the last of what is in said.
func (m *matcher) closes(said string, j int) (back, n int) {
	for back < min(len(said), 4, j) {
		if n = m.hay.closing(j - back); n > 0 {
			break
		}
		if back++; m.hay.text[j-back] != said[len(said)-back] {
			break
		}
	}
	return back, n
}

// within reports whether the first word of s stands in [from, to) as a whole.
func (m *matcher) within(s string, from, to int) bool {
	n := 0
	for n < len(s) && (ignorable(s[n:]) == 0 || joins(s[n:])) {
		n++
	}
	m.work += max(to-from, 0)
	probe := newMatcher(m.hay, m.blocks)
	probe.pos = from
	return probe.text(s[:n], to)
}

// next returns the first place from from on, up to hi, where c stands in text,
// or -1. A matcher that is near gives up window bytes behind since.
func (m *matcher) next(c byte, from, since, hi int) int {
	t := m.hay.text
	most := hi
	if m.near {
		hi = min(hi, since+window)
	}
	for at := from; at < hi; {
		n := bytes.IndexByte(t[at:hi], c)
		end := hi
		if n >= 0 {
			end = at + n
		}
		if k := bytes.IndexByte(t[at:end], dialect.TargetStart); k >= 0 {
			long := m.hay.markLen(at + k)
			at += k + long
			if m.near {
				hi = min(hi+long, most)
			}
			continue
		}
		if n >= 0 {
			return end
		}
		break
	}
	m.work += max(hi-from, 0)
	return -1
}

// target looks for an address: printed in text, or the whole of one behind a
// label.
func (m *matcher) target(s string, hi int) bool {
	t := m.hay.text
	near := m.near
	defer func() { m.near = near }()
	from := m.pos
	for j := from; ; {
		if m.mark < j {
			m.mark = len(t)
			if k := bytes.IndexByte(t[j:], dialect.TargetStart); k >= 0 {
				m.mark = j + k
			}
		}
		stop := min(hi, m.mark)
		if near {
			stop = min(stop, j+window+len(s))
		}
		m.pos, m.near = j, false
		if m.text(s, stop) {
			return true
		}
		if m.mark >= hi || m.spent() || near && j > from+window {
			m.pos, m.mark = from, -1
			return false
		}
		n := m.hay.markLen(m.mark)
		if same(s, t[m.mark+1:m.mark+n-1]) {
			m.pos = m.mark + n
			return true
		}
		j = m.mark + n
	}
}

// number looks for the number of an item with its full stop.
func (m *matcher) number(s string, hi int) bool {
	t := m.hay.text
	from := m.pos
	for try := 0; m.text(s, hi); try++ {
		digit := m.pos > len(s) && isDigit(t[m.pos-len(s)-1])
		if m.pos < hi && (t[m.pos] == '.' || t[m.pos] == ')') && !digit {
			m.pos++
			return true
		}
		if m.near && try > 4 {
			break
		}
	}
	m.pos = from
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// marks are how a state of a task is shown. Those of doc come first.
var marks = map[string][]string{
	doc.TaskOpen.Mark(): {doc.TaskOpen.Mark(), "[ ]", "⬜"},
	doc.TaskDone.Mark(): {doc.TaskDone.Mark(), "[x]", "[X]", "✅", "✔"},
}

// task looks for a mark that says the same as s.
func (m *matcher) task(s string, hi int) bool {
	from := m.pos
	if m.near {
		hi = min(hi, from+window)
	}
	all := marks[s]
	for j := from; j < hi; j++ {
		if c := m.hay.text[j]; c != '[' && c < utf8.RuneSelf {
			continue
		}
		for _, k := range all {
			if bytes.HasPrefix(m.hay.text[j:hi], []byte(k)) {
				m.pos = j + len(k)
				return true
			}
		}
	}
	m.work += hi - from
	return false
}

// same reports whether a and b are the same but for characters that do not
// count.
func same(a string, b []byte) bool {
	for {
		n := common(a, b)
		a, b = a[n:], b[n:]
		if n := ignorable(a); n > 0 {
			a = a[n:]
			continue
		}
		if n := ignorable(b); n > 0 {
			b = b[n:]
			continue
		}
		return len(a) == 0 && len(b) == 0
	}
}

// common returns how many bytes a and b have in common at their start, up to
// the first control character: those mean something in a haystack.
func common(a string, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		x := load(a[i : i+8])
		// The second term is not 0 if a byte is below 0x20.
		if x != binary.LittleEndian.Uint64(b[i:]) || (x-0x2020202020202020)&^x&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < n; i++ {
		if c := a[i]; c != b[i] || c < ' ' && c != '\n' && c != '\t' {
			break
		}
	}
	return i
}

func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// lastSpace returns the offset of the last ASCII space in s, or -1.
func lastSpace(s string) int {
	i := len(s) - 1
	for i >= 0 && s[i] > ' ' {
		i--
	}
	return i
}

// joins reports whether s starts with a character that does not end a word
// though it shows nothing.
func joins(s string) bool {
	r, _ := decode(s)
	return thin(r)
}
