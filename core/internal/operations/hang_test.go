package operations

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core"
)

// PLG-13: a call that is never answered. Its job had no attempt and no error, and
// nothing behind it moved.
func TestNeverAnswered(t *testing.T) {
	if testing.Short() {
		t.Skip("a call has thirty seconds")
	}
	t.Parallel()
	var o *office
	o = newOffice(t, func(p post) int {
		if p.Job == "j" && p.times == 1 {
			<-o.end
		}
		return http.StatusOK
	})
	v := begin(t, o)
	v.send("j", "courier:a", "hello")
	v.send("behind", "courier:a", "behind")
	v.send("other", "courier:b", "other")
	v.until("other", state(core.JobDelivered)) // at once
	if j := v.until("j", state(core.JobSending)); !strings.Contains(v.history("j"), "attempt {") {
		t.Errorf("nobody can see that it is tried: %+v\n%s", j, v.history("j"))
	}
	v.untilIn("j", time.Minute, waits(1))
	if h := v.history("j"); !strings.Contains(h, `"class":"unknown"`) {
		t.Errorf("its outcome is recorded as\n%s", h)
	}
	v.until("behind", state(core.JobDelivered))
	v.until("j", state(core.JobDelivered))
	if all := o.all(); len(all) != 4 || !all[2].possibleCopy || all[3].Job != "behind" {
		t.Errorf("they came as %+v", all)
	}
}
