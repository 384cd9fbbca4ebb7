package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// body reads the one JSON value of a request into v, and nothing that v has no
// place for.
func body(r *http.Request, v any) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return &Error{Kind: BadRequest, What: "the request has no body", Mend: "send a JSON object"}
	}
	return Decode(b, "the body", v)
}

// Decode reads one JSON value, which is called name in errors, into v. Members
// that v has no place for, text that is not UTF-8 and anything behind the value
// are errors of kind BadRequest. They hold none of the values.
func Decode(b []byte, name string, v any) error {
	wrong := func(what string) error {
		return &Error{Kind: BadRequest, What: name + " " + what, Mend: "docs/operators.md has its form"}
	}
	if !utf8.Valid(b) {
		return wrong("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return wrong(reason(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return wrong("has something behind its JSON value")
	}
	return nil
}

// reason says what is wrong with JSON. What package encoding/json says of unknown
// members is their names; the rest may hold values.
func reason(err error) string {
	var of *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &of):
		return fmt.Sprintf("cannot take the %s in %.80q", kindOf(of.Value), of.Field)
	case errors.As(err, &syntax):
		return fmt.Sprintf("is no JSON (at byte %d)", syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "is no whole JSON value"
	}
	const unknown = "json: unknown field "
	if s := err.Error(); len(s) > len(unknown) && s[:len(unknown)] == unknown {
		return fmt.Sprintf("has the unknown member %.80s", s[len(unknown):])
	}
	return "has a member that cannot be read"
}

// kindOf is what a value is, without the value: "number 1.5" is a number.
func kindOf(value string) string {
	word, _, _ := strings.Cut(value, " ")
	return word
}
