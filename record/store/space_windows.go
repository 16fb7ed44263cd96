package store

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// space returns the free and the total bytes of a file's volume. ok is false if they are unknown.
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
