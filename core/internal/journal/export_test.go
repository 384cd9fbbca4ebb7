package journal

import (
	"context"

	"github.com/seed-1ae66336/vak/core/internal/journal/fsys"
)

// VerifyFS is Verify of any file system.
func VerifyFS(ctx context.Context, fs fsys.FS, home string) (Report, error) {
	return verify(ctx, fs, home)
}
