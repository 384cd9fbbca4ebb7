// Package load holds the test that has vak deliver much while everything around it
// fails: a host process over a home on disk, the four transports that ship, and
// the four fake platforms, which break off, answer slowly, are in trouble or have
// no time, while transports and hosts are killed at random. There is no code in it
// but that of the test.
//
// "make load" sends 10,000 messages and prints what it measured; "go test" does the
// same with 500 in a few seconds. VAK_LOAD is the number of messages and
// VAK_LOAD_SEED its chance.
//
// What is scaled: the rates of the platforms, the times between attempts and those
// of breakers run a few times as fast as usual, by Tempo of core/internal/outbox, and the
// platforms enforce their rates at that tempo. What platforms ask for, the
// supervision of processes and the host's own ticks are as they are.
//
// Rates as they are are tried there too, for a few seconds.
package load
