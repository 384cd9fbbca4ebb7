// Package host finds plugins, and renders, sends and lowers cards with them, each
// in processes of its own: a surface in one that renders and one for every account
// that sends, a skill pack in one. It knows nothing of documents and cards beyond
// packages surface and skill.
//
// It is built from four packages, none of which knows the ones behind it:
//
//	bundle     what is on disk: manifests, hashes
//	process    one process: start, handshake, log, end
//	sandbox    what a process may do
//	supervise  when a process starts, stops, is replaced or given up on
//
// and fault, the errors of all of them.
//
// Invariants:
//
//   - Nothing is started to find out what it is: the manifest beside a binary
//     says so, and what runs is the file whose hash the manifest names.
//   - A slot is one plugin exactly as it was found, named by its [Key]. What is in the
//     folder later is another slot, with a clean record; an old one never starts it.
//   - [Host.Sync] goes by what is on disk, reads what was touched and nothing else, and
//     says whether what is used has changed. Renderers and packs are called by Key,
//     transports by id: who holds a Key ([Host.Hold]) is served by exactly that plugin,
//     what sends is always the current one.
//   - What is neither current nor held takes no call, ends with those under way, and
//     then nothing of it is left. What is banned is killed before Sync returns,
//     whoever holds it, and that counts against nobody.
//   - A process starts when it is first needed, serves everybody, and is replaced
//     when it fails. Whoever renders or lowers waits 5 s for an answer, then 5 s for a
//     fresh process, and no longer; of a plugin that is out of order they are told
//     at once.
//   - A plugin gets no environment, no standard input and no file of the host's,
//     and where the kernel can see to it no other file, no network and no other
//     process either. Its log cannot flood or break the host's.
//   - Who renders or lowers has no credential, and who sends no document. A process that
//     sends has the settings of one account and a network. Settings are in its
//     memory and the host's, and nowhere else.
//   - What is sent is never sent again here, whatever happens to the process: an
//     answer that is missing is told as unknown.
//   - What goes wrong with one plugin is told of that plugin and touches no other.
//   - Close leaves no process, no socket and no goroutine. Where the host itself
//     is killed, its plugins end with it, and the next host removes the sockets.
package host
