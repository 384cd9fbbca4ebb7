//go:build !race

package journal_test

const stride = 1
