// Package reach says which addresses a webhook may be sent to: those of the
// public internet, so that nobody who may name a webhook can have the host talk to
// its own network. It looks at the address that is about to be connected to, after
// its name was looked up, so that a name that changes its mind fools nobody.
package reach
