package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/core/internal/binaries"
	"github.com/seed-1ae66336/vak/core/internal/control"
	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// The marks that are looked for: one in every secret, one in every message.
const (
	secretMark = "Xq7SecretMarkXq7"
	textMark   = "Zk3TextMarkZk3"
)

// forms are the ways in which a mark may be written down: as it is, which is what
// JSON and addresses make of it too, in base64 at each of the three places where it
// may begin, in hex, and with every character escaped.
func forms(mark string) map[string]string {
	var json, url, html strings.Builder
	for _, c := range []byte(mark) {
		fmt.Fprintf(&json, `\u%04x`, c)
		fmt.Fprintf(&url, `%%%02X`, c)
		fmt.Fprintf(&html, `&#%d;`, c)
	}
	out := map[string]string{
		"plain": mark, "hex": hex.EncodeToString([]byte(mark)), "JSON": json.String(), "URL": url.String(), "HTML": html.String(),
	}
	for shift := range 3 {
		b := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a", shift) + mark + "a"))
		out[fmt.Sprint("base64 ", shift)] = b[4 : len(b)-8] // what does not depend on what stands around it
	}
	return out
}

// TestForms sees that a mark is found however it is written down.
func TestForms(t *testing.T) {
	all := forms(secretMark)
	for _, pad := range []string{"", "x", "xy", "xyz"} {
		b := base64.StdEncoding.EncodeToString([]byte(pad + secretMark + " and more"))
		if !slices.ContainsFunc([]string{"base64 0", "base64 1", "base64 2"}, func(k string) bool { return strings.Contains(b, all[k]) }) {
			t.Errorf("it is not found in %s", b)
		}
	}
}

// A search looks for marks where they must not be.
type search struct {
	t      *testing.T
	looked int
}

func (s *search) in(where string, text []byte, marks ...string) {
	s.looked++
	for _, mark := range marks {
		for form, f := range forms(mark) {
			if at := bytes.Index(text, []byte(f)); at >= 0 {
				s.t.Errorf("%s holds %s as %s: %q", where, mark, form, text[max(0, at-150):min(len(text), at+100)])
				break
			}
		}
	}
}

// TestMarkers runs "vak serve" with four transports whose every secret bears a mark,
// as every message does, has things go well and wrong, and looks for the marks in
// what is written, said and kept. A message may be in the journal and its sessions,
// and in what a command shows of one; a secret nowhere but in the environment of
// vak itself and in the files that the operator named.
func TestMarkers(t *testing.T) {
	if !control.Available {
		t.Skip(control.ErrUnavailable)
	}
	m := newMarked(t)
	m.serve()
	m.deliverAll()
	m.command()
	m.ask()
	m.processes()
	m.stop()
	m.files()
	if log := m.log.String(); !strings.Contains(log, "panic") || !strings.Contains(log, "exit status 3") {
		t.Errorf("nothing went wrong as it was to:\n%s", log)
	}
	m.in("the log", []byte(m.log.String()), secretMark, textMark)
	if m.looked < 50 {
		t.Errorf("looked in %d places", m.looked)
	}
}

// A marked is a "vak serve" with marks in it.
type marked struct {
	search
	home, run, secrets string
	socket             string
	env                []string
	cmd                *exec.Cmd
	log                *syncBuffer
	fronts             map[string]*front
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *syncBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newMarked(t *testing.T) *marked {
	t.Helper()
	run, err := os.MkdirTemp("/tmp", "vake") // a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	m := &marked{search: search{t: t}, home: filepath.Join(t.TempDir(), "home"), run: run, secrets: t.TempDir(), log: &syncBuffer{}, fronts: map[string]*front{}}
	for id, p := range markedPlatforms() {
		m.fronts[id] = newFront(t, p)
	}
	if err := os.Mkdir(m.home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"run", "tmp"} {
		if err := os.Mkdir(filepath.Join(run, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := func(name, value string) string {
		path := filepath.Join(m.secrets, name)
		if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		return "file:" + path
	}
	config := fmt.Sprintf(`[surfaces.telegram.account]
token = "env:MARKED_TELEGRAM"
api = %q
[surfaces.telegram.accounts.wrong]
token = "env:MARKED_WRONG"
[surfaces.telegram.accounts.missing]
token = "env:MARKED_MISSING"
[surfaces.slack.account]
token = %q
api = %q
[surfaces.discord.account]
token = %q
api = %q
[surfaces.webhook.account]
url = "env:MARKED_URL"
secret = "env:MARKED_SIGNING"
allow = ["127.0.0.1"]
[surfaces.webhook.account.headers]
Authorization = %q
[targets.ops]
to = "telegram:-1001000000000"
[targets.parked]
to = "telegram:%s"
unknown = "park"
`, m.fronts["telegram"].URL, file("slack", "xoxb-"+secretMark), m.fronts["slack"].URL+"/api",
		file("discord", "d."+secretMark), m.fronts["discord"].URL+"/api/v10", file("header", "Bearer "+secretMark), m.fronts["telegram"].platform.chat(parked))
	if err := os.WriteFile(filepath.Join(m.home, "vak.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	m.env = append(os.Environ(), "VAK_HOME="+m.home, "XDG_RUNTIME_DIR="+filepath.Join(run, "run"), "TMPDIR="+filepath.Join(run, "tmp"), "NO_COLOR=1",
		"MARKED_TELEGRAM=42:"+secretMark, "MARKED_WRONG=no token "+secretMark, "MARKED_URL="+m.fronts["webhook"].URL+"/hook/"+secretMark, "MARKED_SIGNING="+markedSigning)
	return m
}

var markedSigning = "whsec_" + base64.StdEncoding.EncodeToString([]byte(secretMark+secretMark))

// markedPlatforms are those that know the accounts of a marked.
func markedPlatforms() map[string]*platform {
	tg, sl := fake.NewTelegram(fake.TelegramOptions{Token: "42:" + secretMark}), fake.NewSlack(fake.SlackOptions{Token: "xoxb-" + secretMark})
	dc, wh := fake.NewDiscord(fake.DiscordOptions{Token: "d." + secretMark}), fake.NewWebhook(fake.WebhookOptions{Secret: markedSigning})
	out := map[string]*platform{}
	for id, s := range map[string]*fake.Server{"telegram": tg.Server, "slack": sl.Server, "discord": dc.Server, "webhook": wh.Server} {
		p := platforms[id]()
		p.close()
		p.url, p.close = s.URL, s.Close
		out[id] = p
	}
	read := out["webhook"].read
	out["webhook"].read = func(r *http.Request, body []byte) (seen, bool) {
		s, _ := read(r, body)
		return s, s.chat != "" && r.URL.Path == "/hook/"+secretMark
	}
	return out
}

func (m *marked) plugins() string { return hostilePlugins(m.t) }

func (m *marked) serve() {
	m.t.Helper()
	m.cmd = exec.Command(binaries.Build(m.t), "serve", "--plugins", m.plugins(), "--allow-unsandboxed", "--log-level", "debug")
	m.cmd.Env, m.cmd.Stderr = m.env, m.log
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	cmd := m.cmd
	m.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	_, socket, found := strings.Cut(strings.TrimSpace(line), "control socket ")
	if err != nil || !found {
		m.t.Fatalf("it says %q, %v\n%s", line, err, m.log)
	}
	m.socket = socket
}

func (m *marked) stop() {
	m.t.Helper()
	m.cmd.Process.Signal(syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		m.t.Errorf("it ended with %v", err)
	}
}

// vak runs a command and looks at what it writes, unless it is one that shows a
// message.
func (m *marked) vak(in string, args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patient)
	defer cancel()
	cmd := exec.CommandContext(ctx, binaries.Build(m.t), args...)
	cmd.Env, cmd.Stdin = m.env, strings.NewReader(in)
	out, _ := cmd.CombinedOutput() // that many of them fail is the point
	if ctx.Err() != nil {
		m.t.Errorf("vak %v does not end", args)
	}
	if len(out) == 0 {
		m.t.Errorf("vak %v says nothing", args)
	}
	if shows := []string{"outbox show", "outbox history", "ledger show"}; args[0] == "preview" || slices.Contains(shows, strings.Join(args[:min(2, len(args))], " ")) {
		m.in("vak "+strings.Join(args, " "), out, secretMark)
	} else {
		m.in("vak "+strings.Join(args, " "), out, secretMark, textMark)
	}
	return string(out)
}

// deliverAll has things go well and wrong. What the platforms refuse with quotes the
// message and the secret.
func (m *marked) deliverAll() {
	m.t.Helper()
	quoted := secretMark + " " + textMark
	n := 0
	c := control.Dial(m.socket)
	var jobs []string
	send := func(id, text string, replies ...reply) {
		chat := m.fronts[id].platform.chat(n)
		if n++; len(replies) > 0 {
			m.fronts[id].script(chat, replies...)
		}
		job := fmt.Sprintf("%s-%d", id, n)
		if _, err := c.Deliver(m.t.Context(), control.Delivery{Markdown: text + " " + textMark + " and **more**", Deliveries: []control.To{{Target: id + ":" + chat, ID: job}}}); err != nil {
			m.t.Error(err)
		}
		jobs = append(jobs, job)
	}
	for _, id := range []string{"telegram", "slack", "discord", "webhook"} {
		p := m.fronts[id].platform
		send(id, "hello")
		send(id, "panic in the renderer")
		send(id, "lie in the renderer")
		send(id, "hello", reply{Answer: fake.Answer{Cut: true, Accept: true}})
		send(id, "hello", reply{Answer: fake.Answer{Status: 400, Body: quoted}})
		send(id, "hello", reply{Answer: fake.Answer{Status: 500, Body: quoted}})
		send(id, "hello", reply{Answer: fake.Answer{Status: 302, Header: http.Header{"Location": {"http://127.0.0.1:1/" + secretMark}}, Body: quoted}})
		send(id, "hello", reply{Answer: fake.Answer{Status: 200, Body: quoted}})
		a := p.refuse(403, 50013, map[string]string{"telegram": "Forbidden: bot was kicked: " + quoted, "slack": quoted, "discord": quoted}[id])
		send(id, "hello", reply{Answer: a})
		a = p.refuse(400, 50035, map[string]string{"telegram": "Bad Request: can't parse entities: " + quoted, "slack": "invalid_blocks", "discord": quoted}[id])
		send(id, "hello", reply{Answer: a})
		send(id, "hello", reply{Answer: fake.Answer{Status: 413, Body: quoted}})
		for _, mode := range []string{"logs", "errs", "panics", "ends"} {
			send(id, "transport "+mode+" all of")
		}
		for _, job := range jobs { // the whole account may have to wait after that
			m.tried(job)
		}
		send(id, "hello", reply{Answer: fake.Answer{Status: 429, Header: http.Header{"Retry-After": {"600"}}, Body: quoted}})
	}
	m.fronts["telegram"].script(m.fronts["telegram"].platform.chat(parked), reply{Answer: fake.Answer{Cut: true}})
	m.vak("hello "+textMark, "send", "--no-wait", "--id", "parked", "--to", "parked")
	m.vak("hello "+textMark, "send", "--no-wait", "--id", "wrong", "--to", "telegram:-1001000000777:wrong")
	m.vak("hello "+textMark, "send", "--no-wait", "--id", "missing", "--to", "telegram:-1001000000778:missing")
	m.vak("hello "+textMark, "send", "--no-wait", "--to", "telegram:nowhere at all")
	m.vak("hello "+textMark, "send", "--no-wait", "--id", "telegram-1", "--to", "telegram:-1001000000000") // other content, the same id
	for _, id := range append(jobs, "parked", "wrong", "missing") {
		m.tried(id)
	}
}

// tried waits until something has come of a job.
func (m *marked) tried(id string) {
	m.t.Helper()
	c := control.Dial(m.socket)
	for end := time.Now().Add(patient); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		all, err := c.History(m.t.Context(), id)
		if err != nil {
			m.t.Fatal(err)
		}
		if slices.ContainsFunc(all, func(e control.JobEvent) bool {
			return e.Kind == "sent" || e.Kind == "failed" || e.Kind == "held" || e.Kind == "dead"
		}) {
			return
		}
	}
	m.t.Errorf("nothing comes of %s", id)
}

// command runs the commands that look at what there is.
func (m *marked) command() {
	for _, line := range []string{
		"doctor", "doctor --full", "config show", "config show --json", "config check", "outbox list", "outbox list --json --state dead_letter",
		"outbox history telegram-1", "outbox history telegram-2", "outbox history telegram-4", "outbox history telegram-10", "outbox history telegram-14",
		"outbox history slack-27", "outbox history wrong", "outbox history missing", "outbox history parked", "outbox show telegram-1", "outbox show none",
		"outbox targets", "outbox targets --json", "plugin list", "plugin list --json", "plugin inspect telegram", "plugin inspect slack", "plugin inspect webhook",
		"plugin inspect discord", "plugin restart telegram", "ledger list", "ledger verify", "ledger show notices", "target list", "target test ops",
		"target test telegram:-1001000000779:wrong --timeout 2s", "target test telegram:-1001000000779:missing --timeout 2s", "version", "outbox retry telegram-5", "outbox discard parked",
	} {
		m.vak("", strings.Fields(line)...)
	}
	m.vak("words "+textMark, "preview", "--surface", "telegram")
	bad := filepath.Join(m.run, "bad.toml")
	if err := os.WriteFile(bad, []byte("[surfaces.telegram.account]\ntoken = \""+secretMark+"\"\nextra = \""+secretMark+"\"\n[targets.x]\nto = 5\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.vak("", "config", "check", "--config", bad)
	m.vak("", "config", "show", "--config", bad)
	os.Remove(bad)
}

// ask asks the control socket, wrongly, too.
func (m *marked) ask() {
	m.t.Helper()
	c := &http.Client{Transport: &http.Transport{Dial: func(string, string) (net.Conn, error) { return net.Dial("unix", m.socket) }, DisableKeepAlives: true}}
	for _, q := range []struct{ method, path, body string }{
		{"GET", "/v1/status", ""}, {"GET", "/v1/plugins", ""}, {"GET", "/v1/plugins/telegram", ""}, {"GET", "/v1/doctor?full=true", ""},
		{"GET", "/v1/jobs", ""}, {"GET", "/v1/jobs?state=dead_letter", ""}, {"GET", "/v1/jobs/telegram-1", ""}, {"GET", "/v1/targets", ""},
		{"GET", "/v1/sessions", ""}, {"GET", "/v1/ledger/verify", ""}, {"POST", "/v1/plugins/slack/restart", ""},
		{"POST", "/v1/deliveries", `{"markdown":"` + textMark}, {"POST", "/v1/deliveries", `{"markdown":{"` + textMark + `":1}}`},
		{"POST", "/v1/deliveries", `{"markdown":"` + textMark + `","deliveries":[{"target":"telegram:no"}]}`},
		{"POST", "/v1/deliveries", `{"markdown":"` + textMark + `"}`}, {"POST", "/v1/deliveries", textMark},
		{"POST", "/v1/jobs/telegram-1/retry", textMark}, {"POST", "/v1/jobs/act", `{"action":"` + textMark + `"`},
	} {
		r, err := http.NewRequest(q.method, "http://vak"+q.path, strings.NewReader(q.body))
		if err != nil {
			m.t.Fatal(err)
		}
		if q.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		a, err := c.Do(r)
		if err != nil {
			m.t.Fatal(err)
		}
		b, _ := io.ReadAll(a.Body)
		a.Body.Close()
		m.in(q.method+" "+q.path, b, secretMark, textMark)
	}
}

// processes looks at what others may read of the plugins' processes.
func (m *marked) processes() {
	if runtime.GOOS != "linux" {
		m.t.Log("without /proc: what the processes show of themselves is not looked at")
		return
	}
	all, err := control.Dial(m.socket).Plugins(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	transports := 0
	for _, p := range all {
		if p.PID == 0 {
			continue
		}
		if p.Role == "transport" {
			transports++
		}
		for _, name := range []string{"cmdline", "environ"} {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.PID, name))
			if err != nil {
				m.t.Logf("%s of %s: %v", name, p.ID, err) // it has ended since, or does not let itself be looked at
				continue
			}
			m.in(name+" of the "+p.Role+" of "+p.ID, b, secretMark, textMark)
		}
	}
	if transports == 0 {
		m.t.Error("no transport runs")
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", m.cmd.Process.Pid))
	if err != nil {
		m.t.Fatal(err)
	}
	m.in("cmdline of vak", b, secretMark, textMark)
}

// files looks at all that is below the home and the directories for sockets and
// for what is temporary.
func (m *marked) files() {
	m.t.Helper()
	kept := regexp.MustCompile(`^(journal|sessions)/`)
	held := false
	for _, dir := range []string{m.home, m.run} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(m.home, path)
			if kept.MatchString(filepath.ToSlash(name)) {
				held = held || bytes.Contains(b, []byte(textMark))
				m.in(path, b, secretMark)
				return nil
			}
			m.in(path, b, secretMark, textMark)
			return nil
		})
		if err != nil {
			m.t.Fatal(err)
		}
	}
	if !held {
		m.t.Error("no message is in the journal: this finds nothing")
	}
}
