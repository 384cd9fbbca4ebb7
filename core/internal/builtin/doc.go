// Package builtin holds what ships inside core: the surface "log", plain text
// for a terminal, and for files below one directory.
package builtin
