// Package crash holds the tests that end vak without warning, or take the machine
// away under it: a host that is killed over and over while it delivers, power cuts,
// syncs that fail, writes that are cut short, full disks and damaged files, and what
// has to be true afterwards. There is no code in it but that of the tests.
//
// VAK_CRASH is the number of rounds of those that go round, and VAK_CRASH_SEED their
// chance. Power cuts and full disks need root on Linux, failing syncs strace; where
// that is missing they are skipped, unless VAK_REQUIRE has the word faults.
//
// Clocks that jump are tried in core/internal/outbox, in time of its own: a host has
// the machine's clock.
package crash
