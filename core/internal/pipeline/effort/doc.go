// Package effort bounds what it takes to hold a value to a JSON Schema that somebody
// else wrote.
//
// A schema of a few hundred bytes can ask for more work than any machine does: parts
// that refer twice to parts that refer twice to others are looked at once for each
// way that leads to them, and a validator that has begun cannot be stopped. So a
// walk that does nothing but count goes its way first, in a small part of the time, and
// ends where it would be too long.
//
// It also tells schemas that already take too long to compile.
//
// It decides nothing about what the value is worth, and runs no pattern.
package effort
