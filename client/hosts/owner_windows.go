package hosts

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the owner and the permissions of its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
