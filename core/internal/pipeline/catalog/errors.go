package catalog

import (
	"errors"
	"strconv"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/card"
)

// A Kind classifies why [New] and [Catalog.WithEach] refuse packs. Test for one with errors.Is.
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds of [Error].
const (
	// ErrOwned is returned for a type that two packs want to own, and for two packs
	// with one id.
	ErrOwned Kind = "it has an owner"

	// ErrTwice is returned for a recipe whose id and version are there already.
	ErrTwice Kind = "it is there twice"

	// ErrSchema is returned for a type without a schema, and for one whose schema is
	// none, or refers to something outside of itself.
	ErrSchema Kind = "its schema cannot be used"

	// ErrRecipe is returned for recipes and signals that no plan can be made with, as
	// a recipe without a signal, a keyword without a letter, and more keywords than
	// all skills together may have. The error wraps that of package plan.
	ErrRecipe Kind = "its recipes or signals cannot be used"

	// ErrName is returned for a name that is none.
	ErrName Kind = "its name is none"

	// ErrIncomplete is returned for a type that cannot be lowered, and for a pack
	// without a version.
	ErrIncomplete Kind = "something is missing"

	// ErrTooMany is returned for packs that exceed a bound.
	ErrTooMany Kind = "there are too many"
)

// An Error says why a pack cannot be taken, and what would mend it.
type Error struct {
	Kind Kind
	Pack string // its id
	Name string // of the type, recipe or signal; empty: the pack itself
	Mend string
	Err  error // the cause; nil but for ErrRecipe
}

func refuse(kind Kind, pack, name, mend string) *Error {
	return &Error{Kind: kind, Pack: pack, Name: name, Mend: mend}
}

func (e *Error) Error() string {
	s := "skill " + strconv.Quote(e.Pack)
	if e.Name != "" {
		s += ", " + strconv.Quote(e.Name)
	}
	return s + ": " + string(e.Kind) + "; " + e.Mend
}

// Unwrap makes errors.Is find both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// ErrLower is returned by Lower where a skill failed. It is wrapped in a
// *[LowerError].
var ErrLower = errors.New("the skill could not lower its card")

// A LowerError says which skill failed at which type. What the skill itself says
// may quote the card, and is not part of its text.
type LowerError struct {
	Skill, Type string
	Why         string // in words of this package
	Err         error  // nil for a panic
}

func (e *LowerError) Error() string {
	return "the skill " + strconv.Quote(e.Skill) + " could not lower a card of the type " + strconv.Quote(e.Type) + ": " + e.Why
}

// Unwrap returns ErrLower and the error of the skill.
func (e *LowerError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrLower}
	}
	return []error{ErrLower, e.Err}
}

// Shown is how many problems an [Invalid] puts into words.
const Shown = 5

// An Invalid is everything that was found wrong with a card, most useful first.
// With errors.As every one of them is a *card.ProblemError; all come from
// [Problems].
type Invalid struct {
	Problems []*card.ProblemError // one at least
	More     int                  // that were found and are not listed
}

func (e *Invalid) Error() string {
	var b strings.Builder
	for i, p := range e.Problems[:min(len(e.Problems), Shown)] {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.Error())
	}
	if n := len(e.Problems) - Shown + e.More; n > 0 {
		b.WriteString("; and " + strconv.Itoa(n) + " more")
	}
	return b.String()
}

// Unwrap returns the problems.
func (e *Invalid) Unwrap() []error {
	out := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		out[i] = p
	}
	return out
}

// Problems lists the problems that an error of Open or Call holds, nil for an
// error that holds none.
func Problems(err error) []*card.ProblemError {
	if e, ok := errors.AsType[*Invalid](err); ok {
		return e.Problems
	}
	if p, ok := errors.AsType[*card.ProblemError](err); ok {
		return []*card.ProblemError{p}
	}
	return nil
}

// invalid is an error of one problem.
func invalid(kind card.ErrorKind, path, want string) error {
	return &Invalid{Problems: []*card.ProblemError{{Kind: kind, Path: path, Want: want}}}
}
