package card

import (
	"encoding/json"
	"errors"
	"strconv"
)

// A Scalar is a text, a number, a truth value or null, as in JSON. The zero value
// is absent: it is not written, and not shown.
type Scalar struct {
	kind scalarKind
	text string // of a number as it was written, which may be finer than a float64
}

type scalarKind byte

const (
	absent scalarKind = iota
	isString
	isNumber
	isBool
	isNull
)

// String is a text.
func String(s string) Scalar { return Scalar{isString, s} }

// Int is a whole number.
func Int(n int64) Scalar { return Scalar{isNumber, strconv.FormatInt(n, 10)} }

// Float is a number; NaN and infinities, which JSON does not have, are texts.
func Float(f float64) Scalar {
	b, err := json.Marshal(f)
	if err != nil {
		return String(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return Scalar{isNumber, string(b)}
}

// Bool is a truth value.
func Bool(b bool) Scalar { return Scalar{isBool, strconv.FormatBool(b)} }

// Null is a value that is known to be none.
func Null() Scalar { return Scalar{kind: isNull, text: "null"} }

// IsZero reports whether s is absent.
func (s Scalar) IsZero() bool { return s.kind == absent }

// IsNull reports whether s is null.
func (s Scalar) IsNull() bool { return s.kind == isNull }

// IsNumber reports whether s is a number.
func (s Scalar) IsNumber() bool { return s.kind == isNumber }

// Float is the number that s is, if it is one that a float64 can hold.
func (s Scalar) Float() (float64, bool) {
	if s.kind != isNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(s.text, 64)
	return f, err == nil
}

// String is what a reader sees of s: a number as it was written, yes or no, and a
// dash for null.
func (s Scalar) String() string {
	switch s.kind {
	case isBool:
		if s.text == "true" {
			return "yes"
		}
		return "no"
	case isNull:
		return "–"
	}
	return s.text
}

// MarshalJSON writes s; what is absent as null.
func (s Scalar) MarshalJSON() ([]byte, error) {
	switch s.kind {
	case isString:
		return json.Marshal(s.text)
	case absent:
		return []byte("null"), nil
	}
	return []byte(s.text), nil
}

// UnmarshalJSON reads a scalar.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	if len(b) == 0 {
		return errors.New("expected a text, a number, true, false or null")
	}
	switch b[0] {
	case '"':
		s.kind = isString
		return json.Unmarshal(b, &s.text)
	case 't', 'f':
		*s = Scalar{isBool, string(b)}
	case 'n':
		*s = Null()
	case '{', '[':
		return errors.New("expected a text, a number, true, false or null")
	default:
		*s = Scalar{isNumber, string(b)}
	}
	return nil
}
