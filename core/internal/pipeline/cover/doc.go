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
// What is there besides must be in proportion. Of each block is known what it must
// show and what an honest renderer may add to it: marks, brackets, borders, a header
// before each row, a header again in each chunk. No chunk may show more characters
// than the blocks that it names account for, nor all chunks more than the document
// does; and there may be only so many chunks as the document fills, with room to
// spare. So neither copies nor a long text pass. This is no proof that nothing was
// added: a sentence passes, and as much as the room that is left by renderers that
// add little, which grows with an answer. What a few words do is for the transport to
// refuse.
//
// Whether something is lost is decided first; only then a second pass, which
// looks no further ahead than a line, finds out where. All work is linear in
// the text, or budgeted: what exceeds the budget counts as a loss.
//
// The package is pure. It neither compiles nor renders, and no loss carries
// text of the message.
package cover
