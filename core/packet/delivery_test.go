package packet

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

func TestDelivery(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 5_000_000, time.FixedZone("", 3600))
	p := Packet{SchemaVersion: 1, JobID: "s/1:0:webhook:x", Target: "webhook:x", Surface: "webhook", Kind: surface.Assistant, Payload: json.RawMessage(`{}`), Chunks: []Chunk{{Text: "a"}}, Recipe: "answer.basic"}
	b, err := AppendDelivery([]byte("x"), &p, "a <b>", at)
	whole, _ := Append(nil, &p)
	want := `x{"schema_version":1,"target":"webhook:x","text":"a <b>","ts":"2026-03-01T08:00:00.005Z","job_id":"s/1:0:webhook:x","delivery":` + string(whole) + `}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
}

// TestLargeDelivery leaves out what is there twice before anything else.
func TestLargeDelivery(t *testing.T) {
	mb := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		why             string
		payload, chunks int // megabytes
		left            string
	}{
		{"it has room", 3, 3, ""},
		{"without the payload", 11, 3, "payload_left_out"},
		{"without the chunks, too", 11, 13, "payload_left_out chunks_left_out"},
	} {
		p := Packet{Surface: "webhook", Payload: json.RawMessage(`"` + strings.Repeat(mb, c.payload) + `"`), Chunks: []Chunk{{Text: strings.Repeat(mb, c.chunks)}}, FallbackMarkdown: mb}
		b, err := AppendDelivery(nil, &p, mb, time.Time{})
		var got struct {
			Text     string
			Delivery Packet
		}
		if err != nil || len(b) > MaxDelivery || json.Unmarshal(b, &got) != nil || got.Text != mb || got.Delivery.FallbackMarkdown != mb {
			t.Fatalf("%s: %d bytes, %v", c.why, len(b), err)
		}
		var codes []string
		for _, d := range got.Delivery.Diagnostics {
			codes = append(codes, d.Code)
		}
		if strings.Join(codes, " ") != c.left || len(p.Diagnostics) != 0 || len(p.Chunks) != 1 {
			t.Errorf("%s: %v", c.why, codes)
		}
	}
}
