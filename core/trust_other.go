//go:build !unix

package core

import "os"

// exposed says nothing: who may write to a file is not in its mode here.
func exposed(os.FileInfo, os.FileMode) string { return "" }
