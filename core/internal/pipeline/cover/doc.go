// Package cover proves that a rendering shows what its document must show, and
// says of every block how it reached the reader. It is computed on what is
// sent: every chunk is read back by core's own copy of the dialect's reader and
// compared with doc.Parts; what a renderer says about itself is taken only
// where it admits a lesser form.
//
// What is read back is one stream over all chunks, and what must be seen is
// found in it with one cursor that only moves forward:
//
//   - Space and characters without width do not count, on either side.
//   - The characters of a word stand together; only the end of a chunk may part
//     them. Between words anything may stand: bullets, quote marks, borders,
//     labels. As every character that is read back serves once, a character
//     that is missing makes a word later on missing too, and cannot hide unless
//     a decoration takes its place.
//   - Text is found in text, an address in text or behind a label, where it
//     must be the whole address.
//   - A word of a block is found in a chunk that names the block.
//   - A table is compared cell by cell: what stands between two borders, or
//     behind "Header:", must be the whole cell. Cells are read in document order
//     with nothing but borders between them, which is how package layout writes
//     them; where that fails, in any order. A cell that moves as a whole to
//     where none stood is not noticed then.
//
// Whether something is lost is decided first; only then a second pass, which
// looks no further ahead than a line, finds out where. All work is linear in
// the text, or budgeted: what exceeds the budget counts as a loss.
//
// The package is pure. It neither compiles nor renders, and no loss carries
// text of the message.
package cover
