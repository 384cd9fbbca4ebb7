package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// A Seq is the number of a record in its session, from 1 without a gap. Zero is
// none.
type Seq uint64

// MaxSession bounds the id of a session in bytes.
const MaxSession = 64

// CheckSession reports whether id can name a session: 1 to 64 of [A-Za-z0-9._-],
// not starting with a full stop or a hyphen, as it is the name of a file too.
// The error wraps [ErrID].
func CheckSession(id string) error {
	if !validSession([]byte(id)) {
		return fmt.Errorf("ledger: session: %w: it has to be 1 to %d of A-Z, a-z, 0-9, '.', '_' and '-', not starting with '.' or '-'", ErrID, MaxSession)
	}
	return nil
}

func validSession(id []byte) bool {
	if len(id) == 0 || len(id) > MaxSession || id[0] == '.' || id[0] == '-' {
		return false
	}
	for _, c := range id {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// An EntryID names a record. Its text is "session/seq". The zero value is none
// and has the empty text.
type EntryID struct {
	Session string
	Seq     Seq
}

// ParseEntryID reads the text of an entry id, in the one form that String
// writes. The error wraps [ErrID].
func ParseEntryID(s string) (EntryID, error) {
	session, seq, _ := strings.Cut(s, "/")
	n, ok := parseSeq([]byte(seq))
	if !ok || !validSession([]byte(session)) {
		return EntryID{}, fmt.Errorf("ledger: entry: %w: it has to be a session, a slash and a number from 1", ErrID)
	}
	return EntryID{Session: session, Seq: n}, nil
}

// parseSeq reads a number from 1 without leading zeros.
func parseSeq(b []byte) (Seq, bool) {
	n, err := strconv.ParseUint(string(b), 10, 64)
	return Seq(n), err == nil && '1' <= b[0] && b[0] <= '9'
}

// IsZero reports whether id names nothing.
func (id EntryID) IsZero() bool { return id == EntryID{} }

// String is the text of id.
func (id EntryID) String() string { return string(id.append(nil)) }

func (id EntryID) append(dst []byte) []byte {
	if id.IsZero() {
		return dst
	}
	dst = append(dst, id.Session...)
	dst = append(dst, '/')
	return strconv.AppendUint(dst, uint64(id.Seq), 10)
}

// MarshalText gives the text of id.
func (id EntryID) MarshalText() ([]byte, error) { return id.append(nil), nil }

// UnmarshalText is [ParseEntryID]; the empty text is the zero value.
func (id *EntryID) UnmarshalText(b []byte) (err error) {
	*id = EntryID{}
	if len(b) > 0 {
		*id, err = ParseEntryID(string(b))
	}
	return err
}

// A TurnID names a turn: it is the id of the record that began it. The zero
// value is none: outside a turn.
type TurnID EntryID

// ParseTurnID is [ParseEntryID] for turns.
func ParseTurnID(s string) (TurnID, error) {
	id, err := ParseEntryID(s)
	return TurnID(id), err
}

// IsZero reports whether id names nothing.
func (id TurnID) IsZero() bool { return id == TurnID{} }

// String is the text of id.
func (id TurnID) String() string { return EntryID(id).String() }

// MarshalText gives the text of id.
func (id TurnID) MarshalText() ([]byte, error) { return EntryID(id).MarshalText() }

// UnmarshalText is [ParseTurnID]; the empty text is the zero value.
func (id *TurnID) UnmarshalText(b []byte) error { return (*EntryID)(id).UnmarshalText(b) }

// A Hash is a SHA-256. Its text is 64 lower-case hexadecimal digits. The zero
// value is none and has the empty text.
type Hash [sha256.Size]byte

// HashOf is the hash of a record's line, without its newline.
func HashOf(line []byte) Hash { return sha256.Sum256(line) }

// ParseHash reads the text of a hash, in the one form that String writes. The
// error wraps [ErrID].
func ParseHash(s string) (Hash, error) {
	var h Hash
	if !h.decode([]byte(s)) {
		return Hash{}, fmt.Errorf("ledger: hash: %w: it has to be %d lower-case hexadecimal digits", ErrID, 2*len(h))
	}
	return h, nil
}

func (h *Hash) decode(b []byte) bool {
	if len(b) != 2*len(h) {
		return false
	}
	for _, c := range b {
		if 'A' <= c && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(h[:], b)
	return err == nil && !h.IsZero()
}

// IsZero reports whether h is none.
func (h Hash) IsZero() bool { return h == Hash{} }

// String is the text of h.
func (h Hash) String() string { return string(h.append(nil)) }

func (h Hash) append(dst []byte) []byte {
	if h.IsZero() {
		return dst
	}
	return hex.AppendEncode(dst, h[:])
}

// MarshalText gives the text of h.
func (h Hash) MarshalText() ([]byte, error) { return h.append(nil), nil }

// UnmarshalText is [ParseHash]; the empty text is the zero value.
func (h *Hash) UnmarshalText(b []byte) (err error) {
	*h = Hash{}
	if len(b) > 0 {
		*h, err = ParseHash(string(b))
	}
	return err
}
