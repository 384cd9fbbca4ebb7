package catalog

import (
	"fmt"
	"strings"
	"testing"
)

// TestWords puts what every keyword has to say into words.
func TestWords(t *testing.T) {
	for _, c := range []struct{ schema, payload, want, why string }{
		{`{"type":"object","required":["a","b","c"]}`, `{"b":1}`, `/payload: expected "a"; it is missing; /payload: expected "c"; it is missing`, "each one that is missing"},
		{`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"b":1,"c/d":2}`,
			`/payload/b: there is no such member; there are a; /payload/c~1d: there is no such member; there are a`, "each one too many"},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"a":1}`, `/payload/a: expected a text`, "a type"},
		{`{"type":"object","properties":{"a":{"type":["integer","null"]}}}`, `{"a":1.5}`, `/payload/a: expected a whole number or null`, "two types"},
		{`{"type":"object","properties":{"a":{"type":["array","boolean","object"]}}}`, `{"a":1.5}`, `/payload/a: expected an array, true or false, or an object`, "three types"},
		{`{"type":"object","properties":{"a":{"enum":["x",1,null,true]}}}`, `{"a":"y"}`, `/payload/a: expected one of x, 1, null, true`, "an enum"},
		{`{"type":"object","properties":{"a":{"const":"x"}}}`, `{"a":"y"}`, `/payload/a: expected x`, "a const"},
		{`{"type":"object","properties":{"a":{"minimum":1,"maximum":5}}}`, `{"a":7}`, `/payload/a: expected 1 to 5`, "a span"},
		{`{"type":"object","properties":{"a":{"maximum":5}}}`, `{"a":7}`, `/payload/a: expected 5 or less`, "a maximum"},
		{`{"type":"object","properties":{"a":{"exclusiveMinimum":5}}}`, `{"a":5}`, `/payload/a: expected more than 5`, "an open minimum"},
		{`{"type":"object","properties":{"a":{"exclusiveMaximum":5}}}`, `{"a":5}`, `/payload/a: expected less than 5`, "an open maximum"},
		{`{"type":"object","properties":{"a":{"multipleOf":5}}}`, `{"a":3}`, `/payload/a: expected what the keyword multipleOf of the schema asks for`, "a keyword without words"},
		{`{"type":"object","properties":{"a":{"minLength":1}}}`, `{"a":""}`, `/payload/a: expected a text that is not empty`, "an empty text"},
		{`{"type":"object","properties":{"a":{"minLength":3,"maxLength":4}}}`, `{"a":"12345"}`, `/payload/a: expected 4 characters at most`, "a long text"},
		{`{"type":"object","properties":{"a":{"pattern":"^x$"}}}`, `{"a":"y"}`, `/payload/a: expected a text that matches the pattern ^x$`, "a pattern"},
		{`{"type":"object","properties":{"a":{"minItems":1}}}`, `{"a":[]}`, `/payload/a: expected an element at least`, "an empty array"},
		{`{"type":"object","properties":{"a":{"maxItems":1}}}`, `{"a":[1,2]}`, `/payload/a: expected 1 element at most`, "a long array"},
		{`{"type":"object","properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,1]}`, `/payload/a: expected elements that differ`, "equal elements"},
		{`{"type":"object","maxProperties":1}`, `{"a":1,"b":2}`, `/payload: expected 1 member at most`, "many members"},
		{`{"type":"object","properties":{"a":false}}`, `{"a":1}`, `/payload/a: expected nothing here`, "what may not be"},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"a":1}`, `/payload/a: expected a text`, "behind a reference"},
		{`{"type":"object","properties":{"a":{"allOf":[{"type":"string"},{"minLength":3}]}}}`, `{"a":"x"}`, `/payload/a: expected 3 characters at least`, "one of all"},
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","required":["x"]}]}}}`, `{"a":1}`, `/payload/a: expected a text or an object`, "any of two kinds"},
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{}`, `/payload: expected "a" or "b" and "c"`, "any of two members"},
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer","minimum":2}}]}}}`, `{"a":[5,1]}`,
			`/payload/a/1: expected 2 or more`, "the branch that was meant"},
		{`{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":2}`, `/payload: expected what the keyword oneOf of the schema asks for`, "both of one"},
		{`{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, `/payload: expected "b"; it is missing`, "what follows"},
		{`{"type":"object","properties":{"a b":{"items":{"type":"string"}}}}`, `{"a b":["x",{"é":1}]}`, `/payload/a b/1: expected a text`, "a place with a space"},
		{`{"type":"object","properties":{"z":{"type":"string"},"a":{"maximum":1}},"required":["m"],"additionalProperties":false}`, `{"a":2,"z":3,"y":4}`,
			`/payload: expected "m"; it is missing; /payload/y: there is no such member; there are a, z; /payload/z: expected a text; /payload/a: expected 1 or less`, "the most useful first"},
		{`{"type":"object","properties":{"a":{"items":{"type":"string"}}}}`, `{"a":[1,1,1,1,1,1,1,1,1,1,1,1]}`,
			`/payload/a/0: expected a text; /payload/a/1: expected a text; /payload/a/2: expected a text; /payload/a/3: expected a text; /payload/a/4: expected a text; and 7 more`, "five of many, in order"},
		{`{"$id":"https://x.example/s","type":"object","properties":{"a":{"type":"string"}}}`, `{"a":1}`, `/payload/a: expected another kind of value`, "a schema with a name of its own"},
	} {
		catalog, err := New(pack("acme", c.schema, "t"))
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		for range 3 { // the library goes through maps
			_, err := catalog.Open(fmt.Appendf(nil, `{"semantic_type":"t","payload":%s}`, c.payload))
			if err == nil || err.Error() != c.want {
				t.Errorf("%s\ngot:  %v\nwant: %s", c.why, err, c.want)
			}
		}
	}
}

// TestManyProblems opens a payload in which every row is wrong, and quotes none.
func TestManyProblems(t *testing.T) {
	c := newCore(t)
	rows := strings.Repeat(`,{"swordfish":["swordfish"],"a":{"x":"swordfish"}}`, 9_999)
	_, err := c.Open([]byte(`{"semantic_type":"table","payload":{"columns":[{"key":"a"}],"rows":[{"a":[]}` + rows + `]}}`))
	if n := len(Problems(err)); n != maxListed {
		t.Errorf("%d problems are listed", n)
	}
	if s := err.Error(); !strings.HasPrefix(s, "/payload/rows/0/a: expected a text") || !strings.HasSuffix(s, "; and 19994 more") || strings.Count(s, "swordfish") != strings.Count(s, "/swordfish") {
		t.Error(s)
	}
}
