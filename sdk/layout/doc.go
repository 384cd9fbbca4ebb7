// Package layout is the one walk over a document: it turns blocks into chunks in
// any dialect, splits them where it hurts least, and makes the plain form of
// every chunk in the same pass.
//
// It works in two steps. The walk lays the document out as a flat run of tokens:
// text, marks, and between them what opens, what ends a line and what parts
// blocks. The cutter then writes tokens until a limit is passed, goes back to
// the best place to cut, and starts the next chunk there. What is open at a cut
// is closed before it and opened again behind it; both are counted.
//
// Invariants:
//
//   - Nothing is truncated and nothing is written twice, but for what is opened
//     again and the header of a table.
//   - Every chunk is within the limit of the profile in both forms, is valid on
//     its own and holds something to read.
//   - The two forms of a chunk are written by the same calls, so that they
//     cannot say different things.
//   - No cut falls inside a grapheme cluster, a tag, an escape or an address
//     that fits a quarter of the limit.
//
// The package knows no surface by name: what differs between them is in the
// dialect and in the profile.
package layout
