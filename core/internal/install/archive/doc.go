// Package archive takes a plugin out of what somebody handed over: a .tar.gz, a
// .zip or a folder. All of it is hostile input, and lands in an empty folder of
// the caller's or is refused.
//
// Invariants:
//
//   - Nothing is written outside that folder, and nothing but folders and regular
//     files is made in it: no link, no device. Files are 0600, folders 0700,
//     whatever the archive says.
//   - A name means the same file on every platform: no two names are equal but for
//     case or Unicode normal form, and none holds what a platform treats in its own
//     way.
//   - Sizes are bounded while they are read, not by what headers claim.
//   - An archive is whole and nothing else: one that is cut off, or has something
//     before or behind it, is refused.
//   - Archives in an archive are files like others; nobody opens them.
package archive
