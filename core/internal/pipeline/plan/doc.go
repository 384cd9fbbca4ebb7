// Package plan decides which recipe suits an answer and what shows each of its
// blocks.
//
//	document, cards, tool calls ──(Planner.Signals)──► SignalContext ──(Planner.Plan)──► Plan
//
// A signal is a fact about an answer: that it speaks of tests, that it holds a
// table, that a tool edited files. A recipe names the signals and the types of card
// that belong together. What a recipe never says is how anything is rendered: that
// is decided for every block on its own, against the target.
//
// Invariants:
//
//   - The package has no clock, no I/O and nothing that changes: the same input
//     gives the same plan, in whatever order its sets come. A [Planner] is immutable
//     and safe for concurrent use.
//   - There is always a plan: where nothing matches it is [Basic].
//   - A signal comes from what was parsed. Keywords are looked for in what a reader
//     reads as text; code, diffs, diagrams and payloads of cards count by their
//     structure only, so that a program that mentions a recipe is none.
//   - Text is looked at once, however many keywords there are, and the recipes that
//     have nothing in common with the answer are not looked at.
package plan
