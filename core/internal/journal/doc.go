// Package journal is the embedded engine of package store: a log of commits in
// files below the home.
//
//	journal/00000000000000000001.jsonl   a segment, named for its first commit
//	journal/00000000000000000001.ckpt    the index at the end of a sealed segment;
//	                                     the last two are kept
//	journal/reserve                      room for finishing work on a full disk
//	journal/torn/                        what interrupted writes left
//	sessions/ID.jsonl                    the records of a session
//
// # Lines
//
// A line is one commit, which is there as a whole or not at all:
//
//	{"v":1,"n":42,"b":40,"t":1764528000123,"id":"…","s":"session","q":7,"c":2,"l":[310,427],
//	 "tb":"…","te":"…","j":[rows],"g":[targets],"e":[entries of each row],"r":[records],"crc":"0a1b2c3d"}
//
// n counts commits without a gap over all segments; b is the first commit of
// those that were synced together; t is when, in milliseconds; id makes it
// idempotent; q is the seq of the first record of session s, c their number and l
// their lengths in bytes; tb and te are a turn that begins and one that ends. Empty
// members are left out. crc is the
// CRC-32C of all bytes before its comma. Members may come in another order, and
// unknown ones are kept: lines are never rewritten. A line whose sum is right and
// whose v is higher is of a later version, and then nothing is touched.
//
// A job's row names the place of its line before, so that its history is read
// backwards. A place is a segment's first commit and the offset of the row in it.
//
// # What is promised
//
//   - Commit returns after its line is synced. Whoever finds no sync running
//     writes and syncs what has gathered for all; nobody waits for more to gather.
//   - After an error other than Broken nothing of the commit is there. A write
//     without room is cut off again. Any other failed write, and every failed
//     sync, ends all writing until the journal is opened again: nobody knows what
//     a disk holds after a failed sync, and a second one proves nothing.
//   - A session file follows the journal and is not synced with it. What a crash
//     takes from it is written again from the journal.
//   - Of a crash only the last batch can be damaged. What is unreadable at the end
//     is set aside and cut off; what is unreadable before a later batch is
//     corruption, which is never skipped in silence: no new work is taken, a job
//     or session that it may have touched is refused, the others go on.
//
// Assumed are a disk that keeps what it synced, and one process for a home: the
// home's lock is not taken here. Windows cannot sync a directory; a new segment
// may be lost there with the machine's power.
package journal
