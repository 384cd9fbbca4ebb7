package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/doc/doctest"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// Conformance holds p to the rules of [surface.Renderer], with documents made
// for it and with random ones, in every profile as declared and in the smallest
// ones that an operator may set:
//
//  1. The document survives the codec, and the rendering survives the wire.
//  2. The same request gives the same bytes, whatever else is rendered meanwhile.
//  3. Every chunk, and its plain form, keeps within the limit, holds something to
//     read and is valid UTF-8 without control characters.
//  4. Blocks and notes name blocks of the document.
//  5. All that [doc.Parts] lists can be read in the plain forms, in order; cells
//     of a table in any order.
//  6. A document with nothing visible gives no chunk.
//  7. A context that ends ends the rendering of a large document soon, with an
//     error.
//  8. No goroutine is left.
//  9. Little is shown that is not in the document: some 200 characters in all, and a
//     dozen in each chunk.
//  10. The schemas of accounts and addresses can be compiled and refer to nothing
//     outside of themselves.
//
// Limits are measured and text is read back with the dialects of package
// dialect: the text of a chunk says by its profile's dialect what the plain form
// says, and what is markup there is seen as it is where it is text. Of a profile in
// another dialect the plain form is measured and read.
func Conformance(t *testing.T, p surface.Plugin) {
	r := Run(t, p)
	before := runtime.NumGoroutine()
	for _, d := range Documents() {
		t.Run(strings.ReplaceAll(d.Name, " ", "_"), func(t *testing.T) {
			for _, profile := range profiles(r.info) {
				for _, v := range r.conform(d.Doc, profile) {
					t.Errorf("profile %s: %v", name(profile), v)
				}
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		// Fixed, so that it fails for a change and not for a draw.
		if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
			if err := f.Value.Set("1"); err != nil {
				t.Fatal(err)
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			d := doctest.Random(t, doctest.Options{})
			profile := rapid.SampledFrom(profiles(r.info)).Draw(t, "profile")
			if broken := r.conform(d, profile); len(broken) > 0 {
				out, _ := r.Render(context.Background(), surface.RenderRequest{Doc: d, Profile: profile})
				t.Errorf("profile %s: %v\ndocument: %s\n%s", name(profile), errors.Join(broken...), doc.Append(nil, d, doc.WithoutSource), Format(out, profile))
			}
		})
	})
	t.Run("dialect", func(t *testing.T) {
		for _, profile := range r.info.Profiles {
			if err := r.speaks(profile); err != nil {
				t.Errorf("profile %s: %v", name(profile), err)
			}
		}
	})
	t.Run("own_words", func(t *testing.T) {
		for _, profile := range profiles(r.info) {
			if err := r.adds(profile); err != nil {
				t.Errorf("profile %s: %v", name(profile), err)
			}
		}
	})
	t.Run("schemas", func(t *testing.T) {
		for _, err := range schemas(r.info) {
			t.Error(err)
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		for _, v := range r.concurrent() {
			t.Error(v)
		}
	})
	t.Run("context", func(t *testing.T) {
		for _, v := range endings(p) {
			t.Error(v)
		}
	})
	if n := settle(before); n > before {
		t.Errorf("%d goroutines before, %d after", before, n)
	}
}

// profiles are the declared ones, and each of them with the smallest limits.
func profiles(i surface.Info) []surface.Profile {
	out := append([]surface.Profile(nil), i.Profiles...)
	for _, p := range i.Profiles {
		for _, n := range []int{surface.MinLimit, 3 * surface.MinLimit} {
			small := p
			small.Name = fmt.Sprintf("max.%d", n)
			small.Limit.Max = n
			out = append(out, small)
		}
	}
	return out
}

func name(p surface.Profile) string {
	if p.Name == "" {
		return p.Surface
	}
	return p.Surface + "/" + p.Name
}

// conform reports what breaks a rule when d is rendered.
func (r *Runner) conform(d *doc.Document, p surface.Profile) []error {
	d = r.lower(d)
	if err := roundTrip(d); err != nil {
		return []error{err}
	}
	req := surface.RenderRequest{Doc: d, Profile: p}
	out, err := r.Render(context.Background(), req)
	if err != nil {
		return []error{err}
	}
	again, err := r.Render(context.Background(), req)
	if err != nil {
		return []error{err}
	}
	var broken []error
	first, err := wire.JSON(out)
	if err != nil {
		return []error{err}
	}
	second, err := wire.JSON(again)
	if err != nil {
		return []error{err}
	}
	if !bytes.Equal(first, second) {
		broken = append(broken, errors.New("the same request gave two different renderings"))
	}
	if back, err := hostapi.ParseRendering(first); err != nil {
		broken = append(broken, fmt.Errorf("the rendering does not survive the wire: %w", err))
	} else if b, _ := wire.JSON(back); !bytes.Equal(b, first) {
		broken = append(broken, errors.New("the rendering changes on the wire"))
	}
	broken = append(broken, inLimits(out, p)...)
	broken = append(broken, names(d, out)...)
	var plain, text strings.Builder
	for _, c := range out.Chunks {
		plain.WriteString(c.Plain + "\n")
	}
	if err := complete(d, plain.String(), len(out.Chunks)); err != nil {
		return append(broken, err)
	}
	if as, known := dialect.ByName(p.Dialect); known {
		for _, c := range out.Chunks {
			text.Write(append(as.Visible(nil, []byte(c.Text)), '\n'))
		}
		if err := complete(d, text.String(), len(out.Chunks)); err != nil {
			broken = append(broken, fmt.Errorf("read as %s: %w", as.Name(), err))
		}
	}
	return broken
}

// marked is a text that holds markup of every dialect.
const marked = "a*b* _c_ d__e__ ~f~ ~~g~~ ||h|| <i>j</i> &amp; `k` [l](m) \\n <@U1> #o"

// speaks checks that a reader of p's dialect sees a text of markup as it is, and of
// bold text no markup. A renderer that writes another dialect than its profile says
// shows its markup there.
func (r *Runner) speaks(p surface.Profile) error {
	as, known := dialect.ByName(p.Dialect)
	if !known {
		return nil
	}
	out, err := r.Render(context.Background(), surface.RenderRequest{Doc: document(para("1", text(marked+" "), &doc.Strong{Children: []doc.Inline{text("bold")}}, text(" end"))), Profile: p})
	if err != nil {
		return err
	}
	var seen []byte
	for _, c := range out.Chunks {
		seen = as.Visible(seen, []byte(c.Text))
	}
	if !strings.Contains(strings.Map(keep, string(seen)), strings.Map(keep, marked+"boldend")) {
		return fmt.Errorf("of the text %q a reader of the dialect %s sees %q: is the renderer's dialect the one that the profile names?", marked, as.Name(), clip(string(seen)))
	}
	return nil
}

// adds checks that little is shown beside a long text: a host has the answer go plain
// where it is more.
func (r *Runner) adds(p surface.Profile) error {
	const inAll, inChunk = 200, 12
	long := strings.Repeat("All work and no play. ", 300)
	out, err := r.Render(context.Background(), surface.RenderRequest{Doc: document(para("1", text(long))), Profile: p})
	if err != nil {
		return err
	}
	shown := 0
	for _, c := range out.Chunks {
		shown += len([]rune(strings.Map(keep, c.Plain)))
	}
	if own := shown - len([]rune(strings.Map(keep, long))); own > inAll+inChunk*len(out.Chunks) {
		return fmt.Errorf("beside a long text %d chunks show %d characters that are not in the document, %d are allowed", len(out.Chunks), own, inAll+inChunk*len(out.Chunks))
	}
	return nil
}

// schemas checks those of accounts and addresses.
func schemas(i surface.Info) []error {
	var broken []error
	for _, s := range []struct {
		what string
		text json.RawMessage
	}{{"accounts", i.Account}, {"addresses", i.Address}} {
		if len(s.text) == 0 {
			continue
		}
		if _, err := compileSchema(s.text); err != nil {
			broken = append(broken, fmt.Errorf("the schema of %s: %w", s.what, err))
		}
	}
	return broken
}

// roundTrip checks that d is a document that can be sent.
func roundTrip(d *doc.Document) error {
	b := doc.Append(nil, d, doc.WithSource)
	back, err := doc.Parse(b, doc.Limits{})
	if err != nil {
		return fmt.Errorf("the document does not survive the codec: %w", err)
	}
	if !bytes.Equal(doc.Append(nil, back, doc.WithSource), b) {
		return errors.New("the document changes in the codec")
	}
	return nil
}

func inLimits(r surface.Rendering, p surface.Profile) []error {
	var broken []error
	d, known := dialect.ByName(p.Dialect)
	over := func(i int, form string, s dialect.Size) {
		l := p.Limit
		if n, unit, of := used(s, l); l.Max > 0 && n > l.Max {
			broken = append(broken, fmt.Errorf("chunk %d: %s has %d %s %s, %d are allowed", i, form, n, unit, of, l.Max))
		}
		for _, c := range []struct {
			what      string
			have, max int
		}{{"bytes", s.Sent.Bytes, l.MaxBytes}, {"entities", s.Entities, l.MaxEntities}, {"bytes of entities", s.EntityBytes, l.MaxEntityBytes}} {
			if c.max > 0 && c.have > c.max {
				broken = append(broken, fmt.Errorf("chunk %d: %s has %d %s, %d are allowed", i, form, c.have, c.what, c.max))
			}
		}
	}
	for i, c := range r.Chunks {
		if known {
			over(i, "text", d.Measure([]byte(c.Text)))
			if !readable(string(d.Visible(nil, []byte(c.Text)))) {
				broken = append(broken, fmt.Errorf("chunk %d: text is only markup", i))
			}
		}
		over(i, "plain", dialect.PlainText.Measure([]byte(c.Plain)))
		if !readable(c.Plain) {
			broken = append(broken, fmt.Errorf("chunk %d: plain has nothing to read", i))
		}
		if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Plain) {
			broken = append(broken, fmt.Errorf("chunk %d: not valid UTF-8", i))
		}
	}
	return broken
}

func readable(s string) bool { return strings.ContainsFunc(s, significant) }

// names checks that blocks and notes name blocks of d.
func names(d *doc.Document, r surface.Rendering) []error {
	known := map[doc.ID]bool{}
	var add func([]doc.Block)
	add = func(bs []doc.Block) {
		for _, b := range bs {
			known[b.BlockID()] = true
			for _, c := range children(b) {
				add(c)
			}
		}
	}
	add(d.Blocks)
	exists := func(id doc.ID) bool {
		for { // what a renderer makes of a block stands below it
			if known[id] {
				return true
			}
			i := strings.LastIndexByte(string(id), '.')
			if i < 0 {
				return false
			}
			id = id[:i]
		}
	}
	var broken []error
	for i, c := range r.Chunks {
		if len(c.Blocks) == 0 {
			broken = append(broken, fmt.Errorf("chunk %d names no block", i))
		}
		for _, id := range c.Blocks {
			if !exists(id) {
				broken = append(broken, fmt.Errorf("chunk %d names block %q, which does not exist", i, id))
			}
		}
	}
	for _, n := range r.Notes {
		if !exists(n.Block) {
			broken = append(broken, fmt.Errorf("a note (%s) names block %q, which does not exist", n.Reason, n.Block))
		}
	}
	return broken
}

// children lists the runs of blocks within b.
func children(b doc.Block) [][]doc.Block {
	var out [][]doc.Block
	switch b := b.(type) {
	case *doc.List:
		for _, it := range b.Items {
			out = append(out, it.Blocks)
		}
	case *doc.Quote:
		out = append(out, b.Blocks)
	case *doc.Callout:
		out = append(out, b.Blocks)
	case *doc.Citations:
		for _, it := range b.Items {
			out = append(out, it.Blocks)
		}
	}
	return out
}

// complete checks that all that must be seen can be read in what is shown, in so many
// chunks.
func complete(d *doc.Document, shown string, chunks int) error {
	text := []rune(strings.Map(keep, shown))
	visible, shows := false, false // a data: picture shows a notice, or nothing
	at := 0
	for _, b := range d.Blocks {
		shows = shows || doc.Shows(b)
		table, end := 0, at
		for part := range doc.Parts(b) {
			visible = visible || readable(part.Text)
			if part.Role == doc.RoleTask { // each surface has marks of its own
				continue
			}
			want := []rune(strings.Map(keep, part.Text))
			from := at
			if part.Cell > 0 {
				if table == 0 {
					table = at + 1
				}
				from = table - 1 // cells come in any order
			} else {
				table = 0
				from = max(from, end)
			}
			to := follow(text, from, want)
			if to < 0 {
				return fmt.Errorf("block %s (%s) loses %q", part.Block, part.Kind, clip(part.Text))
			}
			end = max(end, to)
			if part.Cell == 0 {
				at = end
			}
		}
		at = max(at, end)
	}
	switch {
	case !visible && !shows && chunks > 0:
		return fmt.Errorf("nothing is visible, and there are %d chunks", chunks)
	case visible && chunks == 0:
		return errors.New("something is visible, and there is no chunk")
	}
	return nil
}

// follow finds want in text from a place on, in order, and returns the place
// behind it, or -1. What stands in between is markup or a border.
func follow(text []rune, from int, want []rune) int {
	for _, w := range want {
		for from < len(text) && text[from] != w {
			from++
		}
		if from == len(text) {
			return -1
		}
		from++
	}
	return from
}

// significant reports whether a reader misses c when it is not there.
func significant(c rune) bool {
	return !unicode.IsSpace(c) && !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c)
}

func keep(c rune) rune {
	if significant(c) {
		return c
	}
	return -1
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// concurrent renders one document many times at once.
func (r *Runner) concurrent() []error {
	d := Documents()[0].Doc
	req := surface.RenderRequest{Doc: d}
	want, err := r.Render(context.Background(), req)
	if err != nil {
		return []error{err}
	}
	first, err := wire.JSON(want)
	if err != nil {
		return []error{err}
	}
	broken := make([]error, 8)
	var wg sync.WaitGroup
	for i := range broken {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 4 {
				got, err := r.Render(context.Background(), req)
				if err != nil {
					broken[i] = err
					return
				}
				if b, _ := wire.JSON(got); !bytes.Equal(b, first) {
					broken[i] = errors.New("a rendering differs when several run at once")
					return
				}
			}
		}()
	}
	wg.Wait()
	var out []error
	for _, err := range broken {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// endings renders a large document under contexts that end.
func endings(p surface.Plugin) []error {
	large := Large()
	large = doc.Lower(large, doc.Support{Version: p.Info.DocVersion, Blocks: p.Info.Blocks})
	req := surface.RenderRequest{Doc: large, Profile: p.Info.Profiles[0], Kind: surface.Assistant}
	var broken []error
	for _, c := range []struct {
		why   string
		after time.Duration // 0: it has ended before
	}{{"a context that had ended", 0}, {"a context that ended after 10 ms", 10 * time.Millisecond}} {
		ctx, cancel := context.WithCancel(context.Background())
		if c.after == 0 {
			cancel()
		} else {
			time.AfterFunc(c.after, cancel)
		}
		began := time.Now()
		ended := make(chan error, 1)
		go func() {
			defer func() {
				if v := recover(); v != nil {
					ended <- fmt.Errorf("panic: %v", v)
				}
			}()
			_, err := p.Renderer.Render(ctx, req)
			ended <- err
		}()
		select {
		case err := <-ended:
			if c.after == 0 && err == nil {
				broken = append(broken, fmt.Errorf("rendering under %s succeeded", c.why))
			}
			if err != nil && !errors.Is(err, ctx.Err()) {
				broken = append(broken, fmt.Errorf("rendering under %s failed with %v, want %v", c.why, err, ctx.Err()))
			}
			if took := time.Since(began); took > patience+c.after {
				broken = append(broken, fmt.Errorf("rendering under %s took %v", c.why, took))
			}
		case <-time.After(10 * patience):
			broken = append(broken, fmt.Errorf("rendering under %s does not end", c.why))
		}
		cancel()
	}
	return broken
}

// settle waits a little for goroutines that have said that they are done.
func settle(want int) int {
	n := runtime.NumGoroutine()
	for range 100 {
		if n <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
		n = runtime.NumGoroutine()
	}
	return n
}
