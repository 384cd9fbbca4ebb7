// Package host finds surface plugins and renders with them, each in a process
// of its own. It knows nothing of documents beyond package surface.
//
// Invariants:
//
//   - Nothing is started to find out what it is: the manifest beside a binary
//     says so, and what runs is the file whose hash the manifest names.
//   - A process starts when it is first needed, serves everybody, and is started
//     again when it died. Whoever renders waits 5 s for an answer, then 5 s for a
//     fresh process, and no longer.
//   - A plugin gets no environment, no standard input and no file of the host's.
//     Its log cannot flood or break the host's.
//   - Close leaves no process, no socket and no goroutine. Where the host itself
//     is killed, its plugins notice and end.
package host
