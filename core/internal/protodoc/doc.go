// Package protodoc holds no code that ships, only the test that docs/protocol.md
// says what the comments of sdk/proto say. "make gen" writes the page.
package protodoc
