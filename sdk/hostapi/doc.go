// Package hostapi is the host's half of the plugin protocol: a typed client for a
// surface or a skill pack, over a connection to its process or to a
// [surface.Plugin] or [skill.Pack] in this one. Plugins do not import it; core
// does. No promise is made to others.
//
// It starts no process and keeps no state. What a plugin answers is hostile
// until it has been through here: bounded, valid, and of the shape that packages
// surface and card say. Whether a rendering or a tree shows what it must is the
// caller's to check.
//
// Every call has a deadline: the context's, or the method's own where the
// context has none. Every error is an [*Error].
package hostapi
