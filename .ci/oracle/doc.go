// Package oracle lets what others wrote judge what vak renders and sends.
//
// Parsers read renderings: TDLib for Telegram, and a client-side parser each for
// Slack and Discord.
// For every document of a corpus it computes what each node of the document
// demands of a reader's screen (this text in bold, that label leading there),
// renders the document through the built command line program and its plugin
// processes, gives every chunk to the foreign parser, and compares character by
// character. So text that was escaped instead of marked up fails as surely as
// text that was lost.
//
// What goes out is judged as well, from the golden files and from the built
// transports, which send to this machine. The bodies of requests are literals of
// the types that the platforms publish; the library of Standard Webhooks verifies
// signatures, and signs the same; that of CloudEvents reads events.
//
// The module stands apart so that what it needs (a native library, npm packages,
// READMEs of other projects) never reaches the go.mod of what ships.
package oracle
