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
