// Package memfs is a file system in memory that forgets what was not synced: a
// crash keeps of unsynced content any set of 512-byte sectors, and of unsynced
// names any set. It fails on demand and has as much room as one gives it.
//
// It is for tests, of this module's other packages too.
package memfs
