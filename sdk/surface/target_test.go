package surface

import "testing"

func TestTargetText(t *testing.T) {
	for _, c := range []struct {
		in, out string
		want    Target
		why     string
	}{
		{"telegram:-1001234", "", Target{Surface: "telegram", Address: "-1001234"}, "a chat"},
		{"telegram:@news/7", "telegram:%40news/7", Target{Surface: "telegram", Address: "@news", Thread: "7"}, "what need not be encoded may stand as it is"},
		{"slack:C01/1764.5:work", "", Target{Surface: "slack", Account: "work", Address: "C01", Thread: "1764.5"}, "all four"},
		{"log:a%3Ab%2Fc", "", Target{Surface: "log", Address: "a:b/c"}, "separators in a part"},
		{"log:a%20b", "", Target{Surface: "log", Address: "a b"}, "a space"},
		{"log:a+b", "log:a%2Bb", Target{Surface: "log", Address: "a+b"}, "a plus is a plus"},
	} {
		if c.out == "" {
			c.out = c.in
		}
		got, err := ParseTarget(c.in)
		if err != nil || got != c.want || got.String() != c.out {
			t.Errorf("%s: %q is %+v, %q, %v", c.why, c.in, got, got.String(), err)
		}
	}
	for _, in := range []string{"", "log", "log:", ":a", "Log:a", "log:a/", "log:a:", "log:/b", "log:a/b/c", "log:a:b:c", "log:%zz", "log:%00", "log:%ff", "log:" + string(make([]byte, 600))} {
		if got, err := ParseTarget(in); err == nil {
			t.Errorf("%q was read as %+v", in, got)
		}
	}
}
