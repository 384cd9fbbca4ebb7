// Package catalog knows every type of card that a skill owns, and is the one way
// from what a model wrote to a card that is sound:
//
//	bytes ──(Open, Call)──► card.Output ──(Lower)──► card.Tree
//
// Invariants:
//
//   - A [Catalog] is immutable, and safe for concurrent use. One that has been made
//     has a compiled schema for every type; none refers to anything outside.
//   - What Open and Call return has been held to its bounds, its schema and its
//     skill's check.
//   - An error names the place and what was expected there, so that a model can
//     mend its call, and quotes no value.
//   - A skill that panics or makes a tree that is none is an error of Lower, and
//     never more.
//
// The package is pure.
package catalog
