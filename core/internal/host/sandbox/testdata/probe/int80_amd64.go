package main

// int80 makes a system call of another architecture.
func int80() int32
