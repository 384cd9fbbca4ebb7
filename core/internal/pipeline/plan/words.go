package plan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// border stands in the stream of bytes that words are looked for in wherever a
// word begins or ends. It does not occur in UTF-8. With it in the keywords, too,
// a keyword matches whole words without any check of its own.
const border = 0xff

// words finds any number of keywords in one pass over a text: the automaton of Aho
// and Corasick. States are numbered breadth first, so that the children of a state
// stand side by side and a state needs nothing but the number of its first one.
type words struct {
	states []state
	label  []byte   // by state, the byte that leads to it
	ends   []uint32 // by state, 1 + the number of the keyword that ends there; 0: none
	rows   [][256]uint32
	count  int // of keywords
}

// A state is a beginning of keywords. What is asked of one for every byte stands
// together, which counts where the automaton is larger than a cache.
type state struct {
	first uint32 // of its children
	end   uint32 // behind the last of them
	fail  uint32 // the state of the longest end of its text that begins a keyword, too
	says  uint32 // the nearest on the way of fail, itself included, where a keyword ends; 0: none
	row   int32  // of its transitions, or -1
}

// manyChildren is from how many children on a state gets a row of transitions.
const manyChildren = 6

// newWords makes an automaton of what [stream] made of keywords. They differ.
func newWords(keywords []string) *words {
	order := make([]int, len(keywords))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(keywords[a], keywords[b]) })

	// A state is the keywords that begin alike, which are neighbours in the order.
	type group struct{ from, to, depth int }
	w := &words{label: []byte{0}, count: len(keywords)}
	groups := []group{{0, len(keywords), 0}}
	for s := 0; s < len(groups); s++ {
		g := groups[s]
		first := uint32(len(groups))
		w.ends = append(w.ends, 0)
		if g.from < g.to && len(keywords[order[g.from]]) == g.depth {
			w.ends[s] = uint32(order[g.from]) + 1
			g.from++
		}
		for from := g.from; from < g.to; {
			b := keywords[order[from]][g.depth]
			to := from + 1
			for to < g.to && keywords[order[to]][g.depth] == b {
				to++
			}
			groups = append(groups, group{from, to, g.depth + 1})
			w.label = append(w.label, b)
			from = to
		}
		w.states = append(w.states, state{first: first, end: uint32(len(groups)), row: -1})
	}
	w.link()
	return w
}

// link finds where every state goes on when it has no child for a byte.
func (w *words) link() {
	for i := range w.states {
		s := &w.states[i]
		if s.says = w.states[s.fail].says; w.ends[i] != 0 {
			s.says = uint32(i)
		}
		for c := s.first; c < s.end; c++ {
			if i != 0 {
				w.states[c].fail = w.step(s.fail, w.label[c])
			}
		}
		// What follows in the order fails to states before it only, so their rows
		// are there when they are asked for.
		if i == 0 || s.end-s.first >= manyChildren {
			var row [256]uint32
			for b := range row {
				row[b] = w.step(uint32(i), byte(b))
			}
			s.row = int32(len(w.rows))
			w.rows = append(w.rows, row)
		}
	}
}

// step is the state after s and b.
func (w *words) step(s uint32, b byte) uint32 {
	for {
		at := &w.states[s]
		if at.row >= 0 {
			return w.rows[at.row][b]
		}
		for i, l := range w.label[at.first:at.end] {
			if l == b {
				return at.first + uint32(i)
			}
		}
		if s == 0 {
			return 0
		}
		s = at.fail
	}
}

// A scan looks for keywords in the texts that it is given.
type scan struct {
	w     *words
	state uint32
	last  class
	found set              // of keywords
	tap   *strings.Builder // what the stream of bytes is written to instead
}

func (w *words) scan() scan { return scan{w: w, found: make(set, w.count/64+1)} }

// class is what a character is for the borders of words.
type class byte

const (
	apart    class = iota // space, punctuation, symbols
	inWord                // letters, digits and _
	unparted              // letters of scripts that do not part words by spaces
	spaces                // of ASCII only: a space
	foreign               // of ASCII only: see a rune
)

// ascii says of every byte what it is, and folded what it is looked for as.
var ascii, folded = func() (kinds [256]class, fold [256]byte) {
	for c := range 256 {
		fold[c] = byte(c)
		switch b := byte(c); {
		case c >= utf8.RuneSelf:
			kinds[c] = foreign
		case b == ' ' || '\t' <= b && b <= '\r':
			kinds[c], fold[c] = spaces, ' '
		case 'A' <= b && b <= 'Z':
			kinds[c], fold[c] = inWord, b+'a'-'A'
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '_':
			kinds[c] = inWord
		}
	}
	return kinds, fold
}()

// text looks at more text of the same run of words.
func (s *scan) text(t string) {
	for i := 0; i < len(t); {
		c := t[i]
		switch k := ascii[c]; {
		case k == inWord && s.last == inWord && s.tap == nil:
			i = s.word(t, i)
		case k == foreign:
			r, n := utf8.DecodeRuneInString(t[i:])
			s.rune(r)
			i += n
		case k == spaces:
			s.space()
			i++
		default:
			s.turn(k)
			s.byte(folded[c])
			i++
		}
	}
}

// word goes on with the word that has begun, from t[i], and returns where what is
// ASCII of it ends.
func (s *scan) word(t string, i int) int {
	at := s.state
	for ; i < len(t) && ascii[t[i]] == inWord; i++ {
		if at == 0 {
			// No keyword begins within a word, so the rest of it can be passed over.
			for i++; i < len(t) && ascii[t[i]] == inWord; i++ {
			}
			break
		}
		at = s.w.step(at, folded[t[i]])
		if s.w.states[at].says != 0 {
			s.say(at)
		}
	}
	s.state = at
	return i
}

// space is one space; what follows right behind it is none. (last is spaces then.)
func (s *scan) space() {
	if s.last != spaces {
		s.turn(apart)
		s.byte(' ')
		s.last = spaces
	}
}

func (s *scan) rune(r rune) {
	k := classOf(r)
	switch {
	case k == spaces:
		s.space()
		return
	case k == foreign: // it cannot be seen
		return
	case unicode.Is(unicode.M, r) && s.last != apart && s.last != spaces:
		k = s.last // a mark belongs to its letter
	}
	s.turn(k)
	if k != unparted {
		r = fold(r)
	}
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		s.byte(c)
	}
}

// turn puts a border between characters of different classes.
func (s *scan) turn(k class) {
	last := s.last
	if last == spaces {
		last = apart
	}
	if k != last {
		s.byte(border)
	}
	s.last = k
}

func (s *scan) byte(b byte) {
	if s.tap != nil {
		s.tap.WriteByte(b)
		return
	}
	if s.state = s.w.step(s.state, b); s.w.states[s.state].says != 0 {
		s.say(s.state)
	}
}

// say notes the keywords that end at a state. Where one was found before, so were
// those that end within it.
func (s *scan) say(at uint32) {
	for at = s.w.states[at].says; at != 0 && !s.found.has(s.w.ends[at]-1); at = s.w.states[s.w.states[at].fail].says {
		s.found.add(s.w.ends[at] - 1)
	}
}

// end ends a run of words: no keyword reaches over it.
func (s *scan) end() {
	s.turn(apart)
	s.state = 0
}

// classOf is the class of a character that is not ASCII; foreign if it is not to be
// seen at all.
func classOf(r rune) class {
	switch {
	case 0x4e00 <= r && r <= 0x9fff, 0x3041 <= r && r <= 0x30ff, 0xac00 <= r && r <= 0xd7a3:
		return unparted
	case unicode.IsSpace(r):
		return spaces
	case unicode.Is(unicode.Cf, r):
		return foreign
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return unparted
	case unicode.In(r, unicode.L, unicode.M, unicode.N):
		return inWord
	}
	return apart
}

// fold is the one character that stands for all that differ from r in case only.
func fold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// stream is the bytes that a keyword is found as: folded, with single spaces, with
// borders of words; at its ends only where a word has them. It is empty where there
// is nothing to look for.
func stream(keyword string) string {
	keyword = strings.TrimSpace(keyword)
	var b strings.Builder
	first := func() class {
		s := scan{tap: &b, state: 1}
		r, _ := utf8.DecodeRuneInString(keyword)
		s.text(string(r))
		return s.last
	}()
	b.Reset()
	s := scan{tap: &b, state: 1}
	s.text(keyword)
	last := s.last
	s.end()
	out := b.String()
	if first == unparted {
		out = strings.TrimPrefix(out, "\xff")
	}
	if last == unparted {
		out = strings.TrimSuffix(out, "\xff")
	}
	return out
}
