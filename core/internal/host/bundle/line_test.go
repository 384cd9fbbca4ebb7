package bundle

import "testing"

func TestLineOf(t *testing.T) {
	const text = "\n{\n \"a\": 1,\n \"b\": {\n  \"c/d\": [\n   1,\n   {\"e\":\n 2}\n  ]\n }\n}"
	for pointer, want := range map[string]int{
		"": 2, "/a": 3, "/b": 4, "/b/c~1d": 5, "/b/c~1d/0": 6, "/b/c~1d/1": 7, "/b/c~1d/1/e": 7,
		"/b/none": 4, "/b/c~1d/9": 5, "/a/x": 3, "/none": 2,
	} {
		if got := lineOf([]byte(text), pointer); got != want {
			t.Errorf("%q: line %d, want %d", pointer, got, want)
		}
	}
	if got := lineOf(nil, "/a/b"); got != 1 {
		t.Errorf("of nothing: %d", got)
	}
}
