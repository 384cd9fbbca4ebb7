// Package compile turns the markdown of one settled answer into a
// [doc.Document]. It is the only place where markdown is parsed.
//
// It is a pure function: no clock, no files, no goroutines, no plugin. It knows
// no surface; what a dialect cannot show is that dialect's concern.
//
// Two parsers work together. goldmark finds the blocks, with block parsers of
// this package where its own would be quadratic, would drop something or do not
// know a construct. Inlines are this package's own (see inliner): the text of a
// leaf is cut into tokens and built into a tree, each in one pass.
//
// Invariants:
//
//   - Nothing an author wrote is dropped. Markup that means nothing here is
//     text; comments, and markup that shows nothing, are all that vanishes.
//   - Strings in blocks are valid UTF-8 without control characters (code keeps
//     tabs and newlines) and without characters that turn the direction of text.
//   - Work is linear in the source, nesting, nodes and cells are bounded, and
//     what goes over a bound stays as raw markdown with a reason.
//   - No block is empty, texts side by side are one, and every id is the path of
//     its block.
package compile
