package fake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// params are the parameters of a call, each as it came.
type params map[string]any

// parameters reads those of a query and of a body that is JSON or a form.
func parameters(r Request, query string) (params, error) {
	out := params{}
	form := func(s string) error {
		values, err := url.ParseQuery(s)
		for k, v := range values {
			out[k] = v[0]
		}
		return err
	}
	if err := form(query); err != nil {
		return nil, err
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.TrimSpace(strings.ToLower(kind)) {
	case "application/json":
		d := json.NewDecoder(strings.NewReader(r.Body))
		d.UseNumber()
		var body map[string]any
		if err := d.Decode(&body); err != nil {
			return nil, err
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, errors.New("more follows the JSON")
		}
		for k, v := range body {
			out[k] = v
		}
	case "application/x-www-form-urlencoded":
		if err := form(r.Body); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// text is a parameter that is a text or a number.
func (p params) text(name string) (string, bool) {
	switch v := p[name].(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// number is a whole number, or 0.
func (p params) number(name string) int64 {
	s, _ := p.text(name)
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// flag is a truth, in JSON or as forms have it.
func (p params) flag(name string) bool {
	switch v := p[name].(type) {
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "true") || v == "1"
	}
	return false
}

// object is an object, in JSON or, as forms have it, in a text that is JSON.
func (p params) object(name string) params {
	switch v := p[name].(type) {
	case map[string]any:
		return v
	case string:
		d := json.NewDecoder(strings.NewReader(v))
		d.UseNumber()
		var out params
		if d.Decode(&out) == nil {
			return out
		}
	}
	return nil
}

// json is a with v as its body. Text is escaped no more than JSON needs.
func (a Answer) json(v any) Answer {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fake: " + err.Error()) // what a fake says is of its own making
	}
	a.Body = b.String()
	header := map[string][]string{"Content-Type": {"application/json"}}
	for k, values := range a.Header {
		header[k] = values
	}
	a.Header = header
	return a
}
