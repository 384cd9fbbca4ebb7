package host

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

var figures = flag.Bool("figures", false, "measure, and print the table")

// shipped are the surfaces whose figures are taken, each by its dialect.
var shipped = []struct {
	id      string
	dialect dialect.Dialect
}{{"telegram", dialect.TelegramHTML}, {"slack", dialect.SlackMrkdwn}, {"discord", dialect.DiscordMarkdown}}

// TestFigures prints what the process boundary costs, in one run on one machine,
// so that ratios mean something elsewhere, too. Measurements are interleaved; of
// ratios the lower quartile of each part counts, of times the median.
//
//	go test ./core/internal/host -count=1 -run '^TestFigures$' -v -figures
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("see -figures")
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(what, got, goal string) { fmt.Fprintf(w, "%s\t%s\t%s\n", what, got, goal) }
	row("what", "measured", "goal")
	dir := shippedPlugins(t)

	wire, echo, local, sizes := overTheWire(t, dir)
	row(fmt.Sprintf("4 KB render over the wire (%s)", sizes), fmt.Sprintf("%.0f µs", micro(wire)), "")
	row("  an echo of the same bytes", fmt.Sprintf("%.0f µs", micro(echo)), "")
	row("  the render alone, in process", fmt.Sprintf("%.0f µs", micro(local)), "")
	row("  over the wire / (echo + render)", fmt.Sprintf("%.2f", float64(wire)/float64(echo+local)), "≤ 2")

	one, many := corpus(t, dir)
	row("README corpus on three surfaces, one by one", fmt.Sprintf("%.1f MB/s", one), "")
	row(fmt.Sprintf("  all at once, on %d processors", runtime.GOMAXPROCS(0)), fmt.Sprintf("%.1f MB/s (%.2f×)", many, many/one), "")

	first, stop, rss := lifecycle(t, dir)
	row("ready, with hash and sandbox: p50", ms(first), "≤ 40 ms")
	row("stop, healthy: p50", ms(stop), "≤ 100 ms")
	row("memory of an idle plugin", fmt.Sprintf("%.1f MB", rss), "≤ 20 MB")
	row("eight plugins, started at once", ms(eightAtOnce(t)), "≤ 120 ms")
	row("stop, hung", ms(stopHung(t)), "≤ 2300 ms")
	st, err := os.Stat(filepath.Join(dir, "telegram", "telegram"+exe))
	if err != nil {
		t.Fatal(err)
	}
	row("binary", fmt.Sprintf("%.1f MB", float64(st.Size())/1e6), "≤ 15 MB")
	w.Flush()
	fmt.Println(out.String())
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", micro(d)/1000) }

func quantile(d []time.Duration, num, den int) time.Duration {
	slices.Sort(d)
	return d[len(d)*num/den]
}

// shippedPlugins builds the surfaces that ship, as they ship.
func shippedPlugins(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, s := range shipped {
		bin := filepath.Join(built.dir, s.id+exe)
		if _, err := os.Stat(bin); err != nil {
			if err := build(bin, "../../../plugins/"+s.id); err != nil {
				t.Fatal(err)
			}
		}
		install(t, dir, bin, s.id)
	}
	return dir
}

// answer is about n bytes of a README, compiled.
func answer(t testing.TB, n int) *doc.Document {
	t.Helper()
	b, err := os.ReadFile("../bench/testdata/readme-server.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for len(text) < n {
		text += "\n\n" + string(b)
	}
	end := strings.LastIndex(text[:n], "\n\n")
	d, err := compile.Markdown(text[:end])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func overTheWire(t *testing.T, dir string) (wire, echo, local time.Duration, sizes string) {
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	d := doc.Lower(answer(t, 4<<10), doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
	req := surface.RenderRequest{Doc: d, Profile: h.byID["telegram"].found.Info.Profiles[0], Kind: surface.Assistant}
	rendering, _, err := h.Render(t.Context(), h.named("telegram"), req)
	if err != nil {
		t.Fatal(err)
	}
	in, out := len(doc.Append(nil, d, doc.WithoutSource))+400, replySize(rendering)
	call := echoProcess(t, in, out)
	renderer := layout.Renderer(dialect.TelegramHTML)
	work := []func() error{
		func() error { _, _, err := h.Render(t.Context(), h.named("telegram"), req); return err },
		call,
		func() error { _, err := renderer.Render(t.Context(), req); return err },
	}
	times := make([][]time.Duration, len(work))
	for range 400 {
		for i, f := range work {
			began := time.Now()
			for range 4 {
				if err := f(); err != nil {
					t.Fatal(err)
				}
			}
			times[i] = append(times[i], time.Since(began)/4)
		}
	}
	return quantile(times[0], 1, 4), quantile(times[1], 1, 4), quantile(times[2], 1, 4), fmt.Sprintf("%d bytes out, %d back", in, out)
}

func replySize(r surface.Rendering) (n int) {
	for _, c := range r.Chunks {
		n += len(c.Text) + len(c.Plain) + 8*len(c.Blocks) + 32
	}
	return n
}

// corpus renders the README corpus on three surfaces, and returns megabytes of
// markdown a second: one answer at a time, and all at once.
func corpus(t *testing.T, dir string) (one, many float64) {
	h := open(t, Config{Places: Places{Dirs: []string{dir}}})
	var docs []*doc.Document
	total := 0
	for _, kb := range []int{4, 8, 16, 32, 64} {
		d := doc.Lower(answer(t, kb<<10), doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
		docs = append(docs, d)
		total += len(d.Source)
	}
	render := func(id string, d *doc.Document) {
		req := surface.RenderRequest{Doc: d, Profile: h.byID[id].found.Info.Profiles[0], Kind: surface.Assistant}
		if _, _, err := h.Render(context.Background(), h.named(id), req); err != nil {
			t.Error(err)
		}
	}
	for _, s := range shipped {
		render(s.id, docs[0])
	}
	const rounds = 6
	rate := func(began time.Time) float64 {
		return float64(rounds*len(shipped)*total) / 1e6 / time.Since(began).Seconds()
	}
	began := time.Now()
	for range rounds {
		for _, s := range shipped {
			for _, d := range docs {
				render(s.id, d)
			}
		}
	}
	one = rate(began)
	began = time.Now()
	var wg sync.WaitGroup
	for range rounds {
		for _, s := range shipped {
			for _, d := range docs {
				wg.Go(func() { render(s.id, d) })
			}
		}
	}
	wg.Wait()
	return one, rate(began)
}

// lifecycle starts and stops one plugin some times.
func lifecycle(t *testing.T, dir string) (first, stop time.Duration, rss float64) {
	var starts, stops []time.Duration
	for range 21 {
		h := open(t, Config{Places: Places{Dirs: []string{dir}}})
		began := time.Now()
		if err := h.Restart(context.Background(), "telegram"); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, time.Since(began))
		for _, s := range h.Status() {
			if s.PID != 0 {
				rss = resident(s.PID)
			}
		}
		began = time.Now()
		h.Close()
		stops = append(stops, time.Since(began))
	}
	return quantile(starts, 1, 2), quantile(stops, 1, 2), rss
}

func eightAtOnce(t *testing.T) time.Duration {
	dir := t.TempDir()
	var names []string
	for i := range 8 {
		names = append(names, "good"+strconv.Itoa(i))
		install(t, dir, built.fixture, names[i])
	}
	var times []time.Duration
	for range 9 {
		h := open(t, Config{Places: Places{Dirs: []string{dir}}})
		var wg sync.WaitGroup
		began := time.Now()
		for _, n := range names {
			wg.Go(func() {
				if err := h.Restart(context.Background(), n); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		times = append(times, time.Since(began))
		h.Close()
	}
	return quantile(times, 1, 2)
}

func stopHung(t *testing.T) time.Duration {
	h := open(t, Config{}, "good")
	say(t, h, "good", "pid")
	go try(h, "good", "freeze")
	for h.Status()[0].Calls == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // the signal that it sends itself takes a moment
	began := time.Now()
	h.Close()
	return time.Since(began)
}

// resident is what a process occupies, in megabytes.
func resident(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1000
		}
	}
	return 0
}

// echoProcess starts this binary as a server that answers with a fixed number of
// bytes, and returns a call of it with another.
func echoProcess(t *testing.T, in, out int) func() error {
	path := filepath.Join(shortDir(t), "s")
	cmd := exec.Command(os.Args[0], "-test.run=^TestEcho$")
	cmd.Env = append(os.Environ(), "VAK_TEST_ECHO="+path, "VAK_TEST_BYTES="+strconv.Itoa(out))
	ready, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready.Read(make([]byte, 1))
	cc, err := grpc.NewClient("unix:"+path, append(hostapi.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cc.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	msg := wrapperspb.Bytes(make([]byte, in))
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return cc.Invoke(ctx, "/echo/Echo", msg, &wrapperspb.BytesValue{})
	}
}

func TestEcho(t *testing.T) {
	path := os.Getenv("VAK_TEST_ECHO")
	if path == "" {
		t.Skip("a part of TestFigures")
	}
	n, _ := strconv.Atoi(os.Getenv("VAK_TEST_BYTES"))
	reply := wrapperspb.Bytes(make([]byte, n))
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.InitialWindowSize(4<<20), grpc.InitialConnWindowSize(16<<20)) // as package surface has it
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			return reply, dec(&wrapperspb.BytesValue{})
		},
	}}}, struct{}{})
	fmt.Println("ready")
	s.Serve(l)
}
