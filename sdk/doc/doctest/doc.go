// Package doctest makes documents for tests: random ones that use all of the
// vocabulary, and a small one that shows each kind of node once.
package doctest
