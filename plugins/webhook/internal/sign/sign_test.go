package sign

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestVector is the example that libraries of the standard test with.
func TestVector(t *testing.T) {
	k, err := ParseKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := Signature([]Key{k}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	other, err := ParseKey("whsec_" + strings.Repeat("QUJD", 8))
	if err != nil {
		t.Fatal(err)
	}
	two := Signature([]Key{other, k}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if first, second, ok := strings.Cut(two, " "); !ok || second != got || first == got || !strings.HasPrefix(first, "v1,") {
		t.Errorf("two keys: %s", two)
	}
	if s := fmt.Sprintf("%v %+v %#v %s", k, k, []Key{k}, struct{ K Key }{k}); strings.Contains(s, "secret") || strings.Contains(s, "49 242") {
		t.Errorf("a key prints as %s", s)
	}
}

func TestParseKey(t *testing.T) {
	for _, k := range []struct {
		in  string
		ok  bool
		why string
	}{
		{"whsec_" + strings.Repeat("QUJD", 8), true, "24 bytes"},
		{"whsec_" + strings.Repeat("QUJD", 21) + "QQ==", true, "64"},
		{"whsec_" + strings.Repeat("QUJD", 7), false, "21"},
		{"whsec_" + strings.Repeat("QUJD", 22), false, "66"},
		{strings.Repeat("QUJD", 8), false, "no prefix"},
		{"whsk_" + strings.Repeat("QUJD", 8), false, "a private key"},
		{"whsec_" + strings.Repeat("_-_-", 8), false, "base64 of addresses"},
		{"whsec_planted", false, "no base64"},
		{"", false, "nothing"},
	} {
		_, err := ParseKey(k.in)
		if (err == nil) != k.ok || err != nil && strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", k.why, err)
		}
	}
}
