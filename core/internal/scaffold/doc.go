// Package scaffold writes the beginnings of plugins: a Go module that builds, passes
// its own tests and does something, to be changed into what its author wants.
//
// The starters lie in starters, a folder for each kind of plugin. A file NAME.tmpl
// there becomes NAME, "gitignore" with a dot before it; what stands between « and »
// is filled in, where the length of an id moves nothing that gofmt aligns. go.mod and
// go.sum are made by [Vak], which says what the module is built against.
//
// Invariants:
//
//   - A folder appears whole or not at all.
//   - What somebody has is not written over.
//   - Nothing is run, and nothing is fetched.
package scaffold
