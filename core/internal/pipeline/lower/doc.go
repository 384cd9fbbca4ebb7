// Package lower makes of the cards in a document what every surface can show: the
// blocks of their trees, in place.
//
// Invariants:
//
//   - A document without a card is returned as it is.
//   - Every scalar of a card's payload is in its blocks, or in the JSON behind them,
//     or a line says in which entry of the ledger it is and a note says so too.
//   - The same card twice in one answer is shown once.
//
// The package is pure. What a card looks like its caller finds out, from the skill
// that owns its type.
package lower
