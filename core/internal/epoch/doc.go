// Package epoch keeps epochs: what is known at one time of plugins, profiles and
// templates. It knows nothing of hosts and processes.
//
// A directory holds them all:
//
//	epochs.jsonl     a line an epoch: its number, its digest, and since when
//	blobs/<sha256>   everything else, by the hash of its bytes
//
// The digest of an epoch is the name of the blob that lists it: plugins, looks and
// templates, each with the name of a blob of its own. Number and time are not part of
// it, so that the same state has the same digest.
//
// Invariants:
//
//   - A line is written after all that it leads to is on disk. So whoever reads a
//     line finds its epoch whole, at any time and after any crash.
//   - Numbers grow with every line, and none is given twice, whatever is damaged.
//   - Nothing that is whole is changed or removed: an epoch that a ledger names can be read as
//     long as its files are there.
//   - What is read is hostile: bounded, and held to the hash that names it.
package epoch
