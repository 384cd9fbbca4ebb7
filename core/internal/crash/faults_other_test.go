//go:build !linux

package crash

func prepare() {}
