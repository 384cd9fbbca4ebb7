package ledger

import (
	"bytes"
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/core/packet"
)

// Parse reads one record from a line, without its newline. It is the one way in
// for such bytes, and its error is a [*ParseError].
//
// It takes members in any order and space between them. It refuses what Append
// cannot have meant: members given twice, ids, times, phases, roles and statuses
// outside their form, a first record with a hash before it or a later one
// without, a turn of another session, name_b64 that is not name. An escaped
// surrogate without its other half is read as U+FFFD.
//
// For a canonical line, [Append] of the record gives the line again. The record
// shares no memory with the line.
func Parse(line []byte) (Record, error) {
	p := parser{scanner: scanner{b: line}}
	switch {
	case len(line) > MaxLine:
		p.fail(ErrTooLarge, "")
	case bytes.IndexByte(line, '\n') >= 0:
		p.fail(ErrSyntax, "more than one line")
	case !utf8.Valid(line):
		p.fail(ErrSyntax, "not UTF-8")
	}
	p.seen = p.names[:0]
	p.record()
	if p.err == nil && !p.end() {
		p.fail(ErrSyntax, "more behind the record")
	}
	if p.err != nil {
		return Record{}, p.failure()
	}
	return p.r, nil
}

// A parser reads one record.
type parser struct {
	scanner
	r       Record
	version uint64
	kind    Kind
	body    body     // nil while version or kind are not known, and for an Unknown
	unknown bool     // the body will be an Unknown
	seen    [][]byte // names of the members of the objects that are open
	names   [24][]byte
}

// body is what a known kind is read into.
type body interface {
	Body

	// text is the string that the member of the given name holds, if it is one.
	text(name []byte) *string

	// member reads the value of a member that is not text, and reports whether
	// there is one of that name.
	member(p *parser, name []byte) bool

	// check fails p if the body is not one that can be.
	check(p *parser)
}

func (p *parser) record() {
	timed := false
	p.open('{')
	start := p.i
	for n := 0; p.more(n, '}'); n++ {
		name := p.name(0)
		switch string(name) {
		case "v":
			p.number(&p.version)
			p.at("v")
			p.know()
		case "session":
			if s := p.str(); p.err == nil && !validSession(s) {
				p.fail(ErrInvalid, "malformed session")
			} else {
				p.r.Session = string(s)
			}
			p.at("session")
		case "seq":
			p.number((*uint64)(&p.r.Seq))
			p.at("seq")
		case "time":
			timed = p.time()
			p.at("time")
		case "turn":
			p.entry((*EntryID)(&p.r.Turn))
			p.at("turn")
		case "prev":
			p.hash(&p.r.Prev)
			p.at("prev")
		case "kind":
			p.kind = kindOf(p.word())
			p.at("kind")
			p.know()
		default:
			if p.body == nil && !p.unknown {
				p.lookAhead(start)
			}
			p.other(name)
		}
	}
	switch {
	case p.err != nil:
		return
	case p.version == 0:
		p.fail(ErrInvalid, "no v from 1")
	case p.r.Session == "":
		p.fail(ErrInvalid, "no session")
	case p.r.Seq == 0:
		p.fail(ErrInvalid, "no seq from 1")
	case !timed:
		p.fail(ErrInvalid, "no time")
	case p.kind == "":
		p.fail(ErrInvalid, "no kind")
	case (p.r.Seq == 1) != p.r.Prev.IsZero():
		p.fail(ErrInvalid, "all records but the first have a prev")
	}
	p.checkTurn()
	if p.unknown {
		p.r.Body = &Unknown{Name: p.kind, JSON: bytes.Clone(p.b)}
		return
	}
	if p.err == nil {
		p.body.check(p)
		p.r.Body = p.body
	}
}

func (p *parser) checkTurn() {
	id := EntryID(p.r.Turn)
	turn, _ := p.body.(*Turn)
	switch begins := turn != nil && turn.Phase == Begin; {
	case begins && id != p.r.ID():
		p.fail(ErrInvalid, "the record that begins a turn names itself as its turn")
	case begins || id.IsZero():
	case id.Session != p.r.Session, id.Seq > p.r.Seq, id.Seq == p.r.Seq && !p.unknown:
		p.fail(ErrInvalid, "a turn that this session has not begun before")
	}
}

// know makes the body once version and kind are known.
func (p *parser) know() {
	if p.err != nil || p.version == 0 || p.kind == "" || p.body != nil || p.unknown {
		return
	}
	if p.version <= Version {
		p.body = newBody(p.kind)
	}
	p.unknown = p.body == nil
}

// lookAhead finds version and kind, which stand before all others in what
// Append writes; tools that sort members are in use.
func (p *parser) lookAhead(start int) {
	at, depth := p.i, p.depth
	p.i = start
	for n := 0; p.more(n, '}'); n++ {
		switch string(p.key()) {
		case "v":
			p.number(&p.version)
			p.at("v")
		case "kind":
			p.kind = kindOf(p.word())
			p.at("kind")
		default:
			p.skip()
		}
	}
	if p.err == nil {
		p.i, p.depth = at, depth
		if p.know(); p.body == nil && !p.unknown {
			p.fail(ErrInvalid, "no v from 1 or no kind")
		}
	}
}

// name reads the name of a member of the object whose names begin at from.
func (p *parser) name(from int) []byte {
	k := p.key()
	if p.err != nil {
		return nil
	}
	if len(p.buf) > 0 && len(k) > 0 && &k[0] == &p.buf[0] {
		k = bytes.Clone(k)
	}
	if len(p.seen)-from >= MaxMembers {
		p.fail(ErrTooMany, "members of an object")
		return nil
	}
	for _, s := range p.seen[from:] {
		if bytes.Equal(s, k) {
			p.fail(ErrInvalid, "a member given twice")
			return nil
		}
	}
	p.seen = append(p.seen, k)
	return k
}

// other reads a member of the body, or one that is not known.
func (p *parser) other(name []byte) {
	if p.err != nil {
		return
	}
	if p.unknown {
		p.skip()
		return
	}
	base, exact := bytes.CutSuffix(name, []byte("_b64"))
	if dst := p.body.text(base); dst != nil {
		if p.text(dst, exact); p.err != nil {
			p.at(string(name))
		}
	} else if !p.body.member(p, name) {
		p.extra(&p.r.Extra, name)
	} else if p.err != nil {
		p.at(string(name))
	}
}

// extra keeps a member that is not known.
func (p *parser) extra(dst *Extra, name []byte) {
	m := Member{Name: string(name)}
	if p.raw(&m.Value); p.err == nil {
		*dst = append(*dst, m)
	}
}

// text reads a string field, or its exact bytes, which stand behind it.
func (p *parser) text(dst *string, exact bool) {
	s := string(p.str())
	if p.err != nil || !exact {
		*dst = s
		return
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		p.fail(ErrInvalid, "not base64")
		return
	}
	s = string(b)
	if repaired, _ := packet.Exact(s); repaired != *dst {
		p.fail(ErrInvalid, "not the exact bytes of the member before it")
		return
	}
	*dst = s
}

// word reads a snake_case word. It is valid until the next string is read.
func (p *parser) word() []byte {
	w := p.str()
	if p.err != nil {
		return nil
	}
	ok := 0 < len(w) && len(w) <= 64
	for _, c := range w {
		ok = ok && (c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if !ok {
		p.fail(ErrInvalid, "expected a snake_case word of 1 to 64 bytes")
		return nil
	}
	return w
}

// openWord reads a word of an open list into dst. Those that are known need no
// memory.
func openWord[T ~string](p *parser, dst *T, known ...T) {
	w := p.word()
	for _, k := range known {
		if string(w) == string(k) {
			*dst = k
			return
		}
	}
	*dst = T(w)
}

// closedWord reads a word of a closed list into dst.
func closedWord[T ~string](p *parser, dst *T, known ...T) {
	w := p.str()
	for _, k := range known {
		if string(w) == string(k) {
			*dst = k
			return
		}
	}
	p.fail(ErrInvalid, "not one of the words that stand here")
}

// time reads a time in its one form.
func (p *parser) time() bool {
	const form = "0000-00-00T00:00:00.000Z"
	s := p.str()
	if p.err != nil {
		return false
	}
	ok := len(s) == len(form)
	for i := 0; ok && i < len(form); i++ {
		ok = s[i] == form[i] || form[i] == '0' && '0' <= s[i] && s[i] <= '9'
	}
	if !ok {
		p.fail(ErrInvalid, "expected a time such as 2026-03-01T09:00:00.000Z")
		return false
	}
	n := func(from, to int) (n int) {
		for _, c := range s[from:to] {
			n = 10*n + int(c-'0')
		}
		return n
	}
	month, hour, minute, sec := n(5, 7), n(11, 13), n(14, 16), n(17, 19)
	t := time.Date(n(0, 4), time.Month(month), n(8, 10), hour, minute, sec, n(20, 23)*1e6, time.UTC)
	if int(t.Month()) != month || // a day that the month does not have is in another
		hour > 23 || minute > 59 || sec > 59 {
		p.fail(ErrInvalid, "no such time")
		return false
	}
	p.r.Time = t
	return true
}

// entry reads the id of an entry.
func (p *parser) entry(dst *EntryID) {
	s := p.str()
	if p.err != nil {
		return
	}
	// Most entries are of the record's own session: its name is shared.
	if n := len(p.r.Session); n > 0 && len(s) > n+1 && s[n] == '/' && string(s[:n]) == p.r.Session {
		if seq, ok := parseSeq(s[n+1:]); ok {
			*dst = EntryID{Session: p.r.Session, Seq: seq}
			return
		}
	}
	id, err := ParseEntryID(string(s))
	if err != nil {
		p.fail(ErrInvalid, "malformed id")
		return
	}
	*dst = id
}

// hash reads a hash.
func (p *parser) hash(dst *Hash) {
	if s := p.str(); p.err == nil && !dst.decode(s) {
		p.fail(ErrInvalid, "malformed hash")
	}
}
