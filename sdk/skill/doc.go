// Package skill is what a presentation skill is made of: the types of card that it
// owns, how each is lowered to the host's primitives, and what tells when one of
// them suits an answer.
//
// A [Pack] is data and plain functions. It classifies its types into the host's
// vocabulary, see package card, and never extends that.
package skill
