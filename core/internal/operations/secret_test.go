package operations

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/core"
)

// SEC-01: errors told the address that was asked, and the address had the token in
// it. Everything goes wrong here, and nothing may tell.
func TestNobodyTellsTheToken(t *testing.T) {
	status := []int{400, 401, 403, 404, 413, 429, 500, 302, 0}
	o := newOffice(t, func(p post) int {
		var n int
		fmt.Sscanf(p.Target.Address, "s%d", &n)
		return status[n]
	})
	refused, nowhere := &office{url: "http://127.0.0.1:1"}, &office{url: "http://nowhere.invalid"}
	bad := &office{url: "https://" + strings.TrimPrefix(o.url, "http://")} // which speaks no TLS
	accounts := []core.Account{refused.account("refused", ""), bad.account("tls", ""), nowhere.account("dns", "")}
	for _, mode := range []string{"chatty", "refuse", "exit_configure", "panic", "exit_mid_send"} {
		accounts = append(accounts, o.account(mode, mode))
	}
	v := begin(t, o, accounts...)
	var jobs []string
	send := func(target string) {
		id := fmt.Sprint("j", len(jobs))
		jobs = append(jobs, id)
		v.send(id, target, "hello")
	}
	for n := range status {
		send(fmt.Sprintf("courier:s%d", n))
	}
	for _, a := range accounts {
		send("courier:s6:" + a.Name)
	}
	for _, id := range jobs {
		v.until(id, func(j core.Job) bool { return j.State != core.JobSending && strings.Contains(v.history(id), "failed") })
	}
	said := map[string]string{"plugins": v.api("GET", "/v1/plugins"), "plugin": v.api("GET", "/v1/plugins/courier"), "doctor": v.api("GET", "/v1/doctor")}
	said["restart"] = v.api("POST", "/v1/plugins/courier/restart")
	for _, id := range jobs {
		said[id] = v.history(id) + fmt.Sprintf("%+v", must(v.Job(t.Context(), id)))
	}
	b, err := json.Marshal(must(v.Targets(t.Context())))
	if err != nil {
		t.Fatal(err)
	}
	said["targets"] = string(b)
	v.Close()
	said["log"] = v.log.String()
	for where, text := range said {
		if at := strings.Index(text, token); at >= 0 {
			t.Errorf("%s tells the token: %q", where, text[max(0, at-200):min(len(text), at+100)])
		}
	}
	if !strings.Contains(said["log"], "[setting]") || !strings.Contains(said["plugins"], "exit status 3") {
		t.Error("nothing went wrong as it was to: this tests nothing")
	}
}
