// Package crash holds the tests that end vak without warning: a host that is
// killed over and over while it delivers, and what has to be true afterwards.
// There is no code in it but that of the tests.
package crash
