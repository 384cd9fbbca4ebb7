// Package process is one plugin process: started from a verified binary,
// confined, spoken to, and ended so that nothing of it is left.
//
// go-plugin does the handshake and dials; everything about the process is ours
// (the runner), because on go-plugin's own path a line of log crashes the host,
// a stopped process hangs it, and a grandchild leaves a zombie.
//
// Invariants:
//
//   - What runs is the file that was hashed, in an environment of its own, with
//     no standard input and no file of the host's.
//   - Whoever answers on its socket is the process itself, by the kernel's word
//     or by mutual TLS.
//   - No call is unbounded: not the handshake, not the description, not the end.
//   - When [Process.Stop] returns, or [Start] fails, there is no process, no
//     zombie, no socket, no open file and no goroutine left of it.
//   - What it writes to standard error is bounded, and can neither be taken for
//     the host's words nor break its log.
package process
