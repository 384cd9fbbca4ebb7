// Package key signs what is in a plugin and tells whose signature it is: ed25519
// keys, as files and as lines of text.
//
// Invariants:
//
//   - Every text has one form. What differs from it in a single byte is refused, so
//     that two keys that look alike are the same key.
//   - No error holds anything of a private key, nor of the file it was read from.
package key
