// Package ledger is the form of what a session remembers: records, their one
// line of JSON each, the hash chain between them, and what a person gets to read
// of them.
//
// A session's ledger is append-only, one [Record] a line, readable with jq:
//
//	{"v":1,"session":"demo","seq":2,"time":"2026-03-01T09:00:00.000Z","turn":"demo/1","prev":"9f…","kind":"message","role":"user","markdown":"Hello"}
//
// Invariants:
//
//   - The form is canonical: [Append] writes one record in one way, so that a
//     record has one hash. Members stand in a fixed order, without space, with no
//     more escapes than JSON needs; what is empty and optional is left out.
//   - [Parse] is the one way in. Whatever it takes is written again without loss:
//     members that it does not know are kept in [Record.Extra], and a record of a
//     newer version or of a kind that it does not know is an [Unknown] that keeps
//     its exact bytes.
//   - Records count from 1 without a gap, and each names the hash of the line
//     before it. [Chain] holds both to that.
//
// The members v, session, seq, time, turn, prev and kind keep their meaning in
// every version, so that a chain can be followed through records from the future.
//
// The package is data: it reads no file, has no clock and remembers nothing.
// Its functions are safe for concurrent use; a Chain belongs to one goroutine.
package ledger
