package surface

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxTarget bounds the text of a target in bytes.
const maxTarget = 512

// String is the canonical text of t: surface:address[/thread][:account], every
// part percent-encoded. A target without an address, as a preview has it, has
// the empty text.
func (t Target) String() string {
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

// ParseTarget reads the text of a target. It is lenient about what has to be
// percent-encoded; [Target.String] writes the one canonical form.
func ParseTarget(text string) (Target, error) {
	wrong := func(what string) (Target, error) {
		return Target{}, fmt.Errorf("a target is surface:address[/thread][:account], and this one %s", what)
	}
	id, rest, ok := strings.Cut(text, ":")
	rest, account, accounts := strings.Cut(rest, ":")
	address, thread, threads := strings.Cut(rest, "/")
	switch {
	case len(text) > maxTarget:
		return wrong(fmt.Sprintf("has more than %d bytes", maxTarget))
	case !ok || !idForm.MatchString(id):
		return wrong("names no surface")
	case address == "":
		return wrong("has no address")
	case threads && thread == "" || accounts && account == "":
		return wrong("ends with a separator")
	case strings.Contains(thread, "/") || strings.Contains(account, ":"):
		return wrong("has a separator too many; write %2F for a slash and %3A for a colon in a part")
	}
	t := Target{Surface: id}
	var errs []error
	for into, part := range map[*string]string{&t.Address: address, &t.Thread: thread, &t.Account: account} {
		plain, err := url.PathUnescape(part)
		if err == nil && (!utf8.ValidString(plain) || strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == 0x7f })) {
			err = errors.New("control")
		}
		*into = plain
		errs = append(errs, err)
	}
	if errors.Join(errs...) != nil {
		return wrong("has a part that cannot be decoded")
	}
	if len(t.String()) > maxTarget {
		return wrong(fmt.Sprintf("has more than %d bytes when encoded", maxTarget))
	}
	return t, nil
}

// escapePart is url.QueryEscape, which unlike PathEscape escapes the colon,
// with spaces as the rest of the world writes them.
func escapePart(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
