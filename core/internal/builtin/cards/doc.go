// Package cards is the built-in skill: twelve shapes of card for 98 semantic
// types, each with its JSON Schema, and how it is lowered to the primitives of
// package card.
//
// Everything there is to know of a shape stands in one table, see [Shapes]:
// schemas, the tools that a model is offered, the documentation and the tests read
// it.
//
// Invariants, held by tests over every type:
//
//   - A payload that its schema and its check take is lowered without an error, to
//     a tree within its bounds, at any size.
//   - Every scalar of the payload is a property of the tree.
//   - Texts are taken as they are: nothing reads them as markdown or HTML.
//
// The package is pure.
package cards
