//go:build !windows

package bundle

import "os"

func executable(st os.FileInfo) bool { return st.Mode()&0o111 != 0 }
