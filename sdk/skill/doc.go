// Package skill is what a presentation skill is made of: the types of card that it
// owns, how each is lowered to the host's primitives, and what tells when one of
// them suits an answer.
//
// A [Pack] is data and plain functions. It classifies its types into the host's
// vocabulary, see package card, and never extends that. [Serve] makes a program of
// it, which a host runs as a process of its own, without environment, files and
// network. What that answers is checked by the host, and a card that it cannot
// lower is shown all the same: its members, as they are.
package skill
