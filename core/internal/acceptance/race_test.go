//go:build race

package acceptance

const race = true
