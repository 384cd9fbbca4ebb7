// Package supervise keeps one plugin's process: it starts it when somebody needs
// it, sees that it stays healthy, replaces it when it fails, waits longer each
// time, and gives up on one that fails too often. It knows nothing of what the
// process does; package process is what it keeps in a host.
//
//	            ┌──────────── failed ───────────┐
//	            ▼                               │
//	stopped ─ lease ─► starting ─► ready ─ restart, wrong ─► draining
//	   ▲                  │ failed                              │
//	   └── time passes ── backing_off ── five in ten minutes ─► quarantined
//
// Invariants:
//
//   - At most one process takes new calls, and one is being started.
//   - Who holds a lease is served to the end, whatever becomes of the process
//     for others, unless it dies or the supervisor is closed.
//   - A failure is counted once, however many calls it fails, and so is the
//     trouble that one call makes, though it be tried twice.
//   - Nobody waits for a plugin that is out of order for longer than
//     [Policy.Patience]; everybody is told how it failed.
//   - When Close has returned and the work group is done, nothing runs.
package supervise
