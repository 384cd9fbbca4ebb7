// Package fault is how the host says that something went wrong with a plugin:
// what, whose fault it is, and what to do about it. It decides nothing.
package fault
