// Package bundle finds plugins on disk and says what they are: a folder with a
// manifest, plugin.json, and the binary that the manifest names.
//
// Invariants:
//
//   - Nothing is started to find out what it is.
//   - A manifest is read once, bounded, and held against its JSON Schema before
//     anything else looks at it. What is wrong with one plugin is in its Bundle
//     and hinders no other.
//   - What is executed is the open file that was hashed ([Bundle.Open]), not
//     whatever the path names by then.
package bundle
