package compile

import (
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// diffFiles reads the files of a unified diff, and how many lines each gains and
// loses. Hunks are followed by their counts, so that a removed line that begins
// with two dashes is not taken for a header.
func diffFiles(text string) []doc.DiffFile {
	var files []doc.DiffFile
	var minus, plus int // lines of the hunk still to come
	old, fresh := "", false
	for len(text) > 0 {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		current := func() *doc.DiffFile {
			if len(files) == 0 {
				return &doc.DiffFile{} // counts of nobody
			}
			return &files[len(files)-1]
		}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			minus, plus = 0, 0
			a, b := gitNames(line[len("diff --git "):])
			files = append(files, doc.DiffFile{Old: a, New: b})
			fresh = true
		case minus <= 0 && plus <= 0 && strings.HasPrefix(line, "--- "):
			old = diffName(line[4:], "a/")
		case minus <= 0 && plus <= 0 && strings.HasPrefix(line, "+++ "):
			name := diffName(line[4:], "b/")
			if fresh {
				*current() = doc.DiffFile{Old: old, New: name}
			} else {
				files = append(files, doc.DiffFile{Old: old, New: name})
			}
			fresh = false
		case strings.HasPrefix(line, "@@ "):
			minus, plus = hunk(line)
			fresh = false
		case strings.HasPrefix(line, "+"):
			plus--
			current().Additions++
		case strings.HasPrefix(line, "-"):
			minus--
			current().Deletions++
		case strings.HasPrefix(line, " ") || line == "":
			minus--
			plus--
		}
	}
	return files
}

// diffName is the path in a header, without what follows a tab and without the
// prefix that git sets.
func diffName(s, prefix string) string {
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimPrefix(strings.TrimSpace(s), prefix)
}

func gitNames(s string) (a, b string) {
	if i := strings.Index(s, " b/"); i >= 0 {
		return strings.TrimPrefix(s[:i], "a/"), s[i+3:]
	}
	a, b, _ = strings.Cut(s, " ")
	return a, b
}

// hunk reads how many lines "@@ -1,3 +1,4 @@" announces.
func hunk(line string) (minus, plus int) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return 0, 0
	}
	n := func(s string) int {
		_, count, ok := strings.Cut(s, ",")
		if !ok {
			return 1
		}
		v, err := strconv.Atoi(count)
		if err != nil {
			return 0
		}
		return v
	}
	return n(f[1]), n(f[2])
}
