// Package outline makes a readable card of any JSON object: keys become labels,
// scalars named values, objects sections, arrays of like objects tables, arrays
// of scalars lists. It knows nothing of what the object means.
//
// Invariants:
//
//   - Every scalar of the object is in the tree, as often as it occurs, and in
//     the order in which it was written, but for this: members of one value come
//     before those that get a section.
//   - A tree has at most [card.MaxNodes] nodes, [card.MaxDepth] deep. What would
//     need more is written as pairs whose keys are paths, as "a.b.c".
//   - Nothing fails: what is no JSON object is shown as text.
//
// The package is pure.
package outline
