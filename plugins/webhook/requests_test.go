package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// TestGoldenRequests compares what goes out with a file that a person has read.
// It is written with -update.
func TestGoldenRequests(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := newWebhook(t, fake.WebhookOptions{Now: func() time.Time { return at }})
	out := &txtar.Archive{Comment: []byte("What is posted to a webhook. \"go test -update\" writes this file; read it before you commit it.\n")}
	for i, more := range []map[string]any{
		{"mode": structured, "secret": secret},
		{"mode": binary, "secret": []string{secret, another}},
		{"mode": plain, "headers": map[string]string{"Authorization": "Bearer x"}},
	} {
		more["url"], more["allow"] = w.URL+"/hook", []string{"127.0.0.1"}
		b, err := json.Marshal(more)
		if err != nil {
			t.Fatal(err)
		}
		made, err := open(t.Context(), surface.Account{Settings: b})
		if err != nil {
			t.Fatal(err)
		}
		made.(*transport).now = func() time.Time { return at }
		r := with(func(r *surface.SendRequest) { r.Key = fmt.Sprint("k", i) })
		if _, err := made.Send(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		q := w.Requests()[i]
		out.Files = append(out.Files, txtar.File{Name: fmt.Sprint(more["mode"]), Data: []byte(shown(t, q))})
	}
	file := filepath.Join("testdata", "transport", "requests.txtar")
	got := txtar.Format(out)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it):\n%s", file, got)
	}
}

// shown is a request for people.
func shown(t *testing.T, q fake.Request) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", q.Method, q.Path)
	for _, k := range []string{
		"Authorization", "Ce-Id", "Ce-Source", "Ce-Specversion", "Ce-Type", "Content-Type", "Idempotency-Key", "User-Agent",
		"Webhook-Id", "Webhook-Signature", "Webhook-Timestamp",
	} {
		if v := q.Header.Get(k); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", k, v)
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(q.Body), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n" + pretty.String() + "\n"
}
