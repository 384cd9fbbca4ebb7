package plan

import "errors"

// What [New], [Check] and [Tally.Add] refuse. Their errors wrap one of these and name the recipe or signal.
var (
	// ErrTwice is returned for the same id and version of two recipes.
	ErrTwice = errors.New("registered twice")

	// ErrName is returned for a name that is empty, too long, or not made of small
	// letters, digits and . _ -
	ErrName = errors.New("not a name")

	// ErrMatchesAll is returned for a recipe other than [Basic] that names no signal:
	// it would match every answer.
	ErrMatchesAll = errors.New("names no signal")

	// ErrKeyword is returned for a keyword that has nothing to look for, or is too
	// long.
	ErrKeyword = errors.New("not a keyword")

	// ErrTooMany is returned for more than a planner takes.
	ErrTooMany = errors.New("too many")
)
