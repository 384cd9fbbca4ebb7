package errordoc

import (
	"errors"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/card"
	"github.com/seed-1ae66336/vak/sdk/doc"
	"github.com/seed-1ae66336/vak/sdk/hostapi"

	"github.com/seed-1ae66336/vak/core/ledger"
)

// forms are the constants that are versions of what is written or said, and the row
// of docs/compatibility.md that tells of each.
var forms = map[string]string{
	"sdk/hostapi.Protocol":                      "protocol of plugins",
	"sdk/internal/wire.Protocol":                "protocol of plugins",
	"sdk/internal/wire.ManifestVersion":         "manifest, plugin.json",
	"sdk/doc.SchemaVersion":                     "document",
	"sdk/card.SchemaVersion":                    "card, the envelope",
	"core/internal/builtin/cards.Version":       "types of the built-in pack",
	"core/internal/builtin/recipes.version":     "recipes, built in",
	"core/packet.SchemaVersion":                 "packet",
	"core/internal/pipeline/plan.SchemaVersion": "plan, in packets and `vak why`",
	"core/ledger.Version":                       "ledger, a record",
	"core/internal/journal.version":             "journal, a commit",
	"core/internal/journal.checkpointForm":      "journal, a checkpoint",
	"core/internal/outbox.submissionVersion":    "delivery, in the journal",
	"core/internal/install/lock.version":        "lock files, `plugins.lock` and `revoked.json`",
	"core/internal/install/key.signatureHead":   "signature of a plugin",
	"core.templatesVersion":                     "templates, of a home",
	"core/internal/epoch.version":               "epoch, its list and a line of `epochs.jsonl`",
	"core.trustedVersion":                       "projects that are trusted",
}

// noForm are constants that sound like one.
var noForm = []string{"maxVersion", "goVersion", "NewerVersion"}

var (
	soundsLike = regexp.MustCompile(`^[A-Za-z]*[vV]ersion$|^Protocol$|^checkpointForm$|^signatureHead$`)
	lastNumber = regexp.MustCompile(`(\d+(?:\.\d+)*)$`)
	tableRow   = regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d[\d.]*) \|`)
)

// TestCompatibility holds the numbers of docs/compatibility.md to the constants, and
// finds constants that it does not tell of.
func TestCompatibility(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range tableRow.FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = m[2]
	}
	dirs, err := packages("core", "sdk")
	if err != nil {
		t.Fatal(err)
	}
	src := &tree{}
	told := map[string]bool{"control API": true}
	for _, dir := range dirs {
		all, err := src.constants(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if !soundsLike.MatchString(c.name) || slices.Contains(noForm, c.name) {
				continue
			}
			name := dir + "." + c.name
			row, ok := forms[name]
			if !ok {
				t.Errorf("%s is a version: give it a row in docs/compatibility.md, and name that here in forms", name)
				continue
			}
			value := c.value
			if c.name == "checkpointForm" {
				value = string('0' + value[len(value)-1])
			}
			if got := rows[row]; got != lastNumber.FindString(value) {
				t.Errorf("docs/compatibility.md gives %q the version %q; %s is %q", row, got, name, c.value)
			}
			told[row] = true
		}
	}
	for name, row := range forms {
		if !told[row] {
			t.Errorf("there is no %s any more, which %q was of", name, row)
		}
	}
	for row := range rows {
		if !told[row] {
			t.Errorf("docs/compatibility.md tells of %q, which nothing is the version of", row)
		}
	}
	if paths := routes(t, src); rows["control API"] == "" || len(paths) < 5 {
		t.Errorf("the control API has the paths %v, in the page it has the version %q", paths, rows["control API"])
	} else {
		for _, p := range paths {
			if !strings.HasPrefix(p, "/v"+rows["control API"]+"/") {
				t.Errorf("the control API has the path %s", p)
			}
		}
	}
}

// routes are the paths of the control API.
func routes(t *testing.T, src *tree) []string {
	t.Helper()
	files, err := src.files("core/internal/control")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || len(c.Args) < 2 {
				return true
			}
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "route" {
				if path := literalOf(c.Args[1]); path != "" {
					out = append(out, path)
				}
			}
			return true
		})
	}
	return out
}

// TestNewer gives readers what a later version wrote, as the page says what they do.
func TestNewer(t *testing.T) {
	if _, err := doc.Parse([]byte(`{"schema_version":2,"source_markdown":"","blocks":[]}`), doc.Limits{}); !errors.Is(err, doc.ErrVersion) {
		t.Errorf("a document: %v", err)
	}
	if _, err := card.ParseOutput([]byte(`{"semantic_type":"metric","schema_version":2,"payload":{}}`)); !errors.Is(err, card.ErrInvalid) {
		t.Errorf("a card: %v", err)
	}
	if _, err := card.ParseOutput([]byte(`{"semantic_type":"metric","later":1,"payload":{}}`)); !errors.Is(err, card.ErrInvalid) {
		t.Errorf("a card with a member of later: %v", err)
	}
	for manifest, want := range map[string]string{
		`{"schema_version":2,"id":"x"}`:                                    "update vak",
		`{"schema_version":1,"id":"x","kind":"surface","protocol":[2,3]}`:  "protocol [2 3]: this vak speaks 1",
		`{"schema_version":1,"id":"x","kind":"theme","protocol":[1]}`:      `kind "theme"`,
		`{"schema_version":1,"id":"x","kind":"surface","protocol":[1, 2]}`: "binary",
	} {
		if _, err := hostapi.ParseManifest([]byte(manifest)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", manifest, err)
		}
	}
	const line = `{"v":2,"session":"s","seq":1,"time":"2026-03-01T09:00:00.000Z","turn":"s/1","kind":"message","said":"later"}`
	r, err := ledger.Parse([]byte(line))
	if _, ok := r.Body.(*ledger.Unknown); err != nil || !ok {
		t.Errorf("a record: %T %v", r.Body, err)
	}
}
