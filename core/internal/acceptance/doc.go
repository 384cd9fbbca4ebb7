// Package acceptance holds vak to what a reader of each surface must be able to
// see. It has tests only.
//
// What is under test runs whole: markdown goes in, through core and the plugins'
// own processes, and what comes out is read by readers that stand here and share
// no code with the dialects. So a mistake that a dialect and its own reader
// agree on is found here.
//
//   - testdata/reported.jsonl: faults that people reported of systems that do
//     this job, with inputs of our own.
//   - testdata/further.jsonl: more of the same kinds.
//   - testdata/cards: a card of every shape, what its reader asks, and what every
//     surface shows. Other tests take every type of card, by every way that cards
//     come in.
//
// Each case names surfaces and what must hold on them, as words that stand in
// one table of checks. Whatever a case names, every rendering in this package
// must also keep the rules of rules_test.go: valid markup, limits, nothing lost,
// no chunk that its neighbour has room for.
package acceptance
