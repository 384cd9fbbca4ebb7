// Package fake has platforms on loopback that behave as the real ones do: for
// tests of transports, and for whoever wants to see what would arrive without
// telling anybody.
//
// Each platform is a [Server] that counts in the platform's own unit, refuses with
// the platform's own words, and keeps what it took. What the next requests get can
// be said by hand, with [Server.Next]: an error, a delay, a connection that is
// closed before or after the message was taken.
//
// It does not import package testing, so that a program can use it, too.
package fake
