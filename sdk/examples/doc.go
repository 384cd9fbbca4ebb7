// Package examples holds skill packs to learn from, each a program with its tests:
//
//   - minimal: one type, in as few lines as there are
//   - chess: a type with a Check that names what is wrong
//   - pullrequest: several primitives, optional members, a recipe with its signal
//   - python: a pack that is not written in Go
//
// docs/skill-authors.md starts from minimal.
package examples
