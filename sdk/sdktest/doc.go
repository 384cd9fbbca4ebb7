// Package sdktest tests surfaces and skill packs without a host, and without a process but where
// the process is what is tested.
//
// [Run] gives a [Runner], which renders as a host does: every value crosses in
// its wire form, bounded and validated, and a panic is an error. [Golden]
// compares renderings with files that a person has read. [Conformance] holds a
// surface to the rules of [surface.Renderer], whatever it renders.
//
// [Send] gives a [Sender], which sends as a host does. [NewPlatform] is a fake of
// the service behind a surface. [TransportConformance] has that service fail in
// every way that services do, [Sender.Replies] in those that are its own, and a
// [Record] compares what is asked of it with a file that a person has read.
//
// [Binary] and [SenderBinary] give a Runner and a Sender of the built artefact,
// through the real handshake; [Build] builds it. [NewTransportScript] is a fake of
// a transport, for tests of what sends.
//
// [Pack] gives a [PackRunner], which asks a skill pack as a host does. [PackGolden]
// compares its trees, and what two kinds of message make of them, with files that a
// person has read; [PackConformance] holds it to its rules; [PackBinary] asks the
// built artefact.
//
// The whole test of what a surface renders is:
//
//	func TestGolden(t *testing.T)      { sdktest.Golden(t, plugin(), "testdata/*.txtar", compile.Markdown) }
//	func TestConformance(t *testing.T) { sdktest.Conformance(t, plugin()) }
//
// The package is for tests: it imports package testing and defines the flag
// -update.
package sdktest
