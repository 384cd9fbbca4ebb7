package doc

import (
	"cmp"
	"strconv"
	"strings"
)

// maxID bounds an id in bytes: 64 nested lists of a hundred thousand items each.
const maxID = 1024

// Valid reports whether id has the form of an id: whole numbers without leading
// zeros, separated by full stops, at most 1024 bytes.
func (id ID) Valid() bool {
	if len(id) > maxID {
		return false
	}
	start := 0
	for i := 0; i <= len(id); i++ {
		if i == len(id) || id[i] == '.' {
			if i == start || id[start] == '0' && i > start+1 {
				return false
			}
			start = i + 1
		} else if id[i] < '0' || '9' < id[i] {
			return false
		}
	}
	return true
}

// Below reports whether id stands anywhere below parent.
func (id ID) Below(parent ID) bool {
	return len(id) > len(parent) && id[len(parent)] == '.' && id[:len(parent)] == parent
}

// Compare orders valid ids as a document does: by their numbers, and a block
// before what it holds.
func (id ID) Compare(to ID) int {
	a, b := string(id), string(to)
	n := min(len(a), len(b))
	same := 0
	for same < n && a[same] == b[same] {
		same++
	}
	if same == n {
		return cmp.Compare(len(a), len(b)) // "3" is before "3.1" and before "30"
	}
	// A full stop is less than every digit, as "3.1" is before "30". Of two
	// numbers without leading zeros, the longer one is the greater.
	a, b = a[same:], b[same:]
	if a[0] != '.' && b[0] != '.' {
		if c := cmp.Compare(digits(a), digits(b)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a[0], b[0])
}

func digits(s string) int {
	if n := strings.IndexByte(s, '.'); n >= 0 {
		return n
	}
	return len(s)
}

// Child is the id of child n of id.
func (id ID) Child(n int) ID {
	return ID(strconv.AppendInt(append([]byte(id), '.'), int64(n), 10))
}
