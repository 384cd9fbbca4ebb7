// Package template puts an operator's words around an answer: literals, slots
// that the answer and its metadata fill, and conditionals. It has no code, no
// includes, no files and no network.
//
// A format is markdown and is compiled once, when it is loaded. Slots become
// characters of a private plane first, so that the compiler takes them for words;
// what fills them is put into the tree. Nothing that a slot brings is ever parsed,
// neither as markdown nor as a slot.
//
// Invariants:
//
//   - A template shows the whole answer: one that could leave it out is refused.
//     Every word that must be seen of the answer must be seen of the result, in
//     order, but for a heading that is shown as the title instead.
//   - Blocks of the template have ids below "0", which no answer has. Blocks of
//     the answer keep theirs, unless they stand inside a block of the template:
//     then they get the id of their place in front.
//   - Size and nesting are bounded, of the format when it is loaded, and of what
//     comes out of it by that of the answer.
//
// The package is pure, and a [Template] is safe for concurrent use.
package template
