//go:build !linux

package operations

const hostEnv = "VAK_TEST_OPERATIONS_HOME"

func host(string) {}
