//go:build race

package journal_test

// stride leaves out most of what is tried at every byte or operation: the race
// detector makes it ten times slower and sees nothing new in it.
const stride = 11
