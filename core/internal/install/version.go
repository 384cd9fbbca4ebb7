package install

import (
	"cmp"
	"strconv"
	"strings"
)

// compareVersions is the order of two semantic versions, after section 11 of
// semver.org; what follows a + does not count. Manifests hold no other form.
func compareVersions(a, b string) int {
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	a, early, _ := strings.Cut(a, "-")
	b, late, _ := strings.Cut(b, "-")
	if c := compareFields(a, b); c != 0 {
		return c
	}
	switch {
	case early == late:
		return 0
	case early == "": // a release comes after what led to it
		return 1
	case late == "":
		return -1
	}
	return compareFields(early, late)
}

func compareFields(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if c := compareField(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// compareField has numbers before words, and numbers by what they count.
func compareField(a, b string) int {
	m, aWord := strconv.ParseUint(a, 10, 64)
	n, bWord := strconv.ParseUint(b, 10, 64)
	switch {
	case aWord == nil && bWord == nil:
		return cmp.Compare(m, n)
	case aWord == nil:
		return -1
	case bWord == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
