package host

import (
	"context"

	"github.com/seed-1ae66336/vak/core/internal/host/process"
	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// Manifest has the binary at path print its plugin.json in the sandbox of
// renderers, as far as this system has one. What it printed is not checked.
func Manifest(ctx context.Context, path string) ([]byte, error) {
	return process.Manifest(ctx, path, confine(hostapi.RoleRender, Grants{}))
}

// Describe has an interpreter run the file at path to print what the plugin is, in the
// sandbox of renderers, as far as this system has one, with the paths in read to read.
// What it printed is not checked; said is the beginning of what came to
// standard error.
func Describe(ctx context.Context, interpreter, path string, read []string) (text, said []byte, _ error) {
	return process.Describe(ctx, interpreter, path, confine(hostapi.RoleRender, Grants{Interpreter: interpreter, Read: read}))
}
