package process

import (
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core/internal/host/fault"
)

func TestJudgeHello(t *testing.T) {
	certificate := strings.Repeat("c", 600)
	for _, c := range []struct {
		line string
		tls  bool
		kind fault.Kind // empty: it passes
	}{
		{"1|1|unix|/run/s|grpc", false, ""},
		{"1|1|unix|/run/s|grpc||false", false, ""},
		{"1|1|unix|/run/s|grpc|" + certificate + "|false", true, ""},
		{"1|1|unix|/run/s|grpc|" + certificate + "|false", false, fault.Contract},
		{"1|1|unix|/run/s|grpc|" + certificate, false, fault.Contract},
		{"1|2|unix|/run/s|grpc", false, fault.Incompatible},
		{"2|1|unix|/run/s|grpc", false, fault.Contract},
		{"1|1|unix|/run/s|netrpc", false, fault.Contract},
		{"1|1|unix|/run/s", false, fault.Contract},
		{"1|x|unix|/run/s|grpc", false, fault.Contract},
		{"", false, fault.Contract},
	} {
		e := judgeHello(c.line, c.tls)
		if e == nil && c.kind != "" || e != nil && (e.Kind != c.kind || e.Hint == "" || strings.Contains(e.Message, "ccc")) {
			t.Errorf("%.40q, tls %v: %v, want %q", c.line, c.tls, e, c.kind)
		}
	}
}
