package packet

import (
	"time"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// MaxDelivery is the size in bytes of the largest delivery that [AppendDelivery]
// makes, if it can: what carries it to a transport bounds it at 16 MiB.
const MaxDelivery = 12 << 20

// AppendDelivery appends what a receiver of packets is sent, a webhook above all:
//
//	{"schema_version", "target", "text", "ts", "job_id", "delivery"}
//
// text is the whole answer as its surface renders it, for receivers that want no
// more; delivery is the packet. Where all of it is larger than [MaxDelivery] the
// packet goes without its payload, then without its chunks: the text and the source
// are there anyway, and diagnostics of the packet say what is not.
func AppendDelivery(dst []byte, p *Packet, text string, at time.Time) ([]byte, error) {
	out, err := appendDelivery(dst, p, text, at)
	if err != nil || len(out)-len(dst) <= MaxDelivery {
		return out, err
	}
	less := *p
	less.Payload = nil
	less.Diagnostics = append(less.Diagnostics[:len(less.Diagnostics):len(less.Diagnostics)], tooLarge("payload"))
	if out, err = appendDelivery(dst, &less, text, at); err != nil || len(out)-len(dst) <= MaxDelivery {
		return out, err
	}
	less.Chunks = []Chunk{}
	less.Diagnostics = append(less.Diagnostics, tooLarge("chunks"))
	return appendDelivery(dst, &less, text, at)
}

func appendDelivery(dst []byte, p *Packet, text string, at time.Time) ([]byte, error) {
	a := appender{b: dst}
	a.number(`{"schema_version":`, SchemaVersion)
	a.text(`,"target":`, p.Target)
	a.text(`,"text":`, text)
	a.text(`,"ts":`, at.UTC().Format("2006-01-02T15:04:05.000Z"))
	a.text(`,"job_id":`, p.JobID)
	a.lit(`,"delivery":`)
	if a.err != nil {
		return dst, a.err
	}
	b, err := Append(a.b, p)
	if err != nil {
		return dst, err
	}
	return append(b, '}'), nil
}

func tooLarge(what string) doc.Diagnostic {
	return doc.Diagnostic{Code: what + "_left_out", Severity: doc.Warning, Message: "The packet is too large to be handed over whole; its " + what + " are not in it."}
}
