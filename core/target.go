package core

import (
	"net/url"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// targetText is the canonical text of t, surface:address[/thread][:account]
// with every part percent-encoded. A target without an address, as a preview
// has it, has none.
func targetText(t surface.Target) string {
	if t.Address == "" {
		return ""
	}
	s := t.Surface + ":" + escapePart(t.Address)
	if t.Thread != "" {
		s += "/" + escapePart(t.Thread)
	}
	if t.Account != "" {
		s += ":" + escapePart(t.Account)
	}
	return s
}

// escapePart is url.QueryEscape, which unlike PathEscape escapes the colon,
// with spaces as the rest of the world writes them.
func escapePart(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
