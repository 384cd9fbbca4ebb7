// Package control is how commands talk to the vak that holds a home: the API's
// handlers, a unix socket that serves them to this user's own processes, and a
// client of them.
//
// The same handlers answer over the socket, where a home is held, and in process,
// where it is free. So a command has one way to ask, and one form of answer.
//
// Who may ask is decided when a connection is accepted, by what the kernel says
// of the peer: it has this process's user id (or root's), and neither it nor a
// parent of it is in a process group of a plugin. Everybody else is hung up on
// before a byte is read. The directory of the socket lets nobody else near it.
//
// Nothing here decides about plugins; what is shown and done is a [Backend]'s.
package control
