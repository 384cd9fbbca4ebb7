//go:build !amd64

package main

func int80() int32 { return -1 }
