// Package errordoc holds no code that ships, only the test that docs/errors.md says
// what the comments and messages of the code say of every kind of error. "make gen"
// writes the page. What to do about a kind stands in mend_test.go; one that is not
// there yet is shown with the advice to do what the error itself says.
//
// A second test holds docs/compatibility.md, which people write, to the constants of
// versions.
package errordoc
