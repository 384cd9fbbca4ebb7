// Package endtoend shows what a whole delivery comes to: from core.Open through the
// outbox and the shipped transports, each a process of its own, to platforms on
// loopback. There is no code in it but that of the tests.
//
//   - Every refusal that the plugins' tables know, and answers that no table has:
//     the state of the job, the number of requests, and what each of them said. The
//     answers are in plugins/*/testdata/refusals.json with the outcome that each
//     must have, written down from what the platforms document and not from the
//     tables; a test beside each table sees that none of its rows is missing.
//   - A renderer that wants to do harm, built into the real plugin in place of its
//     own: who is notified, and what arrives.
//   - Marked secrets and marked words: where they turn up that should not.
//
// It is no test of schedules, of crashes or of pace: those are in
// core/internal/outbox and core/internal/crash. Nothing here waits for a retry; a
// second attempt is asked for, as "vak outbox retry" does it. Nor is it a test of
// the platforms themselves: what the fakes of package fake do not know, such as
// how a client shows a message, is not seen here.
package endtoend
