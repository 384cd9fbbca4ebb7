// Package home knows where a vak keeps what it owns: the home directory, the
// lock that makes one process its holder, and the runtime directory for sockets.
//
// Invariants:
//
//   - One process holds a home. The kernel says who: a lock on an open file, which
//     ends with the process, however that ends. What stands in the file is for
//     people and for finding the control socket; it is never what decides.
//   - The lock file is never removed: two processes would then lock two files.
//   - Sockets never lie below the home, whose path may be longer than what the
//     kernel allows for them.
package home
