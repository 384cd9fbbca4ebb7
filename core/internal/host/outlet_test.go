package host

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSecretsWithinSecrets hides settings that stand in one another, and that are
// escaped.
func TestSecretsWithinSecrets(t *testing.T) {
	settings := json.RawMessage(`{"allow":["127.0.0.1"],"url":"http://127.0.0.1/hook/planted?a&b","quoted":"one \"planted\" <two>","more":["127.0.0"]}`)
	hide := secretsOf(settings)
	for _, text := range []string{
		"http://127.0.0.1/hook/planted?a&b", string(settings), `one "planted" <two>`,
		`{"url":"http://127.0.0.1/hook/planted?a\u0026b","quoted":"one \"planted\" \u003ctwo\u003e"}`,
	} {
		if got := hide.hide(text); strings.Contains(got, "planted") || strings.Contains(got, "127.0.0") || !strings.Contains(got, hidden) {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := hide.hide("nothing of the kind"); got != "nothing of the kind" {
		t.Error(got)
	}
}
