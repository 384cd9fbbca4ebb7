// Package serve is the life of a plugin's process, whatever its kind: its command
// line, its handshake, who may call it, and its end. Packages surface and skill say
// what it serves.
package serve
