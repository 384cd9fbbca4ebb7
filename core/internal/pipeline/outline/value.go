package outline

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// maxParse is how deep a value may nest to be read. It is more than a payload may.
const maxParse = 64

// A Kind is what a [Value] is.
type Kind byte

// The kinds of value.
const (
	Scalar Kind = iota
	Object
	Array
)

// A Value is JSON as it was written: members in their order, each of them also
// where a name occurs twice, and numbers with their digits. It
// comes out of [Parse] and is not changed.
type Value struct {
	Kind    Kind
	Scalar  card.Scalar // of a Scalar
	Members []Member    // of an Object; of an Array with empty names

	text    bool // the scalar is a text
	element bool // of an array
	cost    int  // nodes that its full form takes, see measure
	depth   int  // how deep they are within each other
	scalars int  // within it, or 1; what is empty counts as one
}

// A Member is one of an object, or an element of an array.
type Member struct {
	Name  string
	Value Value
}

// Text is the text that v is, if it is one.
func (v Value) Text() (string, bool) {
	if !v.text {
		return "", false
	}
	return v.Scalar.String(), true
}

var errDeep = errors.New("the value nests deeper than 64 levels")

// Parse reads one JSON value. Its errors quote nothing of it.
func Parse(b []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := read(d, 0)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return Value{}, errors.New("something follows the value")
	}
	return v, nil
}

func read(d *json.Decoder, depth int) (Value, error) {
	t, err := d.Token()
	if err != nil {
		return Value{}, errors.New("the value is not JSON, or cut off")
	}
	switch t := t.(type) {
	case json.Delim:
		if depth >= maxParse {
			return Value{}, errDeep
		}
		v := Value{Kind: Array}
		if t == '{' {
			v.Kind = Object
		}
		for d.More() {
			var m Member
			if v.Kind == Object {
				name, err := d.Token()
				if err != nil {
					return Value{}, errors.New("the value is not JSON, or cut off")
				}
				m.Name, _ = name.(string)
			}
			if m.Value, err = read(d, depth+1); err != nil {
				return Value{}, err
			}
			m.Value.element = v.Kind == Array
			measure(&m.Value)
			v.Members = append(v.Members, m)
		}
		if _, err := d.Token(); err != nil {
			return Value{}, errors.New("the value is not JSON, or cut off")
		}
		return v, nil
	case string:
		return Value{Scalar: card.String(t), text: true}, nil
	case bool:
		return Value{Scalar: card.Bool(t)}, nil
	case json.Number:
		var s card.Scalar
		err := s.UnmarshalJSON([]byte(t))
		return Value{Scalar: s}, err
	}
	return Value{Scalar: card.Null()}, nil
}
