// Package lock keeps the two files that say which plugins of a home may be used:
// plugins.lock, what was installed and what its operator agreed to, and
// revoked.json, the hashes that are refused.
//
// Invariants:
//
//   - A file is replaced whole or not at all, and by one process at a time. Readers
//     take no lock.
//   - A file that is not what it should be, that others than its owner may write
//     to, or that a later version wrote is an error and nothing else: nobody goes on
//     as if it were empty.
//   - What this version does not know of a file survives a change.
package lock
