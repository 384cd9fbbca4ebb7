package sdktest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
	"github.com/seed-1ae66336/vak/sdk/layout"
	"github.com/seed-1ae66336/vak/sdk/skill"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A PackRunner asks a skill pack as a host does. It is safe for concurrent use.
type PackRunner struct {
	client *hostapi.Client
	info   skill.Info
}

// Pack returns a PackRunner of p in this process, over the wire form, and ends the
// test if a host would refuse p. Stacks of panics go to the test's log.
func Pack(t testing.TB, p skill.Pack) *PackRunner {
	t.Helper()
	r, err := newPack(p, hclog.New(&hclog.LoggerOptions{Output: logWriter{t}, DisableTime: true}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newPack(p skill.Pack, log hclog.Logger) (*PackRunner, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("sdktest: a host would refuse this pack: %w", err)
	}
	r := &PackRunner{client: hostapi.LocalPack(p, log)}
	d, err := r.client.Describe(context.Background())
	if err != nil {
		return nil, fmt.Errorf("sdktest: a host would refuse this pack: %w", err)
	}
	r.info = d.Pack
	return r, nil
}

// PackBinary is [Pack] for the binary of a pack, which is started in the role
// "skill" as [Binary] says, with its manifest beside it.
func PackBinary(t testing.TB, path string) *PackRunner {
	t.Helper()
	client, d := launch(t, path, hostapi.RoleSkill, &lines{t: t}, io.Discard)
	return &PackRunner{client, d.Pack}
}

// Info is what the pack says of itself, as it arrives at a host.
func (r *PackRunner) Info() skill.Info { return r.info }

// Lower has the pack lower a card. It does not hold the payload to the schema of
// its type, which a host does before. It has 5 s if ctx has no deadline; its error
// is a *hostapi.Error.
func (r *PackRunner) Lower(ctx context.Context, in skill.Input) (card.Tree, error) {
	return r.client.Lower(ctx, in)
}

// CheckCard has the pack say what is wrong with a payload; nothing: it is fine. A
// type without a Check finds nothing. Time and error are those of Lower.
func (r *PackRunner) CheckCard(ctx context.Context, in skill.Input) ([]*card.ProblemError, error) {
	return r.client.CheckCard(ctx, in)
}

// PackGolden lowers the card of every file that matches pattern and compares what
// comes of it with what the file says. Each file is a txtar archive:
//
//	Why this case is here.
//	-- card.json --
//	{"semantic_type": "acme.mood", "payload": {"mood": "sunny"}}
//	-- output --
//	Where the schema refuses the payload, by which of its keywords; or what the
//	pack's Check finds; or else the tree, how it reads as plain text and in
//	Telegram's HTML, and what of the payload it does not show.
//
// With -update the output is written instead. Read it before you commit it.
func PackGolden(t *testing.T, p skill.Pack, pattern string) {
	t.Helper()
	files := goldens(t, pattern)
	r := Pack(t, p)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.golden(t.Context(), a)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if *update {
				put(a, "output", got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := member(a, "output"); got != want {
				t.Errorf("%s differs (-update writes it)\n%s", file, difference(want, got))
			}
		})
	}
}

// golden is what a host makes of the card of a, printed.
func (r *PackRunner) golden(ctx context.Context, a *txtar.Archive) (string, error) {
	for _, f := range a.Files {
		if f.Name != "card.json" && f.Name != "output" {
			return "", fmt.Errorf("what is %s? there are card.json and output", f.Name)
		}
	}
	o, err := card.ParseOutput([]byte(member(a, "card.json")))
	if err != nil {
		return "", fmt.Errorf("card.json: %w", err)
	}
	in := skill.Input{Type: o.SemanticType, Payload: o.Payload, Context: o.Context}
	refused, err := r.refuses(in)
	if err != nil || refused != "" {
		return refused, err
	}
	found, err := r.CheckCard(ctx, in)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range found {
		fmt.Fprintf(&b, "problem: %v\n", p)
	}
	if len(found) > 0 { // a host lowers no such card
		return b.String(), nil
	}
	tree, err := r.Lower(ctx, in)
	if err != nil {
		return "", err
	}
	if err := printTree(ctx, &b, tree); err != nil {
		return "", err
	}
	for _, path := range card.Unshown(in.Payload, tree) {
		fmt.Fprintf(&b, "not shown: %s\n", path)
	}
	return b.String(), nil
}

// refuses says where the schema of its type refuses a payload, in lines; nothing: it
// takes it, or the pack has no such type.
func (r *PackRunner) refuses(in skill.Input) (string, error) {
	i := slices.IndexFunc(r.info.Types, func(t skill.TypeInfo) bool { return t.Name == in.Type })
	if i < 0 {
		return "", nil
	}
	schema, err := compileSchema(r.info.Types[i].Schema)
	if err != nil {
		return "", fmt.Errorf("the schema: %w", err)
	}
	payload, err := decodePayload(in.Payload)
	if err != nil {
		return "", err
	}
	var lines []string
	var collect func(*jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			collect(cause)
		}
		if len(e.Causes) == 0 {
			lines = append(lines, fmt.Sprintf("refused by the schema: %s breaks %s\n", cmp.Or(e.InstanceLocation, "the payload"), e.KeywordLocation))
		}
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](schema.Validate(payload)); ok {
		collect(e)
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), nil
}

// printTree writes a tree and how it reads.
func printTree(ctx context.Context, b *strings.Builder, tree card.Tree) error {
	raw, err := tree.Append(nil)
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return err
	}
	b.WriteString("┌ tree\n")
	bordered(b, indented.String())
	low := tree.Blocks("1", card.Options{})
	d := &doc.Document{Version: doc.SchemaVersion, Blocks: low.Blocks}
	d = doc.Lower(d, doc.Support{Version: doc.SchemaVersion, Blocks: layout.Blocks()})
	for _, as := range []dialect.Dialect{dialect.PlainText, dialect.TelegramHTML} {
		out, err := layout.Render(ctx, surface.RenderRequest{Doc: d, Profile: surface.Profile{Dialect: as.Name()}}, as)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "├ %s\n", as.Name())
		for _, c := range out.Chunks {
			bordered(b, c.Text)
		}
	}
	b.WriteString("└\n")
	if low.Partial {
		b.WriteString("partial: a reader is shown less than the tree says\n")
	}
	return nil
}
