package archive

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName bounds a name, with all its folders, in bytes.
const maxName = 255

// reserved are names that Windows keeps for devices, whatever their extension.
var reserved = []string{
	"con", "prn", "aux", "nul",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// faulty says what is wrong with the name of an entry; empty: nothing. A name
// that passes is relative, has no step up, and means the same on every platform.
func faulty(name string) string {
	switch {
	case name == "":
		return "it has no name"
	case len(name) > maxName:
		return "its name is longer than 255 bytes"
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case strings.HasPrefix(name, "/"):
		return "its name is an absolute path"
	case strings.ContainsAny(name, `\:*?"<>|`):
		return "its name has a character that not every platform takes"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
		return "its name has control characters"
	}
	for part := range strings.SplitSeq(name, "/") {
		stem, _, _ := strings.Cut(strings.ToLower(part), ".")
		switch {
		case part == "..":
			return "its name leads out of the folder"
		case part == "" || part == ".":
			return "its name has an empty step"
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return "its name ends in a point or a space, which not every platform keeps"
		case slices.Contains(reserved, strings.TrimRight(stem, " ")):
			return "its name is that of a device on Windows"
		}
	}
	return ""
}

// folded is what two names share that a file system may take for one: it does not
// regard case, nor how letters with marks are composed.
func folded(name string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, norm.NFD.String(name)))
}

// parents are the folders of a name, the outermost first.
func parents(name string) []string {
	var out []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	slices.Reverse(out)
	return out
}
