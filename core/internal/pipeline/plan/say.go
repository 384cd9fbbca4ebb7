package plan

import "strings"

// needs says that some of what a recipe names is not there. what is in the singular.
func needs(what string, names []string) string {
	if len(names) == 1 {
		return "needs " + plural(what, names) + ", which is not there"
	}
	return "needs " + plural(what, names) + ", which are not there"
}

// plural is "the signal a", or "the signals a, b and c". Long lists are cut short.
func plural(what string, names []string) string {
	const most = 5
	switch n := len(names); {
	case n == 1:
		return "the " + what + " " + names[0]
	case n <= most:
		return "the " + what + "s " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return "the " + what + "s " + strings.Join(names[:most], ", ") + " and others"
	}
}
