package hostapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/internal/wire"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestParseRendering(t *testing.T) {
	const chunk = `{"text":"a","plain":"a","blocks":["1"]}`
	for _, c := range []struct{ in, says string }{
		{`{"chunks":[]}`, ""},
		{`{"chunks":[` + chunk + `],"notes":[{"block":"1.2","disposition":"fallback","reason":"word_boundary","count":2}],"diagnostics":[{"code":"x","message":"y"}]}`, ""},
		{`{"chunks":[{"text":"a\tb\nc","plain":"ü","native":{"kind":"slack.rich_text.v1","json":{"a":1}},"blocks":null}],"future":1}`, ""},
		{``, "not valid JSON"},
		{`{"chunks":[]} x`, "not valid JSON"},
		{`[]`, "wrong type"},
		{`{"chunks":[{"text":5}]}`, "wrong type"},
		{"{\"chunks\":[{\"text\":\"\xff\",\"plain\":\"a\"}]}", "not valid UTF-8"},
		{`{"chunks":[{"text":"","plain":"a","blocks":["1"]}]}`, "chunks[0].text: empty"},
		{`{"chunks":[` + chunk + `,{"text":"a","plain":"","blocks":["1"]}]}`, "chunks[1].plain: empty"},
		{`{"chunks":[{"text":"a\u000eb","plain":"a","blocks":["1"]}]}`, "control character 0x0e at byte 1"},
		{`{"chunks":[{"text":"a","plain":"\r","blocks":["1"]}]}`, "plain: control character"},
		{`{"chunks":[{"text":"a","plain":"a","blocks":["../x"]}]}`, "not a block id"},
		{`{"chunks":[{"text":"a","plain":"a","native":{"kind":"A B","json":1}}]}`, "native.kind"},
		{`{"chunks":[{"text":"a","plain":"a","native":{"kind":"x"}}]}`, "native.json: 0 bytes"},
		{`{"chunks":[{"text":"a","plain":"a","native":{"kind":"x","json":"` + strings.Repeat("x", MaxNative) + `"}}]}`, "native.json: 65538 bytes"},
		{`{"chunks":[],"notes":[{"block":"","disposition":"native","reason":"x"}]}`, "notes[0].block"},
		{`{"chunks":[],"notes":[{"block":"1","disposition":"gone","reason":"x"}]}`, "notes[0].disposition"},
		{`{"chunks":[],"notes":[{"block":"1","disposition":"native","reason":"secret text"}]}`, "notes[0].reason"},
		{`{"chunks":[],"notes":[{"block":"1","disposition":"native","reason":"x","count":-1}]}`, "notes[0].count"},
		{`{"chunks":[],"diagnostics":[{"code":""}]}`, "diagnostics[0].code"},
		{`{"chunks":[],"diagnostics":[{"code":"x","severity":"fatal"}]}`, "diagnostics[0].severity"},
		{`{"chunks":[],"diagnostics":[{"code":"x","block":"a"}]}`, "diagnostics[0].block"},
		{`{"chunks":[],"diagnostics":[{"code":"x","message":"` + strings.Repeat("x", 1025) + `"}]}`, "diagnostics[0].message"},
		{`{"chunks":[],"diagnostics":[{"code":"x","message":"\u001b"}]}`, "diagnostics[0].message"},
		{`{"chunks":[` + strings.Repeat(`{},`, MaxChunks) + `{}]}`, "200001 chunks"},
		{`{"chunks":[],"notes":[` + strings.Repeat(`{},`, MaxNotes) + `{}]}`, "200001 notes"},
		{`{"chunks":[],"diagnostics":[` + strings.Repeat(`{},`, MaxDiagnostics) + `{}]}`, "10001 diagnostics"},
		{strings.Repeat(" ", MaxMessage+1), "16777217 bytes"},
	} {
		_, err := ParseRendering([]byte(c.in))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%.120s: err = %v, want %q", c.in, err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("err = %v quotes the answer", err)
		}
	}
}

func manifest(t testing.TB) map[string]any {
	t.Helper()
	info, err := wire.JSON(surface.Info{
		ID: "a", Version: "1.2.3-rc.1+b", DocVersion: 1,
		Profiles: []surface.Profile{{Surface: "a", Dialect: "plain", Limit: surface.Limit{Max: 64}}},
		Account:  json.RawMessage(`{"type":"object"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.Manifest{SchemaVersion: 1, ID: "a", Kind: "surface", Version: "1.2.3-rc.1+b", Protocol: []int{1}, Binary: "a.exe", SHA256: strings.Repeat("0", 64), Info: info}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseManifest(t *testing.T) {
	info := func(m map[string]any) map[string]any { return m["info"].(map[string]any) }
	profile := func(m map[string]any) map[string]any { return info(m)["profiles"].([]any)[0].(map[string]any) }
	limit := func(m map[string]any) map[string]any { return profile(m)["limit"].(map[string]any) }
	for _, c := range []struct {
		says   string
		change func(map[string]any)
	}{
		{"", func(map[string]any) {}},
		{"", func(m map[string]any) { m["future"] = true; info(m)["future"] = true }},
		{"", func(m map[string]any) { m["protocol"] = []int{3, 2, 1} }},
		{"", func(m map[string]any) { info(m)["blocks"] = []string{"paragraph", "newer_kind"} }},
		{"schema_version 0", func(m map[string]any) { delete(m, "schema_version") }},
		{"newer than this vak", func(m map[string]any) { m["schema_version"] = 2 }},
		{`kind "skills"`, func(m map[string]any) { m["kind"] = "skills" }},
		{"protocol []", func(m map[string]any) { m["protocol"] = nil }},
		{"binary", func(m map[string]any) { m["binary"] = "" }},
		{"binary", func(m map[string]any) { m["binary"] = ".." }},
		{"binary", func(m map[string]any) { m["binary"] = "/bin/sh" }},
		{"binary", func(m map[string]any) { m["binary"] = `..\x` }},
		{"binary", func(m map[string]any) { m["binary"] = "a:b" }},
		{"binary", func(m map[string]any) { m["binary"] = "a\x00b" }},
		{"sha256", func(m map[string]any) { m["sha256"] = strings.Repeat("0", 63) }},
		{"sha256", func(m map[string]any) { m["sha256"] = strings.Repeat("A", 64) }},
		{"wrong type", func(m map[string]any) { m["sha256"] = 5 }},
		{"info: missing", func(m map[string]any) { delete(m, "info") }},
		{"differ", func(m map[string]any) { m["id"] = "b" }},
		{"differ", func(m map[string]any) { m["version"] = "1.2.4" }},
		{"info.id", func(m map[string]any) { info(m)["id"] = "A" }},
		{"info.id", func(m map[string]any) { info(m)["id"] = "a-" }},
		{"info.version", func(m map[string]any) { info(m)["version"] = "1.2" }},
		{"info.doc_version", func(m map[string]any) { info(m)["doc_version"] = 0 }},
		{"info.blocks[0]", func(m map[string]any) { info(m)["blocks"] = []string{"A"} }},
		{"info.blocks", func(m map[string]any) { info(m)["blocks"] = make([]string, 65) }},
		{"info.profiles: want", func(m map[string]any) { info(m)["profiles"] = nil }},
		{"info.profiles: 33", func(m map[string]any) { info(m)["profiles"] = make([]any, 33) }},
		{"info.account", func(m map[string]any) { info(m)["account"] = []int{} }},
		{"info.address", func(m map[string]any) { info(m)["address"] = strings.Repeat("x", 64<<10) }},
		{"info.profiles[0].surface", func(m map[string]any) { profile(m)["surface"] = "b" }},
		{"info.profiles[0].dialect", func(m map[string]any) { profile(m)["dialect"] = "" }},
		{"info.profiles[0].delivers", func(m map[string]any) { profile(m)["delivers"] = "pizza" }},
		{"info.profiles[0].grid", func(m map[string]any) { profile(m)["grid"] = -1 }},
		{"info.profiles[0].limit.max 63", func(m map[string]any) { limit(m)["max"] = 63 }},
		{"info.profiles[0].limit.max 100001", func(m map[string]any) { limit(m)["max"] = 100_001 }},
		{"info.profiles[0].limit.unit", func(m map[string]any) { limit(m)["unit"] = "inch" }},
		{"info.profiles[0].limit.of", func(m map[string]any) { limit(m)["of"] = "felt" }},
		{"info.profiles[0].limit.max_bytes", func(m map[string]any) { limit(m)["max_bytes"] = 1 }},
		{"info.profiles[0].edit_limit.max", func(m map[string]any) { profile(m)["edit_limit"] = map[string]any{"max": -1} }},
	} {
		m := manifest(t)
		c.change(m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseManifest(b)
		switch {
		case c.says == "" && (err != nil || got.Info.ID != "a" || got.Binary != "a.exe"):
			t.Errorf("%s: %+v, %v", b, got, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("err = %v, want %q", err, c.says)
		}
	}
	if _, err := ParseManifest(make([]byte, MaxManifest+1)); err == nil {
		t.Error("a manifest of more than 1 MiB")
	}
}

func TestSameInfo(t *testing.T) {
	a := surface.Info{ID: "a", Account: json.RawMessage(`{ "type" : "object" }`)}
	b := surface.Info{ID: "a", Account: json.RawMessage(`{"type":"object"}`)}
	if !SameInfo(a, b) {
		t.Error("space makes a difference")
	}
	b.Version = "2.0.0"
	if SameInfo(a, b) {
		t.Error("another version makes none")
	}
}

func FuzzParseRendering(f *testing.F) {
	f.Add([]byte(`{"chunks":[{"text":"a","plain":"a","native":{"kind":"x","json":[1]},"blocks":["1.2"]}],"notes":[{"block":"1","disposition":"omitted","reason":"empty"}],"diagnostics":[{"code":"x"}]}`))
	f.Add([]byte(`{"chunks":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRendering(b)
		if err != nil {
			return
		}
		again, err := wire.JSON(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseRendering(again)
		if err != nil {
			t.Fatalf("%s is taken, %s is not: %v", b, again, err)
		}
		if third, _ := wire.JSON(back); !bytes.Equal(third, again) {
			t.Fatalf("%s becomes %s", again, third)
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	b, err := json.Marshal(manifest(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseManifest(b)
		if err != nil {
			return
		}
		if err := m.Info.Validate(); err != nil {
			t.Error(err)
		}
		if strings.ContainsAny(m.Binary, `/\`) || len(m.SHA256) != 64 {
			t.Errorf("%+v", m)
		}
		if s := fmt.Sprint(m.Info.Version); strings.ContainsAny(s, " \n") {
			t.Errorf("version %q", s)
		}
	})
}
