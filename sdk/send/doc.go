// Package send makes one HTTP call with care, for the transport of a surface.
//
// A chat platform is asked for one message, once. What matters is not to ask
// again by mistake, so a [Client] says of every failure whether the request may
// have been written: if not, it is tried again later; if so, nobody knows whether
// the message is there. It follows no redirect, uses no proxy and no cookies,
// never repeats a request by itself, bounds what it reads, and names no address in
// an error, since addresses hold tokens.
//
// What a status means is for the platform's own package to say. [Settings] and
// [Base] read what accounts of chat platforms have in common.
package send
