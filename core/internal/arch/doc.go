// Package arch holds no code, only tests on the shape of the repository: which
// package may import which, and that docs/api lists every exported name.
package arch
