// Package card is the vocabulary of cards: the envelope in which a model hands
// over structured output, and the closed set of primitives that every type of
// card is lowered to.
//
//	payload ──(the skill that owns its type)──► Tree ──(Tree.Blocks)──► document blocks
//
// An [Output] names a semantic type and holds its payload. The skill that owns
// the type makes a [Tree] of it: nodes out of a list that the host owns and no
// skill extends. A skill ships no text form, no code, no markup and no colour to
// anybody: what a reader of a chat sees comes from the tree by one function here,
// and a native client draws the same tree.
//
// Invariants:
//
//   - [ParseTree] and [ParseOutput] are the one way in for bytes that somebody else
//     wrote: bounded, strict, with errors that name the place.
//   - Whatever text a property holds is shown as it is: it is never read as
//     markdown or HTML.
//   - Everything that a tree says is visible in its blocks, or [Lowered] says that
//     it is not.
//
// The package does no I/O and has no clock. Its values are plain data, immutable by
// agreement.
package card
