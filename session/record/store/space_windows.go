package store

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// space is how large the volume of a file is and how much of it may still be
// written, in bytes; ok is false where that is not known.
func space(f *os.File) (free, total int64, ok bool) {
	dir, err := windows.UTF16PtrFromString(filepath.Dir(f.Name()))
	if err != nil {
		return 0, 0, false
	}
	var mine, size uint64
	if err := windows.GetDiskFreeSpaceEx(dir, &mine, &size, nil); err != nil || size == 0 {
		return 0, 0, false
	}
	return int64(mine), int64(size), true
}
