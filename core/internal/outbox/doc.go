// Package outbox delivers: it takes jobs from the store, has each rendered, sends
// its parts in order through the surface's transport, and writes down what became
// of every attempt before it does anything else.
//
// What it keeps true, whatever ends the process and whenever:
//
//   - A job that was accepted arrives, or is a dead letter that says why.
//   - The parts of a job are on disk before the first goes, so that a resume meets
//     the same cuts.
//   - The start of an attempt is on disk before a byte leaves. An attempt without
//     an outcome counts as unknown.
//   - A part with a receipt on disk is never sent again. Every other repeat carries
//     the same key, and where the platform does not recognise keys a visible note.
//   - Jobs of one lane arrive in the order of their commits, but for those that were
//     held, and one that the lane passed, which says so.
//   - Lanes never wait for each other, nor do accounts, but for the rates that a chat
//     and an account have. No span of time sees more than those allow, whatever is
//     sent, and over ends of the process.
//
// A job's history is the list of its entries (entry.go), folded into a delivery
// (delivery.go). What follows from an outcome is decided in outcome.go and
// schedule.go, without a clock and without I/O. A claimed job is a run (run.go),
// which a courier takes as far as it goes: courier.go is the way, attempt.go one
// attempt, settle.go what is written down. The rates are in pacer.go. What holds and releases is in hold.go.
package outbox
