// Package store says what an engine keeps on disk: the records of every session
// and the jobs of the outbox. [Store] is the only durable write path for what was
// said and what must go out.
//
// A job is a row, which says all that scheduling needs, and a history of entries,
// which the engine keeps without reading them. Every change of a job replaces its
// row and appends one entry. What the row's fields mean, and which change may
// follow which, is for package outbox; here stands only who may go next:
//
//   - A lane is one target, with its thread. A target has a second, fast lane.
//     Jobs stand in a lane in the order in which they entered it, and one at a
//     time is claimed.
//   - A job that is not yet due holds its own lane back and no other, until it has
//     failed [ProbeAfter] times: from then on the next one may be claimed as well.
//   - A held job stands in no lane. It is told when its time has come, and enters
//     at the end of its lane when it is released.
//
// [Index] is that order in memory. The engines share it, and the suite in package
// storetest holds for each of them.
//
// This package does no I/O and has no clock.
package store
