package bundle

import "os"

func executable(os.FileInfo) bool { return true } // the file's name decides, not its mode
